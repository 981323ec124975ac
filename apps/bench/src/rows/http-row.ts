import type { AnswerCheck } from '../answers.js';
import type { Contestant } from '../contestants.js';
import { httpLoad, verifyHttp } from '../http-load.js';
import { interleave } from '../interleave.js';
import type { Era, HttpMessage } from '../messages.js';
import type { Plan } from '../plan.js';
import { freePort, ServerProcess } from '../process.js';
import type { Cells } from '../row.js';
import { type Load, throughput, warmUp } from '../throughput.js';

/** The message of an HTTP row, and the contestants that receive it. */
export interface HttpRow {
  readonly contestants: readonly Contestant[];
  readonly tools: (contestant: Contestant) => number;
  /** How many processes serve the requests. @default 1 */
  readonly workers?: (contestant: Contestant) => number;
  /** @default 32 */
  readonly connections?: number;
  readonly message: (era: Era) => HttpMessage;
  readonly check: AnswerCheck;
  /** Returns the environment variables and the request headers for a server that requires authorization. */
  readonly authorize?: (
    contestant: Contestant,
    url: string,
  ) => Promise<Record<'env' | 'headers', Readonly<Record<string, string>>>>;
}

/** Measures one message over HTTP with every contestant. */
export function measureHttp(
  plan: Plan,
  { contestants, tools, workers = () => 1, connections = 32, message, check, authorize }: HttpRow,
): Promise<Cells> {
  return interleave({
    contestants,
    rounds: plan.rounds,
    script: (contestant) => contestant.http,
    open: async (contestant, script) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/mcp`;
      const authorized = await authorize?.(contestant, url);
      const server = new ServerProcess({
        script,
        args: ['--http', '--port', String(port)],
        env: { TOOLS: String(tools(contestant)), WORKERS: String(workers(contestant)), ...authorized?.env },
        cores: plan.cores.server,
      });
      const { headers, body } = message(contestant.era);
      const sent: HttpMessage = { headers: { ...headers, ...authorized?.headers }, body };
      let load: Load = () => Promise.reject(new Error('not warmed up'));
      return {
        warmUp: async () => {
          await server.listening(port);
          load = httpLoad(url, sent, connections, await verifyHttp(url, sent, check));
          // Each slice opens connections anew, which go to one worker after another.
          await warmUp(server, load, plan.warmUpMs * workers(contestant));
        },
        round: () => throughput(server, load, plan.roundMs),
        close: () => server.stop(),
      };
    },
  });
}
