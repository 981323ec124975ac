import { createApp, DefinitionError, defineTool, type Logger } from '@sigil/core';
import { runInNewContext } from 'node:vm';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { http, nodeHandler } from '../src/index.js';
import { fetchHandler } from '../src/fetch.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import type { Mounted } from './fixtures/bridges.js';
import { recordingLogger } from './fixtures/log.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { callModern, headersOf, json, post, postModern, textOf } from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';
import { within } from './fixtures/within.js';

let fixture: Fixture;
let server: Server | undefined;

beforeEach(async () => {
  fixture = await createFixture();
});

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
  await fixture.app.close();
});

/** A server that reads bodies itself before it hands requests on, as frameworks do. */
async function startParsing(parse: (body: Buffer) => unknown): Promise<Mounted> {
  const handler = nodeHandler(fixture.app);
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      (request as IncomingMessage & { body?: unknown }).body = parse(Buffer.concat(chunks));
      handler(request, response);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    send: (init) => nodeFetch(`http://127.0.0.1:${port}/any/path`, init),
    close: (graceMs) => handler.close(graceMs),
  };
}

describe('nodeHandler() behind a framework that has read the body', () => {
  test.each([
    ['parsed it', (body: Buffer): unknown => (body.length > 0 ? JSON.parse(body.toString()) : {})],
    ['kept it as text', (body: Buffer): unknown => body.toString()],
    ['kept it as bytes', (body: Buffer): unknown => body],
  ])('serves what it is given when that %s', async (_what, parse) => {
    const mounted = await startParsing(parse);
    expect(textOf(await json(await callModern(mounted, 'echo', { text: 'grüß dich' })))).toBe('grüß dich');
    const session = await openSession(mounted);
    expect((await session.end()).status).toBe(204);
  });
});

describe('nodeHandler() behind what has touched the request and not handed its body on', () => {
  type Before = (request: IncomingMessage & { body?: unknown }, serve: () => void) => void;

  async function startBehind(before: Before): Promise<Mounted> {
    const handler = nodeHandler(fixture.app);
    server = createServer((request, response) => before(request, () => handler(request, response)));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      send: (init) => nodeFetch(`http://127.0.0.1:${port}/any/path`, init),
      close: (graceMs) => handler.close(graceMs),
    };
  }

  test.each<[string, Before]>([
    [
      'left an empty object, as Express 4 does where no parser reads JSON',
      (request, serve) => {
        request.body = {};
        serve();
      },
    ],
    [
      'paused it',
      (request, serve) => {
        request.pause();
        setImmediate(serve);
      },
    ],
    [
      'asked for text',
      (request, serve) => {
        request.setEncoding('utf8');
        serve();
      },
    ],
  ])('reads it where that %s', async (_what, before) => {
    const mounted = await startBehind(before);
    const long = 'grüß dich '.repeat(20_000);
    for (const text of ['grüß dich', long])
      expect(textOf(await json(await within(callModern(mounted, 'echo', { text }))))).toBe(text);
  });

  test.each<[string, Before]>([
    ['all of it', (request, serve) => request.resume().on('end', serve)],
    ['a part of it', (request, serve) => request.once('data', () => setImmediate(serve))],
  ])('says what is wrong where that read %s', async (_what, before) => {
    const mounted = await startBehind(before);
    const response = await within(callModern(mounted, 'echo', { text: 'a' }));
    expect([response.status, (await json(response)).error?.message]).toEqual([
      500,
      expect.stringContaining('nodeHandler(app)(request, response, body)'),
    ]);
  });

  test('names its headers one by one to what stands in for writeHead(), such as that of older on-headers', async () => {
    const handler = nodeHandler(fixture.app);
    server = createServer((request, response) => {
      const writeHead = response.writeHead.bind(response);
      response.writeHead = (status: number, headers?: unknown): typeof response => {
        for (const [name, value] of Array.isArray(headers)
          ? (headers as string[])
          : Object.entries(headers ?? {}))
          response.setHeader(name as string, value as string);
        return writeHead(status);
      };
      handler(request, response);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const mounted: Mounted = {
      send: (init) => nodeFetch(`http://127.0.0.1:${port}/`, init),
      close: (graceMs) => handler.close(graceMs),
    };
    const response = await within(callModern(mounted, 'echo', { text: 'a' }));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(textOf(await json(response))).toBe('a');
  });

  test('answers a request without a body whose end has passed', async () => {
    const mounted = await startBehind((request, serve) => request.resume().on('end', serve));
    const empty = await within(mounted.send({ method: 'POST', headers: headersOf(), body: '' }));
    expect([empty.status, (await json(empty)).error?.code]).toEqual([400, -32700]);
    expect((await within(mounted.send({ method: 'DELETE', headers: headersOf() }))).status).toBe(400);
    expect((await within(mounted.send({ method: 'PUT', headers: headersOf(), body: 'a' }))).status).toBe(405);
  });
});

test('nodeHandler() refuses what a framework has parsed and JSON cannot carry, or nests too deep', async () => {
  let deep: unknown = 1;
  for (let level = 0; level < 200_000; level++) deep = [deep];
  for (const parsed of [deep, { jsonrpc: '2.0', id: 1n, method: 'ping' }]) {
    const mounted = await startParsing(() => parsed);
    const response = await callModern(mounted, 'echo', { text: 'a' });
    expect([response.status, (await json(response)).error?.code]).toEqual([400, -32700]);
    server?.closeAllConnections();
    server?.close();
  }
});

describe('fetchHandler()', () => {
  const send = (
    handler: (request: Request) => Promise<Response>,
    url: string,
    headers = {},
  ): Promise<Response> => {
    const init = { method: 'POST', headers: headersOf(headers), body: JSON.stringify(initialize()) };
    return handler(new Request(url, init));
  };

  test('takes the host of the URL where there is no Host header [checklist 18]', async () => {
    const handler = fetchHandler(fixture.app);
    expect((await send(handler, 'http://localhost:8787/mcp')).status).toBe(200);
    expect((await send(handler, 'https://mcp.example/mcp')).status).toBe(403);
    const allowing = fetchHandler(fixture.app, { allowedHosts: ['mcp.example'] });
    expect((await send(allowing, 'https://mcp.example/mcp')).status).toBe(200);
    await Promise.all([handler.close(), allowing.close()]);
  });

  test('says what is wrong with a request whose body somebody else is about to read', async () => {
    const handler = fetchHandler(fixture.app);
    const init = { method: 'POST', headers: headersOf(), body: JSON.stringify(initialize()) };
    const request = new Request('http://localhost/mcp', init);
    request.body?.getReader();
    expect((await within(handler(request))).status).toBe(500);
    await handler.close();
  });

  test('a request that is aborted while its body comes does no harm', async () => {
    const handler = fetchHandler(fixture.app);
    const gone = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => gone.signal.addEventListener('abort', () => controller.error(new Error('gone'))),
    });
    const init = { method: 'POST', headers: headersOf(), body, duplex: 'half' as const, signal: gone.signal };
    const pending = handler(new Request('http://localhost/mcp', init));
    gone.abort();
    await within(pending);
    expect((await send(handler, 'http://localhost/mcp')).status).toBe(200);
    await handler.close();
  });

  test('close lets what is in flight finish [checklist 47]', async () => {
    const handler = fetchHandler(fixture.app);
    const mounted: Mounted = {
      send: (init) => handler(new Request('http://localhost/mcp', init)),
      close: () => handler.close(),
    };
    const pending = callModern(mounted, 'hold', { label: 'a' });
    const held = await fixture.holds.next();
    const closing = handler.close(2_000);
    held.release();
    expect(textOf(await json(await within(pending)))).toBe('held a');
    await within(closing);
  });
});

test.each([
  ['nodeHandler()', nodeHandler],
  ['fetchHandler()', fetchHandler],
] as const)('%s refuses options out of range at once', (_name, mount) => {
  expect(() => mount(fixture.app, { limits: { maxBodyBytes: -1 } })).toThrow(DefinitionError);
  expect(() => mount(fixture.app, { sessions: { idleMs: Number.NaN } })).toThrow(DefinitionError);
});

describe('an app that is mounted', () => {
  const failing = defineTool({
    name: 'fail',
    handle: () => {
      throw new Error('broken');
    },
  });

  async function logged(
    mount: typeof fetchHandler,
    logger?: Logger,
  ): Promise<{ lines: string[]; printed: number }> {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const print = jest.spyOn(console, 'error').mockReturnValue();
    const app = await createApp({
      name: 'mounted',
      version: '1.0.0',
      definitions: [failing],
      ...(logger ? { logger } : {}),
    });
    try {
      const handler = mount(app);
      const mounted: Mounted = {
        send: (init) => handler(new Request('http://localhost/mcp', init)),
        close: () => handler.close(),
      };
      await callModern(mounted, 'fail');
      return { lines: stderr.mock.calls.map(([line]) => String(line)), printed: print.mock.calls.length };
    } finally {
      stderr.mockRestore();
      print.mockRestore();
      await app.close();
    }
  }

  /** Mounts with `nodeHandler()`, and is asked the web's way. */
  const overNode: typeof fetchHandler = (app, options) => {
    nodeHandler(app, options);
    return fetchHandler(app, options);
  };

  test('by nodeHandler() logs lines of JSON on standard error, as http() does', async () => {
    const { lines, printed } = await logged(overNode);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'error', message: 'a handler failed unexpectedly', err: { message: 'broken' } },
    ]);
    expect(printed).toBe(0);
  });

  test('by fetchHandler() prints on the console', async () => {
    expect(await logged(fetchHandler)).toEqual({ lines: [], printed: 1 });
  });

  test('logs where its author says', async () => {
    const { logger, lines } = recordingLogger();
    for (const mount of [overNode, fetchHandler])
      expect(await logged(mount, logger)).toEqual({ lines: [], printed: 0 });
    expect(lines).toHaveLength(2);
  });
});

test('one app may be mounted twice, each mount with sessions of its own [checklist 26]', async () => {
  const handlers = [fetchHandler(fixture.app), fetchHandler(fixture.app)];
  const [one, other] = handlers.map((handler): Mounted => ({
    send: (init) => handler(new Request('http://localhost/mcp', init)),
    close: () => handler.close(),
  })) as [Mounted, Mounted];
  const session = await openSession(one);
  expect((await post(other, initialize(), session.headers)).status).toBe(404);
  expect((await postModern(other, 'tools/list')).status).toBe(200);
  await Promise.all(handlers.map((handler) => handler.close()));
});

test.each([null, [], 5, new Map()])('options that are no object are refused: %j', (options) => {
  for (const mount of [nodeHandler, fetchHandler])
    expect(() => mount(fixture.app, options as never)).toThrow('its options must be an object');
  expect(() => http(options as never)).toThrow('its options must be an object');
});

test('options of another realm, such as those of a worker or a test, are taken as any others', async () => {
  const options = runInNewContext(
    '({ limits: { maxBodyBytes: 1000 }, sessions: Object.create(null) })',
  ) as object;
  const handler = nodeHandler(fixture.app, options);
  await handler.close(0);
});

describe('the request as a framework has it', () => {
  const mine = { user: { id: 'ada' } };
  const told: unknown[] = [];
  const authenticate = ({ source }: { readonly source?: unknown }) => {
    told.push(source);
    return mine.user;
  };
  const send = (origin: string): Request =>
    new Request(`${origin}/mcp`, { method: 'PUT', headers: { Host: 'localhost' } });

  test('is told to authenticate, of Node', async () => {
    const handler = nodeHandler(fixture.app, { authenticate });
    // Express takes a handler of four parameters for one of errors; to h3 one of two is done when it returns.
    expect(handler).toHaveLength(3);
    server = createServer((request, response) => handler(request, response, undefined, mine));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect((await fetch(send(`http://127.0.0.1:${port}`))).status).toBe(405);
    expect(told.pop()).toBe(mine);
  });

  test('is told to authenticate, of the web, where it is given as that', async () => {
    const handler = fetchHandler(fixture.app, { authenticate });
    const request = send('http://localhost');
    expect((await handler.handle(request, mine)).status).toBe(405);
    expect(told.pop()).toBe(mine);
    // What servers give beside a request is no source.
    const serve = handler as (request: Request, env: unknown) => Promise<Response>;
    expect((await serve(request, mine)).status).toBe(405);
    expect(told.pop()).toBe(request);
  });
});

describe('where an app is within a framework', () => {
  test.each([
    ['/mcp', '', '/mcp', true],
    ['/mcp/?a=1', '', '/mcp', true],
    ['/api/mcp', '/api', '/mcp', true],
    ['/api/mcp', '/api/', '/mcp', true],
    ['/api/mcp', '/api/mcp', '/mcp', true],
    ['/rpc', '/rpc', '/', true],
    ['/mcp', '/api', '/mcp', false],
    ['/api/mcp/mcp', '/api/mcp', '/mcp', false],
    ['/', '', '/', true],
  ])('%s behind %j is at %s: %j', (target, base, path, isServed) => {
    expect(fetchHandler(fixture.app).serves(target, path, base)).toBe(isServed);
  });
});
