import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ServerError, UsageError } from '../failures.js';
import type { Bundle, BundleOptions } from './bundle.js';
import { scriptOf } from './code-cache.js';
import { startAside } from './start-aside.js';
import { TARGETS } from './targets.js';

/*
 * Node can write down all that a program has in memory, and start other processes from there. It takes a program that is one script, runs
 * it until nothing is left to be done, and calls a function of it in each process that starts from the snapshot. `createApp` waits for that
 * call when the definitions have been read and checked, and goes on with what each process has of its own.
 */

/** What arrays of Node 20 have, but not while it makes a snapshot. Node adds it again when it starts from one, and bears no other then. */
const ARRAY_COPIES = `for (const [name, value] of Object.entries({
  toSorted(compare) { return [...this].sort(compare); },
  toReversed() { return [...this].reverse(); },
  toSpliced(...change) { const copy = [...this]; copy.splice(...change); return copy; },
  with(at, value) { const copy = [...this]; copy[at < 0 ? at + copy.length : at] = value; return copy; },
})) {
  if (name in Array.prototype) continue;
  Object.defineProperty(Array.prototype, name, { value, writable: true, configurable: true });
  startupSnapshot.addSerializeCallback(() => delete Array.prototype[name]);
}`;

/** @throws UsageError when the target is not Node. */
export function checkSnapshot({ target, sourcemap }: Pick<BundleOptions, 'target' | 'sourcemap'>): void {
  if (target !== TARGETS.node) throw new UsageError('--snapshot is for Node: leave --target out');
  if (sourcemap)
    throw new UsageError('--snapshot and --sourcemap exclude each other: a snapshot has no text');
}

/**
 * Writes a snapshot of Node, with the program at the place where its first app is about to make its services.
 *
 * @param timeoutMs how long Node may take.
 * @throws ServerError when Node cannot make one, with what it said.
 */
export async function writeSnapshot(
  { script, outside }: Bundle,
  { cwd, out }: Pick<BundleOptions, 'cwd' | 'out'>,
  timeoutMs: number,
): Promise<void> {
  if (outside.length > 0)
    throw new ServerError(
      `a snapshot imports nothing, and these packages are not in it: ${outside.join(', ')}. Build without --snapshot`,
    );
  const { code } = await scriptOf(script);
  const path = join(dirname(out), `.${basename(out)}.${process.pid}.cjs`);
  const text = `'use strict';
const { startupSnapshot } = require('node:v8');
// Programs ask whether they are what was started.
process.argv[1] = ${JSON.stringify(out)};
${ARRAY_COPIES}
const program = ${code};
globalThis[Symbol.for('sigil:snapshot')] = new Promise((start) => startupSnapshot.setDeserializeMainFunction(start));
program({
  url: ${JSON.stringify(pathToFileURL(out).href)},
  import: (name) => Promise.reject(new Error('A snapshot imports nothing, so there is no ' + name)),
});
//# sourceURL=${basename(out)}
`;
  const running = await startAside(path, text, {
    files: [],
    // Standard output is that of this process, and no client reads it.
    variables: { MCP_TRANSPORT: 'http' },
    flags: ['--snapshot-blob', out, '--build-snapshot'],
  });
  try {
    const { code: exitCode, isLate, said } = await running.ended(timeoutMs);
    const name = relative(cwd, out);
    if (isLate)
      throw new ServerError(
        `Node made no snapshot ${name} within ${timeoutMs / 1000} s: before createApp(), the program begins what does not end, such as a timer or a connection. It said:\n${said.trim()}`,
      );
    if (said.includes('not serialized'))
      throw new ServerError(
        `Node made no snapshot ${name}: before createApp(), the program makes or uses what a snapshot cannot hold, such as node:http, a listener for signals, or fetch(). Do that after createApp(), or in a service. Node said:\n${said.split('\n', 12).join('\n')}`,
      );
    if (exitCode !== 0)
      throw new ServerError(`Node made no snapshot ${name}, with code ${exitCode}. It said:\n${said.trim()}`);
  } finally {
    running.forget();
  }
}
