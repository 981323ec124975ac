import { revision20241105 } from './2024-11-05.js';
import { revision20250326 } from './2025-03-26.js';
import { revision20250618 } from './2025-06-18.js';
import { revision20251125 } from './2025-11-25.js';
import { revision20260728 } from './2026-07-28.js';
import type { Revision } from './revision.js';

export type { Revision } from './revision.js';

const ALL: readonly Revision[] = [
  revision20241105,
  revision20250326,
  revision20250618,
  revision20251125,
  revision20260728,
];
const BY_VERSION = ALL.map((revision) => [revision.version, revision] as const);
const STATELESS: ReadonlyMap<unknown, Revision> = new Map(BY_VERSION.filter(([, { sessions }]) => !sessions));
const SESSIONED: ReadonlyMap<unknown, Revision> = new Map(BY_VERSION.filter(([, { sessions }]) => sessions));

/** The protocol versions that a request can name in its `_meta`, newest first. */
export const STATELESS_VERSIONS: readonly string[] = [...STATELESS.values()]
  .map(({ version }) => version)
  .reverse();

/** Returns the stateless revision for the version in a request's `_meta`; `undefined` if there is no such revision. */
export function claimedRevision(version: unknown): Revision | undefined {
  return STATELESS.get(version);
}

/** The newest revision. It has every feature that a server can announce. */
export const NEWEST_REVISION: Revision = revision20260728;

/** The newest revision that has sessions. */
export const LATEST_SESSION_REVISION: Revision = revision20251125;

/**
 * Returns the revision for `initialize`: the requested revision if it has sessions, or else the newest one with
 * sessions.
 */
export function negotiate(version: unknown): Revision {
  return SESSIONED.get(version) ?? LATEST_SESSION_REVISION;
}

/** Returns the revision for a stored session's version; `undefined` if no revision with sessions has that version. */
export function sessionRevision(version: unknown): Revision | undefined {
  return SESSIONED.get(version);
}
