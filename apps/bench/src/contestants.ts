import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Era } from './messages.js';

/** A server under measurement. */
export interface Contestant {
  /** Its column, and what budgets call it. */
  readonly id: string;
  /** The protocol era it is spoken to in. */
  readonly era: Era;
  readonly http: string;
  readonly stdio: string;
  /** The server of the row about starting without a DTO, when it differs. */
  readonly smallest?: string;
  /** It has legacy sessions to measure. */
  readonly sessions: boolean;
}

/** Ours. */
export const sigil: Contestant = {
  id: 'sigil',
  era: 'modern',
  http: 'server.js',
  stdio: 'server.js',
  smallest: 'server-arg.js',
  sessions: true,
};

/** Everyone, in the order of the columns and of the rounds. */
export const contestants: readonly Contestant[] = [
  sigil,
  peer('floor', 'floor', 'modern', false),
  peer('sdk v1', 'sdk-v1', 'legacy', true),
  peer('sdk v2', 'sdk-v2', 'modern', true),
  peer('tmcp', 'tmcp', 'modern', true),
];

/** Where the compiled script of a contestant lies, or `undefined` when it was not built. */
export function scriptPath(script: string): string | undefined {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return existsSync(path) ? path : undefined;
}

function peer(id: string, folder: string, era: Era, sessions: boolean): Contestant {
  return { id, era, http: `peers/${folder}/http.js`, stdio: `peers/${folder}/stdio.js`, sessions };
}
