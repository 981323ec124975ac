import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Exchange } from '../../src/page/trace.js';
import { ReadEvents, ServedPage, until } from './served-page.js';

jest.setTimeout(20_000);

let page: ServedPage | undefined;
let events: ReadEvents | undefined;
afterEach(async () => {
  events?.close();
  await page?.close();
  [page, events] = [undefined, undefined];
});

/** What the server has been asked. */
interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** Starts a page of a server that answers so, and keeps what it is asked. */
async function start(answer: RequestListener): Promise<[ServedPage, Received[]]> {
  const received: Received[] = [];
  page = await ServedPage.start((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push({ request, body });
      answer(request, response);
    });
  });
  return [page, received];
}

const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('passes on what is about MCP and nothing else, and back the same', async () => {
  const [page, received] = await start((_, response) => {
    response.writeHead(202, {
      'content-type': 'application/json',
      'mcp-session-id': 's1',
      'www-authenticate': 'Bearer scope="a"',
      'set-cookie': 'sid=1',
      'access-control-allow-origin': '*',
      location: 'https://elsewhere.example/',
      'content-security-policy': 'default-src *',
    });
    response.end('{"ok":true}');
  });

  const { status, headers, text } = await page.ask('/api/mcp', {
    method: 'POST',
    json: MESSAGE,
    headers: {
      accept: 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-param-region': 'eu',
      'last-event-id': '7',
      origin: `http://${page.url.host}`,
      cookie: 'sid=1',
      'x-forwarded-for': '1.2.3.4',
    },
  });

  expect([status, text]).toEqual([202, '{"ok":true}']);
  expect(headers).toMatchObject({ 'mcp-session-id': 's1', 'www-authenticate': 'Bearer scope="a"' });
  expect(headers['content-security-policy']).toContain('sandbox');
  expect(Object.keys(headers)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(set-cookie|access-control-allow-origin|location)$/)]),
  );
  const [{ request, body } = { request: undefined, body: '' }] = received;
  expect(JSON.parse(body)).toEqual(MESSAGE);
  expect(request?.url).toBe('/mcp');
  expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
    'accept',
    'connection',
    'content-length',
    'content-type',
    'host',
    'last-event-id',
    'mcp-param-region',
    'mcp-protocol-version',
  ]);
});

test('says that no server is up, and why', async () => {
  const [page] = await start((_, response) => response.end());
  const { url } = page.program.state.server;
  page.program.change({ status: 'failed', url, reason: 'it ended with exit code 1' });

  const down = await page.ask('/api/mcp', { method: 'POST', json: MESSAGE });
  expect([down.status, down.json()['error']]).toEqual([
    502,
    'The server is not running (failed): it ended with exit code 1',
  ]);

  page.program.change({ status: 'up', url: 'http://127.0.0.1:9/mcp' });
  const gone = await page.ask('/api/mcp', { method: 'POST', json: MESSAGE });
  expect([gone.status, gone.json()['error']]).toEqual([502, expect.stringContaining('does not answer')]);
});

test('a stream comes as it is sent, and ends at the server when the page leaves', async () => {
  let sent: ServerResponse | undefined;
  const [page] = await start((_, response) => {
    sent = response;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  });
  const leaving = new AbortController();
  const response = await fetch(new URL('/api/mcp', page.url), {
    headers: { authorization: `Bearer ${page.token}` },
    signal: leaving.signal,
  });
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const read = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  expect(await read()).toBe('data: 1\n\n');
  sent?.write('data: 2\n\n');
  expect(await read()).toBe('data: 2\n\n');

  leaving.abort();

  await until(() => sent?.destroyed === true);
});

test('a request that is aborted before its answer is aborted at the server', async () => {
  let asked: ServerResponse | undefined;
  const [page] = await start((_, response) => (asked = response));
  const leaving = new AbortController();
  const answer = fetch(new URL('/api/mcp', page.url), {
    headers: { authorization: `Bearer ${page.token}` },
    signal: leaving.signal,
  });
  await until(() => asked !== undefined);

  leaving.abort();

  await expect(answer).rejects.toThrow();
  await until(() => asked?.destroyed === true);
});

test('an answer that breaks off breaks off for the page, too', async () => {
  const [page] = await start((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    setTimeout(() => response.destroy(), 50);
  });

  await expect(page.ask('/api/mcp')).rejects.toThrow('aborted');

  const [{ response } = {}] = (await page.ask('/api/exchanges')).json() as unknown as Exchange[];
  expect(response).toMatchObject({ isCut: true, events: [{ data: '1' }] });
});

test('a page that does not read a stream fills no memory: the server waits', async () => {
  let written = 0;
  const [page] = await start((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (): void => {
      if (response.destroyed) return;
      written += 1;
      if (response.write(`data: ${'x'.repeat(100_000)}\n\n`)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  });
  const socket = connect(Number(page.url.port), '127.0.0.1').pause();
  socket.write(
    `GET /api/mcp HTTP/1.1\r\nHost: ${page.url.host}\r\nAuthorization: Bearer ${page.token}\r\n\r\n`,
  );
  await until(() => written > 0);
  let before = -1;
  while (before !== written) {
    before = written;
    await delay(300);
  }

  // What sockets of both sides hold, and no more.
  expect(written * 100_000).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
});

test('the trace has each exchange when it begins and when it ends, without what gives access', async () => {
  const [page] = await start((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('id: 1\ndata: {"a":\ndata: 1}\n\n: nothing\n\ndata: 2\n\n');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=secret' });
    response.end('{"result":{}}');
  });
  events = new ReadEvents(page);
  await until(() => events?.of('state').length === 1);

  await page.ask('/api/mcp', { method: 'POST', json: MESSAGE });
  await page.ask('/api/mcp');

  await until(() => events?.of('exchange').length === 4);
  const [begun, ended] = events.of('exchange');
  expect(begun).toMatchObject({ id: 0, ms: 0, request: { method: 'POST', body: JSON.stringify(MESSAGE) } });
  expect(begun).not.toHaveProperty('response');
  expect(ended).toMatchObject({
    id: 0,
    ms: expect.any(Number),
    response: { status: 200, headers: { 'set-cookie': '…' }, body: '{"result":{}}' },
  });
  const all = (await page.ask('/api/exchanges')).json() as unknown as Exchange[];
  expect(all.map(({ id }) => id)).toEqual([0, 1]);
  expect(all[1]?.response?.events).toEqual([
    { ms: expect.any(Number), data: '{"a":\n1}' },
    { ms: expect.any(Number), data: '2' },
  ]);
  expect(JSON.stringify(all)).not.toContain('secret');
});

test('the trace keeps the last exchanges, bounded in number and in length', async () => {
  const long = 'x'.repeat(300_000);
  const [page] = await start((_, response) => response.end(long));
  for (let count = 0; count < 50; count += 1) await page.ask('/api/mcp', { method: 'POST', body: long });

  const all = (await page.ask('/api/exchanges')).json() as unknown as Exchange[];

  expect(all.at(-1)?.id).toBe(49);
  expect(all.length).toBeLessThan(40);
  expect(all.at(-1)?.response?.body?.length).toBeLessThan(300_000);
});

test('the trace has the events of an open stream, and of a long one the last event too', async () => {
  let finish = (): void => undefined;
  const [page] = await start((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: first\n\n');
    finish = () => {
      for (let count = 0; count < 2_000; count += 1) response.write(`data: ${'x'.repeat(300)}\n\n`);
      response.end('data: result\n\n');
    };
  });
  const traced = async (): Promise<Exchange['response']> =>
    ((await page.ask('/api/exchanges')).json() as unknown as Exchange[])[0]?.response;

  const asked = page.ask('/api/mcp', { method: 'POST', json: MESSAGE });
  while ((await traced())?.events?.length !== 1) await delay(50);
  finish();
  await asked;

  const { events: kept = [], leftOut } = (await traced()) ?? {};
  expect(kept[0]?.data).toBe('first');
  expect(kept.at(-1)?.data).toBe('result');
  expect(kept.length + Number(leftOut)).toBe(2_002);
  expect(leftOut).toBeGreaterThan(1_000);
});

test.each(['099 Odd', '101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x', '600 Odd'])(
  'an answer with the status %s is an error of the server, and the page goes on',
  async (status) => {
    const [page] = await start(({ socket }) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));

    const { status: passed, text } = await page.ask('/api/mcp', { method: 'POST', json: MESSAGE });

    expect([passed, text]).toEqual([
      502,
      expect.stringContaining(`answers with status ${Number(status.slice(0, 3))}`),
    ]);
  },
);

test('there are not more requests at work than the machine takes', async () => {
  const waiting: ServerResponse[] = [];
  const [page] = await start((_, response) => void waiting.push(response));
  const asked = Array.from({ length: 64 }, () => page.ask('/api/mcp'));
  await until(() => waiting.length === 64);

  expect((await page.ask('/api/mcp')).status).toBe(503);

  for (const response of waiting) response.end();
  await Promise.all(asked);
});

test('what is too long is refused before it is read', async () => {
  const [page, received] = await start((_, response) => response.end());
  const socket = connect(Number(page.url.port), '127.0.0.1');
  socket.write(
    `POST /api/mcp HTTP/1.1\r\nHost: ${page.url.host}\r\nAuthorization: Bearer ${page.token}\r\nContent-Length: 99999999\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('413 Payload Too Large');
  expect(received).toEqual([]);
  socket.destroy();
});
