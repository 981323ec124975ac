import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { sigil } from '../sigil-command.js';
import type { Framework, Served } from './framework.js';
import { LambdaService } from './lambda-service.js';
import { programOf, startProgram } from './program.js';
import { startWorker, WITHOUT_NODE, WORKERD } from './workerd.js';

const BUN = programOf('@oven/bun-linux-x64', 'bin/bun');
const DENO = programOf('@deno/linux-x64-glibc', 'deno');

/** What one instance at a time cannot do: it has no second request while the first one is open. */
const ONE_AT_A_TIME = {
  questions: 'an instance serves one request at a time, so another instance gets the answer',
  listening: 'an open stream occupies an instance, and causes costs as long as it is open',
  cancelling: 'Lambda does not tell a function that its client has disconnected',
  'cancelling before a stream': 'Lambda does not tell a function that its client has disconnected',
  closing: 'Lambda does not stop an instance during a request',
};

const IN_WORKERD = {
  'cancelling before a stream': 'workerd only notices a disconnected client when it sends data',
  closing: 'Cloudflare stops a worker without a notice',
};
const IN_ONE_PIECE = {
  ...ONE_AT_A_TIME,
  'streams at once': 'Lambda sends the answer only when it is complete',
};

/** Runtimes that serve apps in a process of their own, as far as they are installed here. */
export const HOSTS: readonly (Framework & { readonly missing?: string })[] = [
  host('Bun', BUN, (program) => served(program, ['run'], 'bun')),
  host('Deno', DENO, (program) =>
    served(program, ['run', '--allow-all', '--no-lock', '--node-modules-dir=manual'], 'deno'),
  ),
  host('workerd, by @sigil/workers', WORKERD, () => inWorkerd(bundleWorker), IN_WORKERD),
  host(
    'AWS Lambda with buffered answers, by @sigil/lambda',
    process.execPath,
    () => inLambda('buffered', () => programFile('lambda')),
    IN_ONE_PIECE,
  ),
  host(
    'AWS Lambda with streamed answers, by @sigil/lambda',
    process.execPath,
    () => inLambda('streamed', () => programFile('lambda')),
    ONE_AT_A_TIME,
  ),
];

/** Those that run what `sigil build` writes for them. */
export const BUILT_HOSTS: typeof HOSTS = [
  host('workerd, by @sigil/workers, built', WORKERD, () => inWorkerd(buildWorker), IN_WORKERD),
  host(
    'AWS Lambda with buffered answers, by @sigil/lambda, built',
    process.execPath,
    () => inLambda('buffered', buildFunction),
    IN_ONE_PIECE,
  ),
  host(
    'AWS Lambda with streamed answers, by @sigil/lambda, built',
    process.execPath,
    () => inLambda('streamed', buildFunction),
    ONE_AT_A_TIME,
  ),
];

function host(
  name: string,
  program: string | undefined,
  serve: (program: string) => Promise<Served>,
  lacks: Framework['lacks'] = {},
): Framework & { readonly missing?: string } {
  if (program === undefined)
    return { name, missing: 'its package has no program for this platform', serve: () => serve('') };
  return { name, lacks, serve: () => serve(program) };
}

/** Writes a program into a file of its own, with what it imports of ours; packages are found where a user's program finds them. */
export async function programFile(name: string, options: BuildOptions = {}): Promise<string> {
  // Not in node_modules, where Deno takes a file for part of a package.
  const outfile = fileURLToPath(new URL(`./hosts/dist/${name}.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL(`./hosts/${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    ...options,
  });
  return outfile;
}

async function served(program: string, args: readonly string[], name: string): Promise<Served> {
  const running = startProgram(program, [...args, await programFile(name)]);
  const origin = await running.line('http://');
  return {
    origin,
    async close() {
      const code = await running.end();
      if (code !== 0) throw new Error(`${name} ended with ${code}`);
    },
  };
}

/** @param write writes the worker to a file. */
async function inWorkerd(write: (file: string) => Promise<unknown>): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'worker-'));
  const file = join(folder, 'worker.mjs');
  await write(file);
  const { program, origin } = await startWorker(file, [
    'compatibilityFlags = ["nodejs_compat", "enable_request_signal"]',
    'bindings = [(name = "GREETING", text = "Hello")]',
  ]);
  return {
    origin,
    async close() {
      await program.kill();
      await rm(folder, { recursive: true });
    },
  };
}

function bundleWorker(file: string): Promise<string> {
  return programFile('worker', { ...WITHOUT_NODE, outfile: file, packages: 'bundle', external: ['node:*'] });
}

async function buildWorker(file: string): Promise<string> {
  return built(await programFile('worker'), 'worker', file);
}

async function buildFunction(): Promise<string> {
  const program = await programFile('lambda');
  return built(program, 'lambda', program.replace(/\.mjs$/, '-built.mjs'));
}

/** Has `sigil build` write a program to a file. @returns the file. */
async function built(program: string, target: string, file: string): Promise<string> {
  const { code, stderr } = await sigil('build', program, '--target', target, '--out', file);
  if (code !== 0) throw new Error(stderr);
  return file;
}

/** @param write writes the function. @returns where. */
async function inLambda(mode: 'buffered' | 'streamed', write: () => Promise<string>): Promise<Served> {
  const module = await write();
  const service = await new LambdaService({ module, env: { MODE: mode }, timeoutMs: 30_000 }).start();
  return { origin: service.origin, close: () => service.stop() };
}
