import { createServer } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { ServerError, UsageError } from '../../src/failures.js';
import { listenFrom } from '../../src/page/listening.js';
import { startPage } from '../../src/page/page-server.js';
import { ReadEvents, ServedPage, until } from './served-page.js';

jest.setTimeout(20_000);

let page: ServedPage | undefined;
let events: ReadEvents | undefined;
afterEach(async () => {
  events?.close();
  await page?.close();
  [page, events] = [undefined, undefined];
});

const start = async (): Promise<ServedPage> =>
  (page = await ServedPage.start((_, response) => response.end('{}')));

test('the files of the page need no token, run nothing of others and stand in no frame', async () => {
  const page = await start();

  for (const [path, type] of [
    ['/', 'text/html; charset=utf-8'],
    ['/page.js', 'text/javascript; charset=utf-8'],
    ['/page.css', 'text/css; charset=utf-8'],
    ['/icon.svg', 'image/svg+xml'],
  ] as const) {
    const { status, headers, text } = await page.ask(path, { headers: { authorization: undefined } });
    expect([path, status, headers['content-type'], text.length > 0]).toEqual([path, 200, type, true]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'self'; ");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  }
});

test('a page is told all there is when it comes, and what changes after that', async () => {
  const page = await start();
  page.program.state.write('compiler', 'Found 0 errors');
  events = new ReadEvents(page);
  await until(() => events?.of('served').length === 1);
  expect(events.of('state')).toMatchObject([
    { server: { status: 'up' }, compiler: { problems: [] }, starts: 1 },
  ]);

  page.program.change({ status: 'starting' });
  page.program.state.write('server', '\u001b[31mlistening\u001b[39m', true);
  page.program.state.tell('call', { name: 'add', outcome: 'ok' });
  page.program.state.tell('state', { pid: 1 });

  await until(() => events?.of('call').length === 1);
  expect(events.of('call')).toEqual([{ name: 'add', outcome: 'ok' }]);
  expect(events.of('output')).toEqual([
    [{ source: 'compiler', text: 'Found 0 errors', isError: false }],
    [{ source: 'server', text: 'listening', isError: true }],
  ]);
  expect(events.of('state').map(({ server }) => server)).toEqual([
    expect.objectContaining({ status: 'up' }),
    { status: 'starting' },
  ]);
});

test('a page that comes later is told the last calls, but no large ones', async () => {
  const page = await start();
  for (let count = 1; count <= 201; count += 1) page.program.state.tell('call', { count });
  page.program.state.tell('task', { text: 'x'.repeat(20_000) });
  page.program.state.tell('state', { pid: 1 });
  events = new ReadEvents(page);

  await until(() => events?.of('call').length === 200);
  expect(events.of('call')[0]).toEqual({ count: 2 });
  expect(events.of('task')).toEqual([]);
});

test('a program that does not start is shown with its problems', async () => {
  const page = await start();
  events = new ReadEvents(page);
  await until(() => events?.of('served').length === 1);
  page.program.answer = async () => {
    throw new ServerError('the definitions of the server are wrong', [
      { code: 'SIGIL_NAME', problem: "Books.find: 'a b' is not a valid name", fix: 'use letters' },
    ]);
  };

  page.program.change({ status: 'failed', reason: 'it ended with exit code 1' }, 2);

  await until(() => events?.of('served').length === 2);
  expect(events.of('state').at(-1)).toMatchObject({
    server: {
      status: 'failed',
      reason: "Books.find: 'a b' is not a valid name\n  Fix: use letters [SIGIL_NAME]",
    },
    starts: 2,
  });
  const answer = await page.ask('/api/served');
  expect(answer.status).toBe(502);
  expect(answer.json()).toMatchObject({ problems: [{ code: 'SIGIL_NAME' }] });
});

test('what is served comes with its tokens and findings', async () => {
  const page = await start();

  expect((await page.ask('/api/served')).json()).toEqual({
    manifest: { format: 'sigil-manifest/1', tools: [] },
    report: {
      findings: [{ code: 'CHECK_NO_DESCRIPTION', where: 'tool add', what: 'it has no description' }],
      tokens: { add: 12 },
      totalTokens: 12,
    },
  });
});

test('a page that does not read its events loses them, and fills no memory', async () => {
  const page = await start();
  const response = await fetch(new URL('/api/events', page.url), {
    headers: { authorization: `Bearer ${page.token}` },
  });
  const text = 'x'.repeat(1_000_000);
  for (let count = 0; count < 40; count += 1) page.program.state.tell('call', { text });

  await expect(response.text()).rejects.toThrow('terminated');
});

test('there are not more streams than pages anybody has', async () => {
  const page = await start();
  const all = Array.from({ length: 8 }, () => new ReadEvents(page));
  await until(() => all.every((each) => each.events.length > 0));

  expect((await page.ask('/api/events')).status).toBe(503);

  all.forEach((each) => each.close());
  await until(() => true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  events = new ReadEvents(page);
  await until(() => (events?.events.length ?? 0) > 0);
});

test('a program tells why a principal does not see something, by its own words', async () => {
  const page = await start();
  const { main } = page.program;
  mkdirSync(dirname(main));
  writeFileSync(main.replace(/main\.js$/, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  writeFileSync(
    main,
    `console.log(JSON.stringify({ format: 'sigil-explanation/1', name: process.env.SIGIL_INSPECT_NAME,
      principal: process.env.SIGIL_INSPECT_PRINCIPAL }));`,
  );
  const principal = { id: 'ada', scopes: ['agent'], claims: { tenant: 'a' } };

  const named = await page.ask('/api/why', { method: 'POST', json: { name: 'x\r\ny', principal } });
  const nobody = await page.ask('/api/why', { method: 'POST', json: { name: 'add', principal: null } });

  expect(named.json()).toMatchObject({ name: 'x\r\ny', principal: JSON.stringify(principal) });
  expect(nobody.json()).toMatchObject({ name: 'add', principal: '' });
});

test.each([
  ['a name that is none', { name: 7 }],
  ['a name that ends the variable it is in', { name: 'a\0SIGIL_INSPECT=x' }],
  ['a long name', { name: 'x'.repeat(1_001) }],
  ['a principal that is none', { name: 'add', principal: 'ada' }],
  ['scopes that are none', { name: 'add', principal: { id: 'ada', scopes: ['a b'] } }],
  ['claims that are none', { name: 'add', principal: { id: 'ada', claims: [] } }],
])('refuses to say why with %s', async (_, json) => {
  const page = await start();

  expect((await page.ask('/api/why', { method: 'POST', json })).status).toBe(400);
});

test('a port that is taken is said, and without one the next free one is taken', async () => {
  const page = await start();
  const port = Number(page.url.port);
  const beginLogin = async (): Promise<never> => Promise.reject(new Error());

  await expect(startPage(page.program, { beginLogin, folder: page.folder, port })).rejects.toThrow(
    UsageError,
  );

  const server = createServer();
  expect(await listenFrom(server, port)).toBeGreaterThan(port);
  server.close();
});
