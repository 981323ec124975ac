import { setTimeout as delay } from 'node:timers/promises';
import { atMostValue } from '../budget.js';
import { sigil } from '../contestants.js';
import { interleave } from '../interleave.js';
import type { Plan } from '../plan.js';
import { freePort, ServerProcess } from '../process.js';
import { heapProbeArgs, readHeap } from '../read-heap.js';
import type { Reading, Row } from '../row.js';
import { abandonSessions, endSessions, isOpen } from '../sessions.js';

/** Share of the heap that may stay behind, in percent. */
const tolerated = 10;
/** Sessions are swept once in their idle time, so that one may live nearly twice as long; and a little patience. */
const expiry = (idleMs: number): number => 2 * idleMs + 500;

/** How much memory remains in use after clients have abandoned legacy sessions, and the sessions have expired. */
export const abandonedSessions: Row = {
  id: 'abandoned-sessions',
  title: 'heap left by abandoned sessions',
  unit: '%',
  budget: [atMostValue(tolerated, '%')],
  contestants: [sigil],
  measure: (plan, contestants) =>
    interleave({
      contestants,
      rounds: 1,
      script: () => 'server-idle.js',
      open: (_, script) => ({
        round: () => measureOnce(plan, script),
      }),
    }),
};

async function measureOnce({ abandoned, cores }: Plan, script: string): Promise<Reading> {
  const { sessions, warmUpSessions, idleMs } = abandoned;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = new ServerProcess({
    script,
    args: ['--http', '--port', String(port)],
    env: { IDLE_MS: String(idleMs) },
    nodeArgs: heapProbeArgs,
    cores: cores.server,
    ipc: true,
  });
  try {
    await server.listening(port);
    // Compiled code, a tool's validator and grown tables stay: they are no memory of sessions.
    const warmUp = await abandonSessions(url, warmUpSessions);
    await expectOldest(url, warmUp, true);
    await endSessions(url, warmUp);
    const before = (await readHeap(server)).heap;
    const opened = await abandonSessions(url, sessions);
    const peak = (await readHeap(server)).heap;
    // The oldest goes first: while it is there, all are. Asking counts as use.
    await expectOldest(url, opened, true);
    await delay(expiry(idleMs));
    await expectOldest(url, opened, false);
    const after = (await readHeap(server)).heap;
    const each = (bytes: number): string => (bytes / sessions / 1024).toFixed(2);
    return {
      value: Math.max(0, (after / before - 1) * 100),
      note: [
        `${sessions} sessions: ${kb(before)} KB before`,
        `${kb(peak)} KB at the peak (${each(peak - before)} KB a session)`,
        `${kb(after)} KB after they expired (${each(after - before)} KB a session)`,
      ].join(', '),
    };
  } finally {
    await server.stop();
  }
}

async function expectOldest(url: string, opened: readonly string[], open: boolean): Promise<void> {
  const [oldest = ''] = opened;
  if ((await isOpen(url, oldest)) === open) return;
  throw new Error(open ? 'sessions expired before all were open' : 'sessions outlived their idle time');
}

function kb(bytes: number): number {
  return Math.round(bytes / 1024);
}
