import { singleProcess } from '../../core/test/fixtures/single-process.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type App, createApp, type RequestInfo } from '@sigil/core';
import type { Connection, Endpoint, Principal, RunningRuntime } from '@sigil/core/transport';
import { afterEach, describe, expect, test } from '@jest/globals';
import { http, type HttpOptions, type HttpRuntimeOptions, nodeHandler } from '../src/index.js';
import { type RequestHead, tokenAuthenticator } from '../src/authentication/index.js';
import type { Mounted } from './fixtures/bridges.js';
import { type Line, recordingLogger } from './fixtures/log.js';
import { callModern, envelope, post, request } from './fixtures/messages.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { RawClient } from './fixtures/raw-client.js';
import { initialize, openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

let app: App | undefined;
let running: RunningRuntime | undefined;
const { logger, lines } = recordingLogger();

afterEach(async () => {
  await running?.close();
  await app?.close();
  app = running = undefined;
  lines.length = 0;
});

async function start(options: HttpRuntimeOptions): Promise<Mounted & { readonly address: string }> {
  app = await createApp({ name: 'fixture', version: '1.0.0', logger });
  const started = (running = await app.run(http({ port: 0, handleSignals: false, ...options })));
  const { address } = started;
  return { address, send: (init) => nodeFetch(address, init), close: () => started.close() };
}

/** Sends a request as it is written. @returns the line of its status. */
async function raw(address: string, target: string, ...headers: string[]): Promise<string | undefined> {
  const client = new RawClient(address);
  const body = JSON.stringify(request('server/discover', { _meta: envelope() }));
  const all = [
    `POST ${target} HTTP/1.1`,
    ...headers,
    'Content-Type: application/json',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: server/discover',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  client.socket.write(`${all.join('\r\n')}\r\n\r\n${body}`);
  await within(client.ended);
  return client.received.split('\r\n')[0];
}

const logged = (level: Line['level']): Line[] =>
  lines.filter((line) => line.level === level && line.message !== 'listens');

describe('targets and hosts on the wire', () => {
  test.each(['/mcp', 'http://localhost/mcp', 'HTTP://localhost:80/mcp?a=1', 'http://127.0.0.1/mcp/'])(
    'the target %s is served',
    async (target) => {
      const { address } = await start({});
      expect(await raw(address, target, 'Host: localhost')).toBe('HTTP/1.1 200 OK');
    },
  );

  test('the host of an absolute target is the one that counts', async () => {
    const { address } = await start({});
    expect(await raw(address, 'http://evil.example/mcp', 'Host: localhost')).toMatch(/ 403 /);
    expect(await raw(address, 'http://localhost/mcp', 'Host: evil.example')).toMatch(/ 200 /);
    expect(await raw(address, 'http://localhost@evil.example/mcp', 'Host: localhost')).toMatch(/ 403 /);
    expect(await raw(address, 'http://localhost/elsewhere', 'Host: localhost')).toMatch(/ 404 /);
    expect(await raw(address, 'http://localhost', 'Host: localhost')).toMatch(/ 404 /);
  });

  test.each([
    ['Host: localhost', 'Host: evil.example'],
    ['Host: localhost', 'HOST: localhost'],
  ])('the headers %j and %j are refused with 400, whatever hosts are allowed', async (...hosts) => {
    const { address } = await start({ allowedHosts: '*' });
    expect(await raw(address, '/mcp', ...hosts)).toMatch(/ 400 /);
  });

  test('a second Authorization is refused with 400: a proxy may have looked at the other one', async () => {
    const { address } = await start({ authenticate: () => ({ id: 'ada' }) });
    const first = ['Host: localhost', 'Authorization: Bearer a'];
    expect(await raw(address, '/mcp', ...first)).toMatch(/ 200 /);
    expect(await raw(address, '/mcp', ...first, 'AUTHORIZATION: Bearer b')).toMatch(/ 400 /);
  });

  test('health is told at an absolute target too', async () => {
    const { address } = await start({ health: '/health' });
    const client = new RawClient(address);
    client.socket.write(
      'GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describeBridges(
  'allowedOrigins',
  (bench) => {
    test('name all pages that may call: those of this machine are not added', async () => {
      const asks = async (Origin: string): Promise<number> =>
        (await post(bench(), initialize(), { Origin })).status;
      expect(await asks('https://app.example')).toBe(200);
      expect(await asks('http://localhost:5173')).toBe(403);
      expect(await asks('http://127.0.0.1')).toBe(403);
    });
  },
  { allowedOrigins: ['https://app.example'] },
);

describe('what is logged of refusals', () => {
  test('403, with what was not allowed, cut short and without the query', async () => {
    const server = await start({});
    const Host = `${'x'.repeat(1_000)}.example`;
    await nodeFetch(`${server.address}?token=secret`, { method: 'POST', headers: { Host } });
    await post(server, initialize(), { Origin: 'https://evil.example' });
    const common = {
      id: expect.any(String),
      status: 403,
      httpMethod: 'POST',
      path: '/mcp',
      address: '127.0.0.1',
      principal: undefined,
    };
    expect(logged('info')).toEqual([
      { level: 'info', details: { ...common, host: Host.slice(0, 200) }, message: 'a request was refused' },
      {
        level: 'info',
        details: { ...common, origin: 'https://evil.example' },
        message: 'a request was refused',
      },
    ]);
  });

  test('401, without the token', async () => {
    const server = await start({ authenticate: tokenAuthenticator({ 'right-token': { id: 'ada' } }) });
    const headers = { Authorization: 'Bearer wrong-token' };
    expect((await callModern(server, 'any', {}, { headers })).status).toBe(401);
    expect(logged('info')).toMatchObject([{ details: { status: 401, address: '127.0.0.1' } }]);
    expect(JSON.stringify(lines)).not.toContain('wrong-token');
  });

  test('what could not be served, with whose request it was', async () => {
    app = await createApp({ name: 'fixture', version: '1.0.0', logger });
    const handler = nodeHandler(app, { authenticate: () => ({ id: 'ada' }) });
    const server = createServer((incoming, response) => {
      incoming.resume().on('end', () => handler(incoming, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?token=secret`;
    const mounted: Mounted = { send: (init) => nodeFetch(url, init), close: () => handler.close() };
    expect((await callModern(mounted, 'echo')).status).toBe(500);
    expect(logged('error')).toMatchObject([
      {
        details: { httpMethod: 'POST', path: '/mcp', address: '127.0.0.1', principal: 'ada' },
        message: 'an HTTP request could not be served',
      },
    ]);
    await handler.close(0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('sessions that gave way, by their client', async () => {
    const server = await start({ sessions: { max: 1 }, authenticate: () => ({ id: 'ada' }) });
    await openSession(server);
    await openSession(server);
    expect(logged('info')).toMatchObject([
      { details: { quotaKey: 'principal ada' }, message: 'a new session replaced an idle one' },
    ]);
  });
});

test('where a server listens is logged', async () => {
  await start({ path: '/tools' });
  expect(lines).toMatchObject([
    {
      level: 'info',
      details: { address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/tools$/) },
      message: 'listens',
    },
  ]);
});

describe('allowAnonymous', () => {
  test('is warned of at start, where it lets every client in', async () => {
    await start({ host: '0.0.0.0', allowAnonymous: true });
    expect(logged('warn')).toMatchObject([{ details: { host: '0.0.0.0' } }]);
  });

  test.each([
    { allowAnonymous: true },
    { host: '0.0.0.0', allowAnonymous: true, authenticate: () => ({ id: 'ada' }) },
    { host: '0.0.0.0', authenticate: () => ({ id: 'ada' }) },
  ])('is not warned of where it does not: %j', async (options) => {
    await start(options);
    expect(logged('warn')).toEqual([]);
  });
});

/** What an endpoint is told of one request beside its message. */
async function factsOf(options: HttpOptions, address?: string): Promise<RequestInfo | undefined> {
  const seen: RequestInfo[] = [];
  const connection = {
    receive: (_message, sink, requestInfo = {}) => {
      seen.push({
        address: requestInfo.address,
        headers: requestInfo.headers,
        quotaKey: requestInfo.quotaKey,
      });
      sink?.end('{}');
      return undefined;
    },
    drain: () => Promise.resolve(),
  } as Pick<Connection, 'receive' | 'drain'> as Connection;
  const backend: Endpoint['backend'] = singleProcess;
  const endpoint: Endpoint = { logger, backend, connect: () => connection };
  const handler = nodeHandler({ endpoint } as App, options);
  const server = createServer((incoming, response) => {
    if (address !== undefined) Object.defineProperty(incoming.socket, 'remoteAddress', { value: address });
    handler(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await raw(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '/mcp', 'Host: localhost');
  await new Promise((resolve) => server.close(resolve));
  return seen[0];
}

test('requests tell the address they came from', async () => {
  expect(await factsOf({})).toMatchObject({ address: '127.0.0.1', headers: { host: 'localhost' } });
});

test.each([
  [undefined, {}, undefined],
  ['::1', {}, undefined],
  ['::ffff:127.0.0.1', {}, undefined],
  ['192.0.2.1', {}, 'address 192.0.2.1'],
  ['::ffff:192.0.2.1', {}, 'address 192.0.2.1'],
  ['2001:db8:1:2::1', {}, 'address 2001:db8:1:2'],
  ['192.0.2.1', { authenticate: () => ({ id: 'ada' }) }, 'principal ada'],
] as const)('a request from %s, with %j, counts for the client %s', async (address, options, client) => {
  expect((await factsOf(options, address))?.quotaKey).toBe(client);
});

test('what authenticates is told whom a request counts for before its principal is known', async () => {
  let quotaKey: string | undefined;
  const authenticate = (head: RequestHead): Principal => {
    ({ quotaKey } = head);
    return { id: 'ada' };
  };
  await factsOf({ authenticate }, '192.0.2.1');
  expect(quotaKey).toBe('address 192.0.2.1');
});
