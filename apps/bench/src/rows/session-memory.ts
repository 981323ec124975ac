import { atMostValue } from '../budget.js';
import { contestants } from '../contestants.js';
import { interleave } from '../interleave.js';
import type { Plan } from '../plan.js';
import { freePort, ServerProcess } from '../process.js';
import { heapProbeArgs, readHeap } from '../read-heap.js';
import type { Reading, Row } from '../row.js';
import { openSessions } from '../sessions.js';

/** Enough to have compiled the code and grown the pools that would else count as memory of sessions. */
const warmUpSessions = 300;

/** How much memory an idle legacy session over HTTP uses. */
export const sessionMemory: Row = {
  id: 'session-memory',
  title: 'memory per idle legacy session',
  unit: 'KB',
  budget: [atMostValue(4, 'KB')],
  contestants: contestants.filter(({ sessions }) => sessions),
  measure: (plan, contestants) =>
    interleave({
      contestants,
      rounds: plan.memoryRounds,
      script: (contestant) => contestant.http,
      open: (_, script) => ({
        round: () => measureOnce(plan, script),
      }),
    }),
};

/** A fresh server every time: collected sessions of an earlier round would hide in the heap. */
async function measureOnce(plan: Plan, script: string): Promise<Reading> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = new ServerProcess({
    script,
    args: ['--http', '--port', String(port)],
    env: { TOOLS: '1', SESSIONS: '1' },
    nodeArgs: heapProbeArgs,
    cores: plan.cores.server,
    ipc: true,
  });
  try {
    await server.listening(port);
    await openSessions(url, warmUpSessions);
    const before = await readHeap(server);
    await openSessions(url, plan.sessions);
    const after = await readHeap(server);
    return {
      value: (after.heap - before.heap) / plan.sessions / 1024,
      rss: (after.rss - before.rss) / plan.sessions / 1024,
    };
  } finally {
    await server.stop();
  }
}
