import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HeapReading } from './heap-probe.js';
import type { ServerProcess } from './process.js';

/** What a server has to be started with, besides an IPC channel, for its heap to be read. */
export const heapProbeArgs: readonly string[] = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('heap-probe.js', import.meta.url)),
];

/** Has a server collect its garbage and tell what is left. */
export async function readHeap(server: ServerProcess): Promise<HeapReading> {
  const answer = once(server.child, 'message', { signal: AbortSignal.timeout(20_000) });
  server.child.send('read');
  const [reading] = (await answer) as [HeapReading];
  return reading;
}
