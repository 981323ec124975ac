import { atMostValue } from '../budget.js';
import { sigil } from '../contestants.js';
import { interleave } from '../interleave.js';
import { ServerProcess } from '../process.js';
import type { Plan } from '../plan.js';
import type { Row } from '../row.js';
import { StdioClient } from '../stdio-load.js';

const MANY = 500;

/**
 * The time from the start of an app with 500 tools to its first answer, divided by this time for an app with one tool.
 * Each tool has its own two DTO classes. Half of the additional time is for class-validator's decorators. The rest is
 * for reading each class at start, so that mistakes are found before the first call.
 */
export const startMany: Row = {
  id: 'start-many',
  title: `start to first answer, ${MANY} tools (1 = one tool)`,
  unit: '×',
  budget: [atMostValue(1.6, '×')],
  contestants: [sigil],
  measure: (plan, contestants) =>
    interleave({
      contestants,
      rounds: plan.starts,
      script: () => 'server.js',
      open: (_, script) => ({
        // The first start reads files that later ones find in the system's cache.
        warmUp: async () => void (await start(plan, script, 1)),
        round: async () => {
          const one = await start(plan, script, 1);
          const many = await start(plan, script, MANY);
          return { value: many / one, note: `${Math.round(one)} ms, ${Math.round(many)} ms` };
        },
      }),
    }),
};

async function start({ cores }: Plan, script: string, tools: number): Promise<number> {
  const begin = performance.now();
  const server = new ServerProcess({ script, env: { TOOLS: String(tools) }, cores: cores.all });
  try {
    await new StdioClient(server, sigil.era).firstCall();
    return performance.now() - begin;
  } finally {
    await server.stop();
  }
}
