import { DefinitionError } from '@sigil/core';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { http, nodeHandler } from '../src/index.js';
import { fetchHandler } from '../src/fetch.js';
import { sseTarget } from '../src/sse-endpoint.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import type { Mounted } from './fixtures/bridges.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { call, callModern, json, request, textOf } from './fixtures/messages.js';
import { SseClient } from './fixtures/sse-client.js';
import { until, within } from './fixtures/within.js';

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

async function listen(listener: RequestListener): Promise<Mounted> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { send: (init, path = '/mcp') => nodeFetch(`${url}${path}`, init), close: () => Promise.resolve() };
}

async function echo(to: Mounted, path: string): Promise<SseClient> {
  const client = await SseClient.connect(to, path);
  await client.ask(request('initialize', { protocolVersion: '2024-11-05', capabilities: {} }));
  expect(textOf(await client.ask(call('echo', { text: 'there' })))).toBe('there');
  return client;
}

describe('HTTP+SSE of a mounted app', () => {
  test('tells its clients the path of a router that cuts off what it has matched', async () => {
    const handler = nodeHandler(fixture.app, { sse: true });
    const to = await listen((incoming, response) => {
      const { url = '' } = incoming;
      Object.assign(incoming, { originalUrl: url });
      incoming.url = url.replace(/^\/api/, '');
      handler(incoming, response);
    });
    const client = await echo(to, '/api/sse?token=1');
    expect(client.endpoint).toBe(`/api/messages?sessionId=${client.sessionId}`);
    expect(textOf(await json(await callModern(to, 'echo', { text: 'here' })))).toBe('here');
    await client.leave();
    await handler.close();
  });

  test('is found under any path where nothing cuts it off', async () => {
    const handler = fetchHandler(fixture.app, { sse: true });
    const to: Mounted = {
      send: (init, path = '/mcp') => handler(new Request(new URL(path, 'http://localhost'), init)),
      close: () => handler.close(),
    };
    const client = await echo(to, '/deep/er/sse');
    expect(client.endpoint).toBe(`/deep/er/messages?sessionId=${client.sessionId}`);
    await client.leave();
    await to.close();
  });

  test('takes messages from a framework that has read the body', async () => {
    const handler = nodeHandler(fixture.app, { sse: true });
    const to = await listen((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        (incoming as IncomingMessage & { body?: unknown }).body = text === '' ? {} : JSON.parse(text);
        handler(incoming, response);
      });
    });
    const client = await echo(to, '/sse');
    await client.leave();
    await handler.close();
  });
});

describe('a client that is gone before its stream begins', () => {
  test('leaves no session behind in Node', async () => {
    const handler = nodeHandler(fixture.app, { sse: true, sessions: { max: 1 } });
    const handled: string[] = [];
    const to = await listen((incoming, response) => {
      const serve = (): void => {
        handled.push(incoming.url ?? '');
        handler(incoming, response);
      };
      if (incoming.url === '/late/sse') response.on('close', () => setTimeout(serve, 5));
      else serve();
    });
    const gone = new AbortController();
    const headers = { Accept: 'text/event-stream' };
    const left = to.send({ headers, signal: gone.signal }, '/late/sse');
    left.catch(() => undefined);
    await until(() => server !== undefined && server.listening);
    setTimeout(() => gone.abort(), 30);
    await until(() => handled.includes('/late/sse'));
    const client = await echo(to, '/sse');
    await client.leave();
    await handler.close();
  });

  test('leaves no session behind on the web', async () => {
    const handler = fetchHandler(fixture.app, { sse: true, sessions: { max: 1 } });
    const open = (signal?: AbortSignal): Promise<Response> => {
      const headers = { Accept: 'text/event-stream' };
      return handler(new Request('http://localhost/sse', { headers, ...(signal ? { signal } : {}) }));
    };
    await within(open(AbortSignal.abort()));
    const response = await within(open());
    expect(response.status).toBe(200);
    await response.body?.cancel();
    await handler.close();
  });
});

test.each(['/sse', '/messages', '/api/sse', '/messages/'])(
  'http() refuses the path %s for the MCP endpoint while sse is on',
  (path) => {
    expect(() => http({ sse: true, path })).toThrow(DefinitionError);
    expect(() => http({ path })).not.toThrow();
  },
);

test.each([
  ['/sse', { endpoint: 'stream', mount: '', sessionId: undefined }],
  ['/api/sse/?sessionId=1', { endpoint: 'stream', mount: '/api', sessionId: '1' }],
  ['/messages?sessionId=a%26b', { endpoint: 'messages', mount: '', sessionId: 'a&b' }],
  ['//evil.example/sse', { endpoint: 'stream', mount: '/evil.example', sessionId: undefined }],
  ['/mcp?path=/sse', undefined],
  ['/mcp', undefined],
  ['/ssex', undefined],
  ['', undefined],
])('the target %s is read as %j', (target, expected) => {
  expect(sseTarget(target)).toEqual(expected);
});
