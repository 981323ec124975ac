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

/** The versions that a request may have in its `_meta`, newest first. */
export const STATELESS_VERSIONS: readonly string[] = [...STATELESS.values()]
  .map(({ version }) => version)
  .reverse();

/** The revision that a request claims; `undefined` if requests cannot claim it. */
export function claimedRevision(version: unknown): Revision | undefined {
  return STATELESS.get(version);
}

/** The revision with everything that a server can announce about itself. */
export const NEWEST_REVISION: Revision = revision20260728;

/** The newest revision that has sessions. */
export const LATEST_SESSION_REVISION: Revision = revision20251125;

/** The revision that `initialize` agrees on: the requested revision, else the newest revision that has sessions. */
export function negotiate(version: unknown): Revision {
  return SESSIONED.get(version) ?? LATEST_SESSION_REVISION;
}

/** The revision of an earlier session; `undefined` if it is not a revision with sessions. */
export function sessionRevision(version: unknown): Revision | undefined {
  return SESSIONED.get(version);
}
