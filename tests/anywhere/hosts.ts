import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LambdaService } from '../e2e/frameworks/lambda-service.js';
import { startProgram } from '../e2e/frameworks/program.js';
import { startWorker } from '../e2e/frameworks/workerd.js';
import { sigil } from '../e2e/sigil-command.js';
import { bundleForEdge, compileAs, COMPILED } from './builds.js';
import type { Place } from './stacks.js';

/** What clients connect to, until it ends. */
export interface Hosted {
  readonly place: Place;
  end(): Promise<void>;
}

/** Where a server runs: on its own, within a framework, or on a platform. */
export interface Host {
  readonly name: string;
  /** Serves the story of `programs`. */
  start(): Promise<Hosted>;
  /** Why sessions cannot be asked anything there. */
  readonly asksNoSessions?: string;
}

const MAIN = join(COMPILED, 'main.js');
const KINDS = { es6: 'ES module', commonjs: 'CommonJS' } as const;

const overStdio = (program: string): Hosted => ({
  place: { command: process.execPath, args: [program] },
  end: () => Promise.resolve(),
});

/** Starts a program that prints where it serves. */
async function overHttp(program: string, ...args: string[]): Promise<Hosted> {
  const running = startProgram(process.execPath, [program, ...args]);
  return { place: { url: await running.line('http://') }, end: () => running.kill() };
}

async function inLambda(module: string): Promise<Hosted> {
  const service = await new LambdaService({ module, env: {}, timeoutMs: 30_000 }).start();
  return { place: { url: `${service.origin}/mcp` }, end: () => service.stop() };
}

/** Has `sigil build` make one file of the program, and puts it where nothing else is. */
async function built(folder: string): Promise<string> {
  const file = join(COMPILED, 'app.mjs');
  const { code, stderr } = await sigil('build', MAIN, '--out', file);
  if (code !== 0) throw new Error(stderr);
  await copyFile(file, join(folder, 'app.mjs'));
  return join(folder, 'app.mjs');
}

const inBothKinds = (
  name: string,
  start: (type: keyof typeof KINDS) => Promise<Hosted>,
  more: Partial<Host> = {},
): Host[] =>
  (['es6', 'commonjs'] as const).map((type) => ({
    name: `${name}, ${KINDS[type]}`,
    start: () => start(type),
    ...more,
  }));

const framework = (name: string, program: string): Host[] =>
  inBothKinds(name, async (type) => overHttp(await compileAs(type, program)));

/**
 * All of them.
 *
 * @param folder an empty one, outside of the project.
 */
export const hostsWith = (folder: string): readonly Host[] => [
  { name: '`app.run()` over stdio', start: () => Promise.resolve(overStdio(MAIN)) },
  { name: '`app.run()` over HTTP', start: () => overHttp(MAIN, '--http', '--port', '0') },
  ...framework('Express', 'express'),
  ...framework('Fastify', 'fastify'),
  ...framework('Hono', 'hono'),
  ...framework('Nest', 'nest'),
  ...inBothKinds('Lambda', async (type) => inLambda(await compileAs(type, 'lambda')), {
    asksNoSessions: 'an answer in one piece has no place for a question',
  }),
  {
    name: 'Workers (workerd)',
    async start() {
      const { origin, program } = await startWorker(await bundleForEdge('worker', 'workerd'));
      return { place: { url: `${origin}/mcp` }, end: () => program.kill() };
    },
  },
  { name: 'a built file over stdio', start: async () => overStdio(await built(folder)) },
  {
    name: 'a built file over HTTP',
    start: async () => overHttp(await built(folder), '--http', '--port', '0'),
  },
];
