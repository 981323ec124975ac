import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchHandler } from '@sigil/http/fetch';
import { build, type BuildOptions } from 'esbuild';
import type { Era, Message } from '../contract/client.js';
import { HttpClient } from '../contract/http-client.js';
import { createOrders } from './fixtures/orders.js';

const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** Requests whose arguments are right and wrong in every way that schemas know. */
const REQUESTS: readonly (readonly [method: string, name: string, args: Record<string, unknown>])[] = [
  ['tools/call', 'order', { lines: [{ sku: 'TNT-1002', pieces: 3 }], by: 'post' }],
  [
    'tools/call',
    'order',
    {
      lines: [
        { sku: 'TNT-1002', pieces: 3 },
        { sku: 'BAG-0001', pieces: 1 },
      ],
      by: 'courier',
      until: '2026-07-28',
    },
  ],
  ['tools/call', 'order', {}],
  ['tools/call', 'order', { lines: [], by: 'train', extra: 1, until: 'soon', mail: 'ada@example.com' }],
  [
    'tools/call',
    'order',
    { lines: [{ sku: 'tnt', pieces: 0.5 }, null, { pieces: '3' }, {}], by: 'post', mail: 'ada' },
  ],
  ['tools/call', 'find', { text: 'red tents', where: 'open', tags: ['new'] }],
  ['tools/call', 'find', { text: 'red tents', where: { since: 1 } }],
  ['tools/call', 'find', { text: 'Red', where: { since: 'x' }, tags: ['new', 'new', 'old'], more: true }],
  ['tools/call', 'find', { text: `${'a'.repeat(29)}!`, where: 3 }],
  ['tools/call', 'find', { text: 'nothing' }],
  ['prompts/get', 'offer', { sku: 'TNT-1002', pieces: '4' }],
  ['prompts/get', 'offer', { sku: 'TNT-1002', pieces: 'four' }],
];
const URIS = ['orders://7', 'orders://0', 'orders://seven'];

/** Everything an app answers, and what it lists. */
async function answers(client: HttpClient): Promise<unknown[]> {
  const asked = [
    ...REQUESTS.map(([method, name, args]) => client.start(method, { name, arguments: args })),
    ...URIS.map((uri) => client.start('resources/read', { uri })),
    client.start('tools/list'),
  ];
  const messages = await Promise.all(asked.map(({ response }) => response));
  return messages.map((message: Message | undefined) => message?.result ?? message?.error);
}

async function greet(era: Era, address: string, fetch?: typeof globalThis.fetch): Promise<HttpClient> {
  const [close, answer] = [() => Promise.resolve(), () => ({})];
  return new HttpClient(era, address, close, answer, fetch).greet();
}

/** What an app answers here, where schemas are compiled. */
async function expected(era: Era): Promise<unknown[]> {
  const app = await createOrders();
  const handler = fetchHandler(app);
  const client = await greet(era, 'http://127.0.0.1/mcp', (url, init) =>
    handler(new Request(url as string, init)),
  );
  const all = await answers(client);
  await app.close();
  return all;
}

/** Bundles a program as its users do. @returns the sources that went into it. */
async function bundle(contents: string, outfile: string, options: BuildOptions): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: FIXTURES, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    logLevel: 'error',
    ...options,
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
}

const WORKER = `
import { fetchHandler } from '@sigil/http/fetch';
import { createOrders } from './orders.ts';

const app = await createOrders();
export default { fetch: fetchHandler(app) };
`;
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
const PROGRAM = `
import { http } from '@sigil/http';
import { createOrders } from './orders.ts';

const app = await createOrders();
const { address } = await app.run(http({ port: 0 }));
console.log(JSON.stringify({ address }));
`;
const NEUTRAL: BuildOptions = {
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
};

/** Cloudflare's runtime, where it is installed: there is one for few platforms. */
function workerd(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('@cloudflare/workerd-linux-64/package.json');
    const program = join(dirname(manifest), 'bin/workerd');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

const WORKERD = workerd();
const children: ChildProcess[] = [];
const made = { folder: '' };

beforeAll(async () => {
  made.folder = await mkdtemp(join(tmpdir(), 'no-code-'));
});

afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
  await rm(made.folder, { recursive: true });
});

/** Starts a program that writes where it listens, as JSON in a line of its own. @param from the stream it writes to. */
async function start(
  program: string,
  args: readonly string[],
  from: 1 | 3,
): Promise<Record<string, unknown>> {
  // What Jest needs of Node is not for others.
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  children.push(child);
  for await (const line of createInterface(child.stdio[from] as Readable))
    return JSON.parse(line) as Record<string, unknown>;
  throw new Error(`${program} ended before it listened`);
}

async function agree(address: string): Promise<void> {
  for (const era of ['legacy', 'modern'] as const) {
    const all = await answers(await greet(era, address));
    expect(all).toEqual(await expected(era));
    expect(JSON.stringify(all)).not.toContain('does not compile');
  }
}

test('where code is made of text, values are checked', async () => {
  const texts = (await expected('legacy')).map((answer) => JSON.stringify(answer));
  expect(texts.slice(0, REQUESTS.length + URIS.length)).toMatchSnapshot();
});

test('Node answers the same when it is forbidden', async () => {
  const file = join(made.folder, 'program.mjs');
  const inputs = await bundle(PROGRAM, file, { platform: 'node' });
  expect(inputs.some((path) => path.includes('/ajv-'))).toBe(true);
  const { address } = await start(process.execPath, ['--disallow-code-generation-from-strings', file], 1);
  await agree(address as string);
});

test('the bundle of a worker has no ajv, and needs nothing of Node', async () => {
  const inputs = await bundle(WORKER, join(made.folder, 'worker.js'), NEUTRAL);
  expect(inputs.filter((path) => /(?:ajv|2019|2020)-/.test(path))).toEqual([]);
  const text = await readFile(join(made.folder, 'worker.js'), 'utf8');
  expect(text).not.toMatch(/\bnew Function\b/);
});

(WORKERD === undefined ? test.skip : test)('workerd answers the same', async () => {
  await bundle(WORKER, join(made.folder, 'worker.js'), NEUTRAL);
  const config = join(made.folder, 'config.capnp');
  await writeFile(config, CONFIG);
  const { port } = await start(WORKERD ?? '', ['serve', config, '--control-fd=3'], 3);
  await agree(`http://127.0.0.1:${String(port)}/mcp`);
});
