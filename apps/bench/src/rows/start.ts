import { fileURLToPath } from 'node:url';
import { atMost } from '../budget.js';
import { type Contestant, contestants } from '../contestants.js';
import { interleave } from '../interleave.js';
import type { Plan } from '../plan.js';
import { ServerProcess } from '../process.js';
import type { Cells, Row } from '../row.js';
import { StdioClient } from '../stdio-load.js';

/** Processor time from spawn to the first answer over stdio, with one tool that receives its arguments by `@Arg`. */
export const startWithArg: Row = {
  id: 'start-arg',
  title: 'start to first answer, @Arg',
  unit: 'CPU ms',
  budget: [atMost(1, 'sdk v2')],
  contestants,
  measure: (plan, contestants) =>
    measureStart(plan, contestants, (contestant) => contestant.smallest ?? contestant.stdio),
};

/** The same as `startWithArg`, but the tool receives a DTO. */
export const startWithDto: Row = {
  id: 'start-dto',
  title: 'start to first answer, DTO',
  unit: 'CPU ms',
  budget: [atMost(1.35, 'sdk v2')],
  contestants,
  measure: (plan, contestants) => measureStart(plan, contestants, (contestant) => contestant.stdio),
};

const cache = fileURLToPath(new URL('../compile-cache', import.meta.url));

/**
 * Measures how much processor time servers use from their start until the answer to a first call. Each server is
 * started several times, with the compile cache of Node if this version of Node has one.
 */
export function measureStart(
  plan: Plan,
  contestants: readonly Contestant[],
  script: (contestant: Contestant) => string,
): Promise<Cells> {
  return interleave({
    contestants,
    rounds: plan.starts,
    script,
    open: (contestant, path) => {
      const start = async (): Promise<number> => {
        // Node has a compile cache since 22.1.
        const env = { TOOLS: '1', NODE_COMPILE_CACHE: cache };
        // Not pinned to one core: starting is what compiler threads are for.
        const server = new ServerProcess({ script: path, env, cores: plan.cores.all });
        try {
          await new StdioClient(server, contestant.era).firstCall();
          return (server.cpuSeconds() ?? NaN) * 1000;
        } finally {
          await server.stop();
        }
      };
      return {
        // The first start reads files that later ones find in the system's cache.
        warmUp: async () => void (await start()),
        round: async () => ({ value: await start() }),
      };
    },
  });
}
