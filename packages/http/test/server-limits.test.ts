import { DefinitionError } from '@sigil/core';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { http, type HttpRuntimeOptions } from '../src/index.js';
import { ONE_NODE } from './fixtures/bridges.js';
import { callModern, headersOf, json, post } from './fixtures/messages.js';
import type { RawClient } from './fixtures/raw-client.js';
import { Running } from './fixtures/running.js';
import { initialize } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { until, within } from './fixtures/within.js';

const MIB = 1024 * 1024;

const running = new Running();

/** Starts a server. @returns connects a client to it. */
async function start(options: HttpRuntimeOptions): Promise<() => RawClient> {
  const { address } = await running.start({ drainMs: 50, ...options });
  return () => running.client(address);
}

const asked = JSON.stringify(initialize());

describe('the limits of a server', () => {
  test('a body that stops in the middle is refused with 408, and its connection ends', async () => {
    const client = (await start({ limits: { requestTimeoutMs: 100 } }))();
    client.post(['Content-Length: 1000'], '{"jsonrpc"');
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a body of which nothing comes is refused with 408 too', async () => {
    const client = (await start({ limits: { requestTimeoutMs: 100 } }))();
    client.post(['Content-Length: 1000']);
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('headers that stop in the middle are refused, and their connection ends', async () => {
    const client = (await start({ limits: { headersTimeoutMs: 100 } }))();
    client.socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\n');
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('headers that are too long are refused with 431', async () => {
    const client = (await start({ limits: { maxHeaderBytes: 1_000 } }))();
    client.post([`X-Pad: ${'x'.repeat(2_000)}`]);
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('a connection without a next request is let go', async () => {
    const client = (await start({ limits: { keepAliveTimeoutMs: 50 } }))();
    client.post([`Content-Length: ${asked.length}`], asked);
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('connections beyond the most there may be are closed, and taken again later', async () => {
    const connect = await start({ limits: { maxConnections: 2 } });
    const [first, second] = [connect(), connect()];
    await Promise.all([once(first.socket, 'connect'), once(second.socket, 'connect')]);
    const third = connect();
    await within(third.ended);
    first.socket.destroy();
    await until(async () => {
      const next = connect();
      next.post([`Content-Length: ${asked.length}`, 'Connection: close'], asked);
      await next.ended;
      return next.received.startsWith('HTTP/1.1 200 ');
    });
  });

  test('a client that reads nothing until it has sent all still gets the 413', async () => {
    const client = (await start({ limits: { maxBodyBytes: 1_000 } }))();
    client.socket.pause();
    client.post(['Content-Length: 3000000']);
    for (let sent = 0; sent < 3_000_000; sent += 300_000) {
      client.socket.write('x'.repeat(300_000));
      await delay(20);
    }
    await delay(50);
    client.socket.resume();
    await within(client.ended);
    expect(client.received).toMatch(/^HTTP\/1\.1 413 /);
    expect(client.received).toContain('-32600');
  });

  test('bodies that are half sent hold no more than they may all together, and small ones are served', async () => {
    const connect = await start({ limits: { maxTotalBodyBytes: 4 * MIB } });
    const half = Array.from({ length: 100 }, connect);
    for (const client of half) client.post([`Content-Length: ${MIB}`], 'x'.repeat(1_000_000));
    const refused = (): RawClient[] => half.filter(({ received }) => received.startsWith('HTTP/1.1 503 '));
    await until(() => refused().length >= 96);
    expect(refused()[0]?.received).toContain('\r\nRetry-After: 10\r\n');
    expect(refused().length).toBeLessThan(100);
    const served = connect();
    served.post([`Content-Length: ${asked.length}`, 'Connection: close'], asked);
    await within(served.ended);
    expect(served.received).toMatch(/^HTTP\/1\.1 200 /);
    for (const client of half) client.socket.destroy();
    await until(async () => {
      const next = connect();
      next.post([`Content-Length: ${MIB}`, 'Connection: close'], asked.padEnd(MIB));
      await next.ended;
      return next.received.startsWith('HTTP/1.1 200 ');
    });
  });

  test.each([
    { limits: { maxTotalBodyBytes: 0 } },
    { limits: { maxBodyBytes: 2_000, maxTotalBodyBytes: 1_000 } },
    { limits: { authenticateTimeoutMs: 0 } },
    { reauthenticateMs: 2 ** 31 },
    { limits: { maxConnections: 0 } },
    { limits: { headersTimeoutMs: -1 } },
    { limits: { requestTimeoutMs: 2 ** 31 } },
    { limits: { keepAliveTimeoutMs: 1.5 } },
    { limits: { maxHeaderBytes: NaN } },
    { limits: { requestTimeoutMs: 1_000, headersTimeoutMs: 2_000 } },
  ])('the options %j are refused at once', (options) => {
    expect(() => http(options)).toThrow(DefinitionError);
  });
});

describeBridges('a body of more than 1 MiB', (bench) => {
  test('is refused with 413 unless it is allowed', async () => {
    expect((await post(bench(), asked.padEnd(MIB, ' '))).status).toBe(200);
    expect((await post(bench(), asked.padEnd(MIB + 1, ' '))).status).toBe(413);
  });
});

describeBridges(
  'a body that does not come',
  (bench) => {
    test('is refused with 408, and the endpoint serves on', async () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"jsonrpc"')),
      });
      const init = { method: 'POST', headers: headersOf(), body, duplex: 'half' as const };
      const response = await within(bench().send(init));
      expect(response.status).toBe(408);
      expect(await json(response)).toMatchObject({ id: null, error: { code: -32600 } });
      expect((await callModern(bench(), 'echo', { text: 'on' })).status).toBe(200);
    });
  },
  { limits: { requestTimeoutMs: 100 } },
);

describeBridges(
  'bodies that are arriving',
  (bench) => {
    const encoder = new TextEncoder();

    /** Sends 60,000 bytes of a body. @returns sends the rest of it. */
    function begin(user: string): { readonly response: Promise<Response>; readonly finish: () => void } {
      let finish = (): void => undefined;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(encoder.encode(asked.padEnd(60_000)));
          finish = () => controller.close();
        },
      });
      const headers = { ...headersOf(), 'X-User': user };
      const response = bench().send({ method: 'POST', headers, body, duplex: 'half' } as RequestInit);
      response.catch(() => undefined);
      return { response, finish };
    }

    /** The answer to the one body that is refused, which is taken out of those that are arriving. */
    async function refusalOf(arriving: ReturnType<typeof begin>[]): Promise<Response> {
      const answered = arriving.map(async (one) => ({ one, response: await one.response }));
      const { one, response } = await within(Promise.race(answered));
      arriving.splice(arriving.indexOf(one), 1);
      return response;
    }

    test('have a part of all there may be for one client, and no more, until one has arrived', async () => {
      const own = [begin('ada'), begin('ada')];
      const refused = await refusalOf(own);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
      expect(await json(refused)).toMatchObject({ id: null, error: { code: -32603 } });
      const others = [begin('bob'), begin('cleo'), begin('dan')];
      expect((await refusalOf(others)).status).toBe(503);
      const arriving = [...own, ...others];
      for (const { finish } of arriving) finish();
      for (const { response } of arriving) expect((await within(response)).status).toBe(200);
      const next = begin('ada');
      next.finish();
      expect((await within(next.response)).status).toBe(200);
    });
  },
  {
    limits: { maxBodyBytes: 65_536, maxTotalBodyBytes: 140_000 },
    authenticate: ({ headers }) => ({ id: String(headers['x-user']) }),
  },
  ONE_NODE,
);

test.each<[object, string]>([
  [{ maxSessions: 5 }, 'http({ maxSessions }): this option does not exist; the options are allowedHosts, '],
  [
    { sessions: { maxSessions: 5 } },
    'http({ sessions.maxSessions }): this option does not exist; the options are idleMs, max, ',
  ],
  [
    { host: '0.0.0.0', allowAnonymous: 'false' },
    "http({ allowAnonymous }): it must be true or false, not 'false'",
  ],
  [{ host: 5, port: 'x', prot: 1 }, '3 problems'],
  [{ limits: null, sse: 1 }, '2 problems'],
  [{ sessions: { max: 0 } }, 'http({ sessions.max }): it must be a positive integer, not 0'],
  [{ sessions: { idleMs: '5' } }, "http({ sessions.idleMs }): it must be a positive integer, not '5'"],
  [
    { allowedOrigins: ['https://good.example/'] },
    "'https://good.example/' must be an origin as browsers send it, such as https://app.example",
  ],
  [{ allowedOrigins: ['https://*.good.example'] }, 'must be an origin as browsers send it'],
  [{ allowedOrigins: ['good.example'] }, 'must be an origin as browsers send it'],
  [{ allowedHosts: ['http://x.example'] }, 'must be a name without scheme and port'],
  [{ allowedHosts: ['*'] }, 'must be a name without scheme and port'],
  [{ allowedHosts: ['x.example:80'] }, 'must be a name without scheme and port'],
  [{ path: 'mcp' }, "http({ path }): it must be a path such as /mcp, not 'mcp'"],
  [{ path: '/a/../b' }, "http({ path }): it must be a path such as /mcp, not '/a/../b'"],
  [{ path: '/./mcp' }, "http({ path }): it must be a path such as /mcp, not '/./mcp'"],
  [
    { streams: { store: {} } },
    'http({ streams.store }): it must be an object with the methods append, end, after, forget',
  ],
])('the options %j are refused, with what is wrong', (options, message) => {
  expect(() => http(options as HttpRuntimeOptions)).toThrow(message);
});

test('origins of extensions and of this machine may be allowed, and hosts by their address', () => {
  const allowedOrigins = [
    'https://app.example',
    'http://localhost:5173',
    'chrome-extension://abcdef',
    'vscode-webview://x1',
  ];
  expect(() => http({ allowedOrigins, allowedHosts: ['mcp.example', '[::1]', '127.0.0.1'] })).not.toThrow();
});
