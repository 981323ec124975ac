import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchHandler } from '@sigil/http/fetch';
import { build, type BuildOptions } from 'esbuild';
import type { Era, Message } from '../contract/client.js';
import { HttpClient } from '../contract/http-client.js';
import { createOrders } from './fixtures/orders.js';
import { type Program, startProgram } from './frameworks/program.js';
import { startWorker, WITHOUT_NODE, WORKERD } from './frameworks/workerd.js';

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
const PROGRAM = `
import { http } from '@sigil/http';
import { createOrders } from './orders.ts';

const app = await createOrders();
const { address } = await app.run(http({ port: 0 }));
console.log(address);
`;
const running: Program[] = [];
const made = { folder: '' };

beforeAll(async () => {
  made.folder = await mkdtemp(join(tmpdir(), 'no-code-'));
});

afterAll(async () => {
  await Promise.all(running.map((program) => program.kill()));
  await rm(made.folder, { recursive: true });
});

async function agree(address: string): Promise<void> {
  for (const era of ['legacy', 'modern'] as const) {
    const all = await answers(await greet(era, address));
    expect(all.map(inAnyOrder)).toEqual((await expected(era)).map(inAnyOrder));
    expect(JSON.stringify(all)).not.toContain('does not compile');
  }
}

/** An answer, with the lines of its texts sorted: cfworker finds problems in another order. */
function inAnyOrder(answer: unknown): unknown {
  const text = JSON.stringify(answer, (_, value: unknown) =>
    typeof value === 'string' ? value.split('\n').sort().join('\n') : value,
  );
  return JSON.parse(text);
}

test('where code is made of text, values are checked', async () => {
  const texts = (await expected('legacy')).map((answer) => JSON.stringify(answer));
  expect(texts.slice(0, REQUESTS.length + URIS.length)).toMatchSnapshot();
});

test('Node answers the same when it is forbidden', async () => {
  const file = join(made.folder, 'program.mjs');
  const inputs = await bundle(PROGRAM, file, { platform: 'node' });
  expect(inputs.some((path) => path.endsWith('/ajv/dist/ajv.js'))).toBe(true);
  const program = startProgram(process.execPath, ['--disallow-code-generation-from-strings', file]);
  running.push(program);
  await agree(await program.line('http'));
});

test('the bundle of a worker has no ajv, and needs nothing of Node', async () => {
  const inputs = await bundle(WORKER, join(made.folder, 'worker.js'), WITHOUT_NODE);
  // The meta-schemas are standalone code, which calls one function of ajv's runtime.
  expect(inputs.filter((path) => /\/ajv\/dist\/(?!runtime\/)/.test(path))).toEqual([]);
  const text = await readFile(join(made.folder, 'worker.js'), 'utf8');
  expect(text).not.toMatch(/\bnew Function\b/);
});

(WORKERD === undefined ? test.skip : test)('workerd answers the same', async () => {
  const file = join(made.folder, 'worker.js');
  await bundle(WORKER, file, WITHOUT_NODE);
  const { program, origin } = await startWorker(file);
  running.push(program);
  await agree(`${origin}/mcp`);
});
