import type { AnswerCheck } from '../answers.js';
import type { Contestant } from '../contestants.js';
import { httpLoad, verifyHttp } from '../http-load.js';
import { interleave } from '../interleave.js';
import type { Era, HttpMessage } from '../messages.js';
import type { Plan } from '../plan.js';
import { freePort, ServerProcess } from '../process.js';
import type { Cells } from '../row.js';
import { type Load, throughput, warmUp } from '../throughput.js';

/** What an HTTP row sends, and to whom. */
export interface HttpRow {
  readonly contestants: readonly Contestant[];
  readonly tools: (contestant: Contestant) => number;
  readonly message: (era: Era) => HttpMessage;
  readonly check: AnswerCheck;
}

/** Measures one message over HTTP at every contestant. */
export function measureHttp(plan: Plan, { contestants, tools, message, check }: HttpRow): Promise<Cells> {
  return interleave({
    contestants,
    rounds: plan.rounds,
    script: (contestant) => contestant.http,
    open: async (contestant, script) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/mcp`;
      const server = new ServerProcess({
        script,
        args: ['--http', '--port', String(port)],
        env: { TOOLS: String(tools(contestant)) },
        cores: plan.cores.server,
      });
      const sent = message(contestant.era);
      let load: Load = () => Promise.reject(new Error('not warmed up'));
      return {
        warmUp: async () => {
          await server.listening(port);
          load = httpLoad(url, sent, await verifyHttp(url, sent, check));
          await warmUp(server, load, plan.warmUpMs);
        },
        round: () => throughput(server, load, plan.roundMs),
        close: () => server.stop(),
      };
    },
  });
}
