import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Era } from './messages.js';

/** A server that is measured. */
export interface Contestant {
  /** The name of its column in the table. Budgets refer to the contestant by this name. */
  readonly id: string;
  /** The kind of protocol revision that the bench uses for this server. */
  readonly era: Era;
  readonly http: string;
  readonly stdio: string;
  /** The script for the row that measures a start without a DTO. @default the script in `stdio` */
  readonly smallest?: string;
  /** Whether the server supports legacy sessions. If not, the memory of sessions is not measured. */
  readonly sessions: boolean;
}

/** The server of Sigil. */
export const sigil: Contestant = {
  id: 'sigil',
  era: 'modern',
  http: 'server.js',
  stdio: 'server.js',
  smallest: 'server-arg.js',
  sessions: true,
};

/** All contestants, in the order of the table's columns. Each round measures them in this order. */
export const contestants: readonly Contestant[] = [
  sigil,
  peer('floor', 'floor', 'modern', false),
  peer('sdk v1', 'sdk-v1', 'legacy', true),
  peer('sdk v2', 'sdk-v2', 'modern', true),
  peer('tmcp', 'tmcp', 'modern', true),
];

/** Returns the path of a contestant's compiled script; `undefined` if it was not built. */
export function scriptPath(script: string): string | undefined {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return existsSync(path) ? path : undefined;
}

function peer(id: string, folder: string, era: Era, sessions: boolean): Contestant {
  return { id, era, http: `peers/${folder}/http.js`, stdio: `peers/${folder}/stdio.js`, sessions };
}
