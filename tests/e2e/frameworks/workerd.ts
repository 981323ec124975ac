import { type Program, programOf, startProgram } from './program.js';

/** The runtime of Workers, where it is installed. */
export const WORKERD: string | undefined = programOf('@cloudflare/workerd-linux-64', 'bin/workerd');

/** A worker that serves, in a process of its own. */
export interface RunningWorker {
  readonly program: Program;
  /** Where it serves, such as `http://127.0.0.1:40001`. */
  readonly origin: string;
}

/**
 * Starts workerd.
 *
 * @param config the file that says what it serves, whose one socket is called `http`: it gets a free port of this machine.
 * @param objects the folder for what Durable Objects keep, where the file has a service `objects`.
 */
export async function startWorkerd(config: string, objects?: string): Promise<RunningWorker> {
  const args = ['serve', config, '--socket-addr', 'http=127.0.0.1:0', '--control-fd=3'];
  if (objects !== undefined) args.push('--directory-path', `objects=${objects}`);
  const program = startProgram(WORKERD ?? '', args, {}, { from: 3 });
  const { port } = JSON.parse(await program.line('{"event":"listen"')) as { port: number };
  return { program, origin: `http://127.0.0.1:${port}` };
}
