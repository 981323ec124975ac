import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { type Program, programOf, startProgram } from './program.js';

/** The runtime of Workers, where it is installed. */
export const WORKERD: string | undefined = programOf('@cloudflare/workerd-linux-64', 'bin/workerd');

/** How esbuild bundles for it, and for other platforms without Node. */
export const WITHOUT_NODE: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  logLevel: 'error',
};

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

/**
 * Starts a worker that is one file, with a configuration beside it.
 *
 * @param settings what its configuration says beyond what every worker needs, such as bindings.
 * @param objects the folder for what Durable Objects keep: `(localDisk = "objects")`.
 */
export async function startWorker(
  file: string,
  settings: readonly string[] = [],
  objects?: string,
): Promise<RunningWorker> {
  const disk = objects === undefined ? '' : ', (name = "objects", disk = (writable = true))';
  const worker = [
    `modules = [(name = "worker", esModule = embed "${basename(file)}")]`,
    'compatibilityDate = "2026-01-01"',
    ...settings,
  ];
  const config = `${file}.capnp`;
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (${worker.join(', ')}))${disk}],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  return startWorkerd(config, objects);
}
