import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Feature } from '../e2e/frameworks/framework.js';
import { HOSTS } from '../e2e/frameworks/hosts.js';
import { NEXT_ITSELF, startNext } from '../e2e/frameworks/next-project.js';
import { NODE_FRAMEWORKS } from '../e2e/frameworks/node-frameworks.js';
import { programOf, startProgram } from '../e2e/frameworks/program.js';
import { WEB_FRAMEWORKS } from '../e2e/frameworks/web-frameworks.js';
import {
  buildWithNext,
  BUNDLERS,
  bundleForEdge,
  type Compile,
  COMPILED,
  COMPILERS,
  compileByVite,
  compileStory,
  installed,
  type Program,
  removeBundles,
  sources,
} from './builds.js';
import { checkAdding, checkStory } from './checks.js';
import { Found } from './found.js';
import { at, besides, type Command, overHttp, overStdio, type Running } from './programs.js';

const PAGE = 'docs/guide/deployment.md';
const found = new Found();

// Builds and starts processes, on machines that others use.
jest.setTimeout(60_000);

/** Tries a cell, and notes what becomes of it. */
async function tried(
  [table, columns, row, column]: readonly [string, readonly string[], string, string],
  start: () => Promise<Running>,
  check: (running: Running) => Promise<void>,
): Promise<void> {
  found.note(table, columns, row, column, 'fails');
  const running = await start();
  try {
    await check(running);
    found.note(table, columns, row, column, 'yes');
  } finally {
    await running.end();
  }
}

beforeAll(compileStory);
afterAll(removeBundles);

const TRANSPORTS = ['over HTTP', 'over stdio'] as const;
const over = (transport: string, command: Command): Promise<Running> =>
  transport === 'over HTTP' ? overHttp(command) : overStdio(command);
const main = `${COMPILED}/main.js`;

describe('a program in the runtime', () => {
  const node = (version: number): Command => [installed(`node${version}/bin/node`)];
  const RUNTIMES: Readonly<Record<string, Command>> = {
    'Node 20': node(20),
    'Node 22': node(22),
    'Node 24': node(24),
    'Node 26': node(26),
    Bun: [programOf('@oven/bun-linux-x64', 'bin/bun') ?? 'bun'],
    Deno: [
      programOf('@deno/linux-x64-glibc', 'deno') ?? 'deno',
      'run',
      '--allow-all',
      '--no-lock',
      '--node-modules-dir=manual',
    ],
  };
  const cells = Object.entries(RUNTIMES).flatMap(([name, command]) =>
    TRANSPORTS.map((transport) => ({ name, transport, command })),
  );

  test.each(cells)('$name serves $transport', ({ name, transport, command }) =>
    tried(['runtime', TRANSPORTS, name, transport], () => over(transport, [...command, main]), checkStory),
  );

  const onEdge = (name: string, start: () => Promise<Running>): Promise<void> => {
    found.note('runtime', TRANSPORTS, name, 'over stdio', 'has none');
    return tried(['runtime', TRANSPORTS, name, 'over HTTP'], start, checkStory);
  };

  test('workerd serves over HTTP', () =>
    onEdge('Workers (workerd)', async () => {
      const file = await bundleForEdge('worker', 'workerd');
      const config = `${dirname(file)}/config.capnp`;
      await writeFile(
        config,
        `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "${basename(file)}")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`,
      );
      const program = programOf('@cloudflare/workerd-linux-64', 'bin/workerd') ?? 'workerd';
      const running = startProgram(program, ['serve', config, '--control-fd=3'], {}, { from: 3 });
      const { port } = JSON.parse(await running.line('{"event":"listen"')) as { port: number };
      return at(`http://127.0.0.1:${port}/mcp`, () => running.kill());
    }));

  test('edge-runtime serves over HTTP', () =>
    onEdge('Edge functions (edge-runtime)', async () => {
      const bundle = await bundleForEdge('edge', 'edge-light');
      const running = startProgram(process.execPath, [resolve('tests/anywhere/edge-server.mjs'), bundle]);
      const origin = await running.line('http://');
      return at(new URL('/mcp', origin).href, () => running.kill());
    }));
});

describe('a program in one bundle', () => {
  describe.each(Object.entries(BUNDLERS))('by %s', (name, bundle) => {
    let program = '';
    beforeAll(async () => {
      for (const transport of TRANSPORTS) found.note('bundler', TRANSPORTS, name, transport, 'fails');
      program = await bundle();
    });

    test.each(TRANSPORTS)('serves %s', (transport) =>
      tried(
        ['bundler', TRANSPORTS, name, transport],
        () => over(transport, [process.execPath, program]),
        checkStory,
      ),
    );
  });

  test('by Next, with Turbopack, serves over HTTP', () => {
    found.note('bundler', TRANSPORTS, 'Next (Turbopack)', 'over stdio', 'has none');
    return tried(
      ['bundler', TRANSPORTS, 'Next (Turbopack)', 'over HTTP'],
      async () => {
        const { origin, close } = await startNext(await buildWithNext());
        return at(`${origin}/mcp`, close);
      },
      checkStory,
    );
  }, 180_000);
});

describe('a program that is compiled', () => {
  const KINDS = {
    'decorators and the types of parameters': 'main',
    'decorators without types': 'untyped',
    'standard decorators': 'standard',
    'functions alone': 'functions',
  } as const satisfies Record<string, Program>;
  const COLUMNS = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const LEGACY = { experimentalDecorators: true, emitDecoratorMetadata: true };
  const node: Command = [process.execPath];
  const tsx: Command = [process.execPath, '--import', pathToFileURL(installed('tsx/dist/loader.mjs')).href];
  const node24: Command = [installed('node24/bin/node')];

  /** What a compiler does, and by which command its programs are started. */
  const compilers: readonly (readonly [
    name: string,
    compile: (kind: Program) => Compile,
    command: Command,
    refused: Readonly<Partial<Record<Program, RegExp>>>,
  ])[] = [
    ['tsc', () => COMPILERS['tsc'] as Compile, node, {}],
    ['SWC', () => COMPILERS['SWC'] as Compile, node, {}],
    ['esbuild', () => COMPILERS['esbuild'] as Compile, node, { main: /SIGIL_MISSING_METADATA/ }],
    [
      'tsx',
      (kind) => (kind === 'standard' ? sources('tsx-standard', {}) : sources('tsx', LEGACY)),
      tsx,
      { main: /SIGIL_MISSING_METADATA/ },
    ],
    ['Vite 8', (kind) => compileByVite(kind === 'standard' ? {} : LEGACY), node, { standard: /SyntaxError/ }],
    [
      'Babel',
      () => COMPILERS['Babel'] as Compile,
      node,
      { main: /cannot be used to decorate parameters/, untyped: /cannot be used to decorate parameters/ },
    ],
    [
      'Node 24, without a compiler',
      // It imports files by the names that they have.
      () => (program) => sources('stripped', {})(program === 'main' ? 'story' : program),
      node24,
      { main: /SyntaxError/, untyped: /SyntaxError/, standard: /SyntaxError/ },
    ],
  ];
  const cells = compilers.flatMap(([name, compile, command, refused]) =>
    COLUMNS.map((column) => ({ name, compile, command, column, refused: refused[KINDS[column]] })),
  );

  test.each(cells.filter(({ refused }) => !refused))(
    'by $name runs: $column',
    async ({ name, compile, command, column }) => {
      const kind = KINDS[column];
      found.note('compiler', COLUMNS, name, column, 'fails');
      const program = await compile(kind)(kind);
      const check = kind === 'main' ? checkStory : checkAdding;
      for (const transport of TRANSPORTS)
        await tried(['compiler', COLUMNS, name, column], () => over(transport, [...command, program]), check);
    },
  );

  test.each(cells.filter(({ refused }) => refused))(
    'by $name does not start, and says why: $column',
    async ({ name, compile, command, column, refused }) => {
      const kind = KINDS[column];
      found.note('compiler', COLUMNS, name, column, 'fails');
      const said = await compile(kind)(kind).then(
        (program) => refusalOf([...command, program]),
        (error: Error) => error.message,
      );
      expect(said).toMatch(refused as RegExp);
      found.note('compiler', COLUMNS, name, column, 'refused');
    },
  );
});

async function refusalOf([program, ...args]: Command): Promise<string> {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(program, args, {
    env: { ...env, ...besides(args) },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return said;
}

test(`${PAGE} says what was found; WRITE=1 npm run test:anywhere writes it`, () =>
  found.compareWith(PAGE, frameworks()));

/** The features as the page names them. */
const FEATURES: Readonly<Record<Feature, string>> = {
  'official clients': 'the official clients',
  'a final slash': 'a slash at the end of the path',
  streams: 'messages before the answer',
  'streams at once': 'messages that arrive while the call still runs',
  listening: 'the GET stream of a session',
  questions: 'questions during a call in a session',
  cancelling: 'cancelling by closing the stream',
  'cancelling before a stream': 'cancelling by disconnecting before a stream begins',
  closing: 'finishing the running calls before the server closes',
};

/** What the contract of tests/e2e/frameworks runs on, with `npm run test:all`, and what it leaves out there. */
function frameworks(): string {
  const all = [...NODE_FRAMEWORKS, ...WEB_FRAMEWORKS, NEXT_ITSELF, ...HOSTS];
  const whole = all.filter(({ lacks = {} }) => Object.keys(lacks).length === 0).map(({ name }) => name);
  const lacking = all.flatMap(({ name, lacks = {} }) => {
    const byReason = new Map<string, string[]>();
    for (const [feature, reason] of Object.entries(lacks))
      byReason.set(reason, [...(byReason.get(reason) ?? []), FEATURES[feature as Feature]]);
    const parts = [...byReason].map(([reason, features]) => `${features.join(', ')} (${reason})`);
    return parts.length === 0 ? [] : [`- ${name}: ${parts.join('; ')}`];
  });
  return [
    'These frameworks and runtimes pass all tests of the framework suite:',
    whole.map((name) => `- ${name}`).join('\n'),
    'The framework suite omits the tests of these features:',
    lacking.join('\n'),
  ].join('\n\n');
}
