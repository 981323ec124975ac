import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The slowest, in turn those that compute and those that wait. */
const SLOWEST = [
  'e2e/create-mcp-app-npm',
  'e2e/nodes-failures',
  'soak/soak',
  'e2e/create-mcp-app-pnpm',
  'fuzz/fuzz',
  'e2e/create-mcp-app-oauth',
  'e2e/dev-command',
  'e2e/resuming',
].map((name) => `${name}.test.ts`);

/**
 * The slowest tests come first, then those that start processes, then those that run in memory: no worker is left alone with a
 * long one at the end, not even in a fresh clone, where Jest knows no durations.
 */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}

function rank({ path }) {
  const name = relative(HERE, path);
  const at = SLOWEST.indexOf(name);
  if (at >= 0) return at;
  return name.startsWith('..') ? SLOWEST.length + 1 : SLOWEST.length;
}
