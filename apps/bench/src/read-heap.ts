import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HeapReading } from './heap-probe.js';
import type { ServerProcess } from './process.js';

/** The command-line arguments for Node that load the heap probe into a server. The server also needs an IPC channel. */
export const heapProbeArgs: readonly string[] = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('heap-probe.js', import.meta.url)),
];

/** Makes a server collect its garbage and report the memory that remains in use. */
export async function readHeap(server: ServerProcess): Promise<HeapReading> {
  const answer = once(server.child, 'message', { signal: AbortSignal.timeout(20_000) });
  server.child.send('read');
  const [reading] = (await answer) as [HeapReading];
  return reading;
}
