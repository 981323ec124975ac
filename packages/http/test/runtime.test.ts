import { DefinitionError } from '@sigil/core';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningRuntime } from '@sigil/core/transport';
import { describe, expect, jest, test } from '@jest/globals';
import { http, type HttpRuntimeOptions } from '../src/index.js';
import { createFixture } from './fixtures/app.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import type { Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import {
  call,
  callModern,
  envelope,
  json,
  MODERN,
  post,
  postModern,
  request,
  textOf,
} from './fixtures/messages.js';
import { Running } from './fixtures/running.js';
import { initialize, openSession } from './fixtures/session.js';
import { until, within } from './fixtures/within.js';

const running = new Running();

async function start(options: HttpRuntimeOptions = {}): Promise<Mounted & RunningRuntime> {
  const started = await running.start(options);
  const { address, closed } = started;
  return { address, closed, close: () => started.close(), send: (init) => nodeFetch(address, init) };
}

test('app.run() takes the options of http(), and no others', async () => {
  // @ts-expect-error this option does not exist
  const started = running.fixture.app.run({ transport: 'http', http: { port: 0, helth: '/' } });
  await expect(started).rejects.toThrow('write health');
});

describe('http()', () => {
  test('says where it is to be reached', async () => {
    expect((await start()).address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/);
  });

  test('listens on this machine only, unless told otherwise [checklist 18]', async () => {
    const { port } = new URL((await start()).address);
    const other = createServer();
    // The same port on another loopback address is still free.
    await expect(listen(other, Number(port), '127.0.0.2')).resolves.toBeUndefined();
    other.close();
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'mcp.example'])(
    'refuses to listen on %s for everybody, unless told to',
    (host) => {
      expect(() => http({ host })).toThrow(/every client that reaches .*\n.*allowAnonymous: true/);
      expect(http({ host, allowAnonymous: true }).name).toBe('http');
      expect(http({ host, authenticate: () => undefined }).name).toBe('http');
    },
  );

  test.each(['', ' '])('refuses the host %j, which would be every address', (host) => {
    expect(() => http({ host, allowAnonymous: true })).toThrow(
      'http({ host }): it must not be empty\n     Fix: use an address, such as 127.0.0.1, or leave it out',
    );
  });

  test.each(['127.0.0.1:3000', 'localhost:3000', '[::1]', '[::1]:3000', 'http://127.0.0.1', 'a b'])(
    'refuses %s, which is more than a host',
    (host) => {
      expect(() => http({ host, allowAnonymous: true })).toThrow(
        `http({ host }): '${host}' is neither a host name nor an IP address\n     Fix: leave out scheme, brackets and port`,
      );
    },
  );

  test.each(['::1', 'fe80::1%eth0', '::ffff:127.0.0.1', 'my-host.local'])('takes %s for a host', (host) => {
    expect(http({ host, allowAnonymous: true }).name).toBe('http');
  });

  test('takes every address of this machine for local, and checks Host there', async () => {
    const { address } = await start({ host: '127.0.0.2' });
    expect(new URL(address).hostname).toBe('127.0.0.2');
    const status = async (host: string): Promise<string> => {
      const client = running.client(address);
      client.socket.write(`GET /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      await client.ended;
      return client.received.split('\r\n')[0] ?? '';
    };
    expect(await status('127.0.0.2')).not.toContain('403');
    expect(await status('attacker.example')).toContain('403');
  });

  test('serves its path, with or without what follows, and nothing else', async () => {
    const { address } = await start({ path: '/api/mcp' });
    const status = async (path: string): Promise<number> => {
      const sendTo = { send: (init: RequestInit) => nodeFetch(new URL(path, address).href, init) } as Mounted;
      return (await post(sendTo, initialize())).status;
    };
    for (const path of ['/api/mcp', '/api/mcp/', '/api/mcp?x=1'])
      expect([path, await status(path)]).toEqual([path, 200]);
    for (const path of ['/', '/mcp', '/api/mcpx', '/api/mcp/more', '/api']) {
      expect([path, await status(path)]).toEqual([path, 404]);
    }
  });

  test('fails to start on a port that is taken, and says what to do', async () => {
    const { address } = await start();
    const port = Number(new URL(address).port);
    const again = running.fixture.app.run(http({ port, handleSignals: false }));
    await expect(again).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `The server cannot listen on port ${port} of 127.0.0.1: another program uses this address. End that program, or set another port with --port or PORT, or with the option port of http() if the program passes http() to app.run() [EADDRINUSE]`,
    });
  });

  test('fails to start on an address that the machine does not have, and says what to do', async () => {
    const elsewhere = http({ port: 0, host: '192.0.2.1', allowAnonymous: true, handleSignals: false });
    await expect(running.fixture.app.run(elsewhere)).rejects.toMatchObject({
      code: 'EADDRNOTAVAIL',
      message: expect.stringContaining(
        'this machine has no such address: set another host with --host or HOST',
      ),
    });
  });

  test.each([
    { limits: { maxBodyBytes: 0 } },
    { streams: { keepAliveMs: -1 } },
    { sessions: { idleMs: 1.5 } },
    { sessions: { max: 0 } },
    { port: 'abc' as never },
    { authenticate: 5 as never },
    { allowedHosts: 'mcp.example' as never },
    { allowedOrigins: 'https://app.example' as never },
    { allowedOrigins: '*' as never },
    { allowedHosts: [] },
    { routes: [] as never },
  ])('refuses the options %j at once', (options) => expect(() => http(options)).toThrow(DefinitionError));

  test('two apps on two ports know nothing of each other [checklist 26]', async () => {
    const one = await start();
    const other = await createFixture();
    const otherRunning = await other.app.run(http({ port: 0, handleSignals: false }));
    const session = await openSession(one);
    const elsewhere = { send: (init: RequestInit) => nodeFetch(otherRunning.address, init) } as Mounted;
    expect((await post(elsewhere, request('ping'), session.headers)).status).toBe(404);
    await other.app.close();
  });
});

describe('bodies on the wire', () => {
  const head = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/list'];
  const body = JSON.stringify(request('tools/list', { _meta: envelope() }));

  test('one of a declared length beyond the bound is refused before it comes [checklist 15]', async () => {
    const client = running.client((await start({ limits: { maxBodyBytes: 1_000 } })).address);
    client.post(['Content-Length: 1000000']);
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 413 /);
    expect(client.received).toContain('-32600');
  });

  test('one that grows beyond the bound is refused in the middle, and the connection ends [checklist 15]', async () => {
    const client = running.client((await start({ limits: { maxBodyBytes: 1_000 } })).address);
    client.post(['Transfer-Encoding: chunked'], `7d0\r\n${'x'.repeat(2_000)}\r\n`);
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a client that goes on sending gets the 413, not a broken connection [checklist 15]', async () => {
    const server = await start({ limits: { maxBodyBytes: 1_000 } });
    for (let attempt = 0; attempt < 5; attempt++) {
      const client = running.client(server.address);
      client.post(['Content-Length: 3000000'], 'x'.repeat(3_000_000));
      await within(client.ended);
      expect(client.received).toMatch(/^HTTP\/1\.1 413 /);
    }
  });

  test('one that comes byte by byte is put together, characters too', async () => {
    const client = running.client((await start()).address);
    const bytes = Buffer.from(JSON.stringify(initialize()).replace('client', 'clïënt 🌍'), 'utf8');
    client.post([`Content-Length: ${bytes.length}`, 'Connection: close']);
    for (const byte of bytes) client.socket.write(Buffer.from([byte]));
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('one that never ends does no harm when its client leaves', async () => {
    const server = await start();
    const client = running.client(server.address);
    client.post(['Content-Length: 1000'], '{"jsonrpc"');
    await until(() => client.socket.bytesWritten > 0);
    client.socket.destroy();
    await within(client.ended);
    expect((await callModern(server, 'echo', { text: 'a' })).status).toBe(200);
  });

  test('requests in a pipeline are answered in order', async () => {
    const client = running.client((await start()).address);
    for (let turn = 0; turn < 3; turn++) client.post([...head, `Content-Length: ${body.length}`], body);
    await until(() => client.received.match(/HTTP\/1\.1 200 /g)?.length === 3);
  });

  test('a client that wants to be told to continue is', async () => {
    const client = running.client((await start()).address);
    client.post([...head, `Content-Length: ${body.length}`, 'Expect: 100-continue']);
    await until(() => client.received.startsWith('HTTP/1.1 100 '));
    client.socket.write(body);
    await until(() => client.received.includes('HTTP/1.1 200 '));
  });
});

describe('closing http()', () => {
  test('lets what is in flight finish, and says when it has [checklist 47]', async () => {
    const server = await start();
    const pending = callModern(server, 'hold', { label: 'a' });
    const held = await running.fixture.holds.next();
    const closing = server.close();
    expect(held.signal.aborted).toBe(false);
    held.release();
    expect(textOf(await json(await within(pending)))).toBe('held a');
    await within(closing);
    await within(server.closed);
  });

  test('delivers a long answer whole to a client that reads slowly [checklist 47]', async () => {
    const server = await start();
    const client = running.client(server.address);
    client.socket.pause();
    const letters = 15_000_000;
    const message = JSON.stringify(
      request('tools/call', { name: 'large', arguments: { letters }, _meta: envelope() }),
    );
    const names = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: large'];
    client.post([...names, `Content-Length: ${message.length}`], message);
    await once(client.socket, 'readable');
    const closing = server.close();
    client.socket.resume();
    await within(closing);
    await within(client.ended);
    expect(client.received.length).toBeGreaterThan(letters);
  });

  test('aborts what takes longer than it may', async () => {
    const server = await start({ drainMs: 30 });
    const pending = callModern(server, 'hold', { label: 'a' });
    const held = await running.fixture.holds.next();
    await within(server.close());
    expect(held.signal.aborted).toBe(true);
    const response = await within(pending);
    expect({ status: response.status, body: await json(response) }).toMatchObject({
      status: 200,
      body: { error: { code: -32603, message: 'The server is closing' } },
    });
  });

  test('does not wait for clients that only listen', async () => {
    const server = await start();
    const events = new EventReader(await (await openSession(server)).listen());
    const before = Date.now();
    await within(server.close());
    expect(Date.now() - before).toBeLessThan(2_000);
    expect(await within(events.rest())).toEqual([]);
  });

  test('does not wait for connections that have sent nothing', async () => {
    const server = await start();
    const idle = running.client(server.address);
    await once(idle.socket, 'connect');
    const before = Date.now();
    await within(server.close());
    expect(Date.now() - before).toBeLessThan(2_000);
    await within(idle.ended);
  });

  test('waits for no first request of a connection that has been silent for long', async () => {
    const server = await start();
    const silent = running.client(server.address);
    await once(silent.socket, 'connect');
    // Connections are accepted in their order.
    await postModern(server, 'tools/list');
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
    const progress = { turns: 0, isClosed: false };
    const closing = server.close().then(() => (progress.isClosed = true));
    for (; !progress.isClosed; progress.turns += 1) await delay(5);
    clock.mockRestore();
    await closing;
    // Who has just connected is given fifty such turns.
    expect(progress.turns).toBeLessThan(25);
  });

  test('does not wait for connections kept for a next request', async () => {
    const server = await start();
    const body = JSON.stringify(initialize());
    const idle = running.client(server.address);
    idle.post([`Content-Length: ${body.length}`], body);
    await until(() => idle.received.includes('protocolVersion'));
    const before = Date.now();
    await within(server.close());
    expect(Date.now() - before).toBeLessThan(2_000);
  });

  test('fails questions that wait for a client instead of waiting for it', async () => {
    const server = await start();
    const session = await openSession(server, '2025-11-25', { elicitation: {} });
    const events = new EventReader(await session.post(call('ask', {}, 9)));
    await within(events.message());
    const closing = server.close();
    expect((await within(events.message()))?.id).toBe(9);
    await within(closing);
  });

  test('may be asked for twice, and takes no one in afterwards', async () => {
    const server = await start();
    await Promise.all([server.close(), server.close()]);
    await expect(postModern(server, 'tools/list')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('leaves no signal handlers behind', async () => {
    const before = process.listenerCount('SIGTERM');
    const server = await start({ handleSignals: true });
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    await server.close();
    await until(() => process.listenerCount('SIGTERM') === before);
  });
});

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}

test('the port is free again after closing', async () => {
  const server = await start();
  const { port } = new URL(server.address);
  await server.close();
  const other = createServer();
  await listen(other, Number(port), '127.0.0.1');
  expect((other.address() as AddressInfo).port).toBe(Number(port));
  other.close();
  expect(MODERN).toBe('2026-07-28');
});
