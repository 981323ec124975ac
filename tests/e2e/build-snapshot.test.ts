import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { post } from './modern-http.js';
import { endProcesses, freePort, ServerProcess, until } from './processes.js';
import { sigil } from './sigil-command.js';

jest.setTimeout(180_000);

const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-snapshot-')));
const blob = join(project, 'shop.blob');

const SHOP = `
  import { createApp, defineTool } from '@sigil/core';
  import { http } from '@sigil/http';
  import { IsInt, Max, Min } from 'class-validator';
  import { randomUUID } from 'node:crypto';

  class Order { pieces; }
  Reflect.defineMetadata('design:type', Number, Order.prototype, 'pieces');
  for (const rule of [IsInt(), Min(1), Max(9)]) rule(Order.prototype, 'pieces');

  const loadedAt = Date.now();
  const names = ['b', 'a'].toSorted();
  const order = defineTool({
    name: 'order', description: 'Orders pieces', input: Order,
    handle: ({ pieces }) => ({ pieces, is: names.join() }),
  });
  const tell = defineTool({
    name: 'tell', description: 'Tells when what was made',
    handle: async () => ({ id: await app.get('process id'), greeting: process.env.GREETING ?? 'none', loadedAt }),
  });
  const learn = defineTool({
    name: 'learn', description: 'Learns a tool',
    handle: () => { app.addTool(defineTool({
      name: 'count', description: 'Counts', input: { type: 'object', properties: { to: { type: 'integer', maximum: 3 } }, required: ['to'] },
      handle: ({ to }) => String(to),
    })); return 'learned'; },
  });
  const app = await createApp({
    name: 'shop', version: '1.0.0', definitions: [order, tell, learn],
    providers: [{ provide: 'process id', useFactory: () => { console.log('made'); return randomUUID(); } }],
  });
  await (process.env.SHOP_PORT ? app.run(http({ port: Number(process.env.SHOP_PORT) })) : app.run());`;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (name: string, args: object = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

async function answersOf(
  args: readonly [string, ...string[]],
  requests: readonly { readonly method: string; readonly params?: object }[],
  env: Readonly<Record<string, string>> = {},
): Promise<unknown[]> {
  const [script, ...rest] = args;
  const server = new ServerProcess(script, rest, env);
  const answers: unknown[] = [];
  for (const [id, { method, params }] of requests.entries()) {
    server.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
    const answer = () => server.messages().find((message) => message['id'] === id);
    await until(() => answer() !== undefined);
    answers.push(answer()?.['result'] ?? answer()?.['error']);
  }
  server.child.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  return answers;
}

const write = (name: string, text: string): string => {
  writeFileSync(join(project, name), text);
  return join(project, name);
};
const snapshot = (script: string, out: string, ...args: string[]) =>
  sigil('build', script, '--snapshot', '--out', out, ...args);

afterEach(endProcesses);
beforeAll(async () => {
  symlinkSync(join(process.cwd(), 'node_modules'), join(project, 'node_modules'));
  write('package.json', '{ "type": "module" }');
  const { code, stdout, stderr } = await snapshot(write('shop.js', SHOP), blob);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`snapshot         of Node ${process.version}; another version refuses it`);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('a program that starts from a snapshot answers as the program does', async () => {
  const requests = [
    { method: 'tools/list' },
    call('order', { pieces: 3 }),
    call('order', { pieces: 12, colour: 'red' }),
    call('order'),
    call('learn'),
    call('count', { to: 2 }),
    call('count', { to: 'many' }),
  ];
  const plain = await answersOf([join(project, 'shop.js')], requests);
  expect(JSON.stringify(plain)).toContain('{"pieces":3,"is":"a,b"}');
  expect(await answersOf(['--snapshot-blob', blob], requests)).toEqual(plain);
});

test('services are made by each process, and see its environment; modules ran when it was built', async () => {
  const told = async (greeting: string) =>
    (
      (await answersOf(['--snapshot-blob', blob], [call('tell')], { GREETING: greeting })) as {
        structuredContent: { id: string; loadedAt: number };
      }[]
    )[0]?.structuredContent;
  const [one, other] = [await told('good day'), await told('good night')];
  expect(one).toMatchObject({ greeting: 'good day', loadedAt: other?.loadedAt });
  expect(other).toMatchObject({ greeting: 'good night', loadedAt: expect.any(Number) });
  expect(one?.id).not.toBe(other?.id);
});

test.each([
  ['by the environment', [], (port: number) => ({ MCP_TRANSPORT: 'http', PORT: String(port) })],
  ['by arguments, with two workers', ['shop', '--http', '--workers', '2', '--port'], () => ({})],
  ['by its own code', [], (port: number) => ({ SHOP_PORT: String(port) })],
])('a program that starts from a snapshot serves HTTP, chosen %s', async (_, args, env) => {
  const port = await freePort();
  const ended = args.length > 0 ? [...args, String(port)] : [];
  const server = new ServerProcess('--snapshot-blob', [blob, ...ended], env(port));
  const url = `http://127.0.0.1:${port}/mcp`;
  await until(async () => (await fetch(url).catch(() => undefined)) !== undefined);
  expect(await post(url, 'tools/call', { name: 'order', arguments: { pieces: 3 } })).toMatchObject({
    structuredContent: { pieces: 3 },
  });
  server.child.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

const APP = `
  const app = await createApp({ name: 'one', version: '1.0.0', definitions: [defineTool({ name: 'one', description: 'x', handle: () => '1' })] });
  await app.run();`;
const IMPORT = "import { createApp, defineTool } from '@sigil/core';";

test.each([
  [
    'what a snapshot cannot hold',
    `${IMPORT} import { METHODS } from 'node:http'; const [method] = METHODS; ${APP}`,
    [],
    /the program makes or uses what a snapshot cannot hold, such as node:http/,
  ],
  [
    'what does not end',
    `${IMPORT} setInterval(() => undefined, 100); ${APP}`,
    ['--timeout', '5'],
    /made no snapshot \S*refused\.blob within 5 s: before createApp\(\), the program begins what does not end/,
  ],
  [
    'packages that are not in it',
    `${IMPORT} import 'chalk-not-here'; ${APP}`,
    ['--external', 'chalk-not-here'],
    /chalk-not-here/,
  ],
  ['a source map', `${IMPORT} ${APP}`, ['--sourcemap'], /--snapshot and --sourcemap exclude each other/],
  ['another target', `${IMPORT} ${APP}`, ['--target', 'deno'], /--snapshot is for Node/],
])('a snapshot is refused for %s', async (_, text, args, message) => {
  const out = join(project, 'refused.blob');
  const { code, stderr } = await snapshot(write('refused.js', text), out, ...args);
  expect(code).toBeGreaterThan(0);
  expect(stderr).toMatch(message);
  expect(existsSync(out)).toBe(false);
});
