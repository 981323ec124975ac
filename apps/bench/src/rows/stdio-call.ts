import { atLeast } from '../budget.js';
import { contestants } from '../contestants.js';
import { interleave } from '../interleave.js';
import { ServerProcess } from '../process.js';
import type { Row } from '../row.js';
import { StdioClient } from '../stdio-load.js';
import { throughput, warmUp } from '../throughput.js';

/** `tools/call` over stdio, with validation of the arguments and the result. */
export const stdioCall: Row = {
  id: 'stdio-call',
  title: 'stdio tools/call, 32 in flight',
  unit: 'req/s',
  budget: [atLeast(0.5, 'floor'), atLeast(5, 'sdk v2')],
  contestants,
  measure: (plan, contestants) =>
    interleave({
      contestants,
      rounds: plan.rounds,
      script: (contestant) => contestant.stdio,
      open: (contestant, script) => {
        const server = new ServerProcess({ script, env: { TOOLS: '1' }, cores: plan.cores.server });
        const client = new StdioClient(server, contestant.era);
        const load = (ms: number): Promise<number> => client.load(ms);
        return Promise.resolve({
          warmUp: async () => {
            await client.firstCall();
            await warmUp(server, load, plan.warmUpMs);
          },
          round: () => throughput(server, load, plan.roundMs),
          close: () => server.stop(),
        });
      },
    }),
};
