import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { post } from './modern-http.js';
import { type RunningWorker, startWorker, WORKERD } from './frameworks/workerd.js';
import { call, META, parcelsProject, type Report, RUNTIMES } from './built-parcels.js';
import { EVERYTHING, freePort, INVENTORY, ServerProcess, endProcesses, until } from './processes.js';
import { sigil } from './sigil-command.js';

// Each builds a program, or several, and the machine may be busy.
jest.setTimeout(180_000);

const { home, project, build } = parcelsProject();

const line = { sku: 'TNT-1002', pieces: 2 };
/** Requests whose arguments are right and wrong in the ways that schemas and rules know. */
const REQUESTS: readonly { readonly method: string; readonly params?: object }[] = [
  { method: 'tools/list' },
  { method: 'prompts/list' },
  { method: 'tasks/get', params: { taskId: 'x' } },
  call('order', { lines: [line], zone: 'home' }),
  call('order', {
    lines: [line],
    zone: 'europe',
    mail: 'ada@example.com',
    words: 'as soon as possible',
    code: 'x',
  }),
  call('order', { lines: [], zone: 'moon', mail: 'ada', words: 'As', code: 5, extra: true }),
  call('order', { lines: [{ sku: 'x', pieces: 3 }, null, { pieces: '2' }], zone: 'home' }),
  call('order', { lines: [line], zone: 'home', mark: { kind: 'note', text: 'hello' } }),
  call('order', { lines: [line], zone: 'home', mark: { kind: 'note', text: 'hello you' } }),
  call('order', { lines: [line], zone: 'home', mark: { kind: 'seal' }, secret: 'x' }),
  call('order', { lines: [{ sku: 'TNT-1002', pieces: 3 }], zone: 'home' }),
  call('order', {}),
  call('add', { a: 1, b: 2 }),
  call('add', { a: -1, b: 'two' }),
  { method: 'resources/read', params: { uri: 'parcels://41' } },
  { method: 'resources/read', params: { uri: 'parcels://many' } },
  { method: 'prompts/get', params: { name: 'offer', arguments: { sku: 'TNT-1002', pieces: '2' } } },
  { method: 'prompts/get', params: { name: 'offer', arguments: { sku: 'TNT', pieces: 'two' } } },
];
const LEARNING = [call('learn', { name: 'count' }), call('count', { count: 5 }), call('count', { count: 1 })];

/** What a program answers over stdio, one request after the other. */
async function answersOf(
  script: string,
  requests: readonly { readonly method: string; readonly params?: object }[],
  nodeArgs: readonly string[] = [],
): Promise<unknown[]> {
  const [first = script, ...others] = [...nodeArgs, script];
  const server = new ServerProcess(first, others);
  const answers: unknown[] = [];
  for (const [id, { method, params }] of requests.entries()) {
    server.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
    const answer = (): Record<string, unknown> | undefined =>
      server.messages().find((message) => message['id'] === id);
    await until(() => answer() !== undefined);
    answers.push(answer()?.['result'] ?? answer()?.['error']);
  }
  server.child.stdin.end();
  await server.ended;
  return answers;
}

afterAll(async () => {
  await endProcesses();
  rmSync(home, { recursive: true, force: true });
});

describe.each(['app.mjs', 'app.js'])('a program that was built into %s', (name) => {
  const built = join(project, 'dist', name);
  const alone = join(home, name);
  let report: Report;
  let expected: unknown[];

  beforeAll(async () => {
    const { stdout, stderr } = await build('main.js', name, '--json');
    expect(stderr).toBe('');
    report = JSON.parse(stdout) as Report;
    expected = await answersOf(join(project, 'dist/main.js'), [...REQUESTS, ...LEARNING]);
  });

  test('tells what it contains', () => {
    expect(report.apps.map(({ tools }) => tools)).toEqual([['order', 'add', 'learn']]);
    expect(report.rules).toEqual(
      'ArrayMinSize IsEmail IsIn IsInt IsOptional IsString Length Matches Min ValidateNested registerDecorator'.split(
        ' ',
      ),
    );
    expect(report.external).toEqual([]);
    expect(report.validators).toBeGreaterThanOrEqual(5);
  });

  test('answers as it did, with nothing installed beside it', async () => {
    for (const path of [`dist/${name}`, 'data/zones.json', ...(name === 'app.js' ? ['package.json'] : [])]) {
      mkdirSync(dirname(join(alone, path)), { recursive: true });
      copyFileSync(join(project, path), join(alone, path));
    }
    expect(await answersOf(join(alone, 'dist', name), [...REQUESTS, ...LEARNING])).toEqual(expected);
  });

  test('compiles nothing that was known when it was built', async () => {
    // Nothing could be compiled here, and what is not known is interpreted.
    const flags = ['--disallow-code-generation-from-strings'];
    expect(await answersOf(built, [...REQUESTS, ...LEARNING], flags)).toEqual(expected);
  });

  test('serves HTTP, with several processes', async () => {
    const port = await freePort();
    const server = new ServerProcess(built, ['--http', '--port', String(port), '--workers', '2']);
    const url = `http://127.0.0.1:${port}/mcp`;
    await until(
      async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok === true,
    );
    expect(await post(url, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ type: 'text', text: '3' }],
    });
    server.child.kill('SIGTERM');
    await server.ended;
  });

  test('gives its manifest', async () => {
    const [told, plain] = await Promise.all([
      sigil('manifest', built),
      sigil('manifest', join(project, 'dist/main.js')),
    ]);
    expect(told).toEqual(plain);
  });
});

for (const { target, program, args } of RUNTIMES) {
  (program === undefined ? test.skip : test)(
    `a program that was built for ${target} answers as in Node`,
    async () => {
      const file = join(project, `dist/app-${target}.mjs`);
      expect((await build('main.js', `app-${target}.mjs`, '--target', target)).code).toBe(0);
      const input = REQUESTS.map(({ method, params }, id) =>
        JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } }),
      );
      const output = execFileSync(program ?? '', [...args, file], {
        input: `${input.join('\n')}\n`,
        encoding: 'utf8',
      });
      const messages = output
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as { id: number; result?: unknown; error?: unknown })
        .sort((one, other) => one.id - other.id);
      const plain = await answersOf(join(project, 'dist/main.js'), REQUESTS);
      expect(messages.map(({ result, error }) => result ?? error)).toEqual(plain);
    },
  );
}

test('leaves nothing behind but the file and its map', async () => {
  await build('main.js', 'only/app.mjs');
  expect(readdirSync(join(project, 'dist/only'))).toEqual(['app.mjs', 'app.mjs.map']);
});

test('refuses wrong definitions, with their place and what to do', async () => {
  const { code, stderr } = await build('wrong.js', 'wrong.mjs');
  expect(code).toBe(1);
  expect(stderr).toMatch(/Wrong\.broken[^]*Fix: [^]*\[SIGIL_INVALID_NAME\]/);
  expect(existsSync(join(project, 'dist/wrong.mjs'))).toBe(false);
});

test.each([
  [
    'a target there is not',
    ['--target', 'toaster'],
    /--target must be one of node, worker, lambda, deno, bun, not 'toaster'/,
  ],
  ['a program there is not', [], /there is no file \S*nothing\.js/],
])('refuses %s', async (_, args, message) => {
  const { code, stderr } = await build('nothing.js', 'nothing.mjs', ...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test.each([
  ['a module of the program', 'dist/order.js', /the file exists, but sigil build did not write it/],
  ['a source', 'src/main.ts', /a bundle is an ES module: use a file name that ends in \.mjs/],
  ['the package', 'package.json', /a bundle is an ES module: use a file name that ends in \.mjs/],
  ['a folder', 'dist', /a bundle is an ES module: use a file name that ends in \.mjs/],
  ['a folder with such a name', 'folder.mjs', /this is a folder: use the path of a file in it/],
])('refuses to overwrite %s', async (_, path, message) => {
  const file = join(project, path);
  mkdirSync(join(project, 'folder.mjs'), { recursive: true });
  if (path === 'dist/order.js') writeFileSync(file, 'export {};');
  const before = statSync(file).mtimeMs;
  const { code, stderr } = await build('main.js', join('..', path));
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(statSync(file).mtimeMs).toBe(before);
  expect(existsSync(`${file}.map`)).toBe(false);
});

test('leaves the previous file when the new one behaves differently from the program', async () => {
  const file = join(project, 'dist/kept.mjs');
  expect((await build('main.js', 'kept.mjs')).code).toBe(0);
  const before = readFileSync(file, 'utf8');
  const { code, stderr } = await build('wrong.js', 'kept.mjs');
  expect([code, stderr]).toEqual([1, expect.stringContaining('SIGIL_INVALID_NAME')]);
  writeFileSync(
    join(project, 'dist/differs.js'),
    `import { createApp, defineTool } from '@sigil/core';
     const name = process.argv[1].endsWith('kept.mjs') ? 'built' : 'plain';
     const definitions = [defineTool({ name, handle: () => name })];
     await (await createApp({ name: 'differs', version: '1.0.0', definitions })).run();`,
  );
  const other = await build('differs.js', 'kept.mjs');
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('kept.mjs behaves differently from the program'),
  ]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('names a file that cannot be written, and ends', async () => {
  const { code, stderr } = await sigil('build', INVENTORY, '--out', '/proc/none/app.mjs');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/proc\/none\/app\.mjs cannot be written: ENOENT/),
  ]);
});

test.each([
  ['the inventory', INVENTORY, ['--external', 'node-sqlite3-wasm']],
  ['the app that shows every feature', EVERYTHING, []],
])('builds %s to the same manifest', async (_, script, args) => {
  const out = script.replace(/main\.js$/, `built-${process.pid}.mjs`);
  try {
    const { code, stderr } = await sigil('build', script, '--out', out, ...args);
    expect([code, stderr]).toEqual([0, '']);
    expect(await sigil('manifest', out)).toEqual(await sigil('manifest', script));
  } finally {
    for (const file of [out, `${out}.map`]) rmSync(file, { force: true });
  }
});

(WORKERD === undefined ? describe.skip : describe)('a worker that was built', () => {
  let worker: RunningWorker;

  beforeAll(async () => {
    const { code, stderr } = await build('worker.js', 'worker.mjs', '--target', 'worker');
    expect([code, stderr]).toEqual([0, '']);
    worker = await startWorker(join(project, 'dist/worker.mjs'));
  });

  afterAll(() => worker.program.kill());

  test('answers in workerd as the program does in Node', async () => {
    const [, , , ...asked] = REQUESTS;
    const answers = await Promise.all(
      asked.map(({ method, params }) =>
        // It throws the error that came as JSON.
        post(`${worker.origin}/mcp`, method, { ...params }).catch(
          (error: Error) => JSON.parse(error.message.slice(method.length + 2)) as unknown,
        ),
      ),
    );
    const plain = await answersOf(join(project, 'dist/main.js'), asked);
    expect(answers).toEqual(plain);
  });
});
