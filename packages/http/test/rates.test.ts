import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type AppOptions, defineTool, RateLimitError } from '@sigil/core';
import { type Limiter, memoryBackend } from '@sigil/core/backend';
import { tokenAuthenticator } from '../src/authentication/index.js';
import { type HttpOptions, nodeHandler } from '../src/index.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import { as } from './fixtures/as.js';
import { type Bridge, httpRuntime, type Mounted, mountedInNode, webHandler } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { call, callModern, json, type Message, postModern } from './fixtures/messages.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { openSession } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { createBench } from './fixtures/suite.js';

const HOUR_MS = 3_600_000;
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Mounts the fixture with rates. */
async function mounted(
  bridge: Bridge,
  rates: NonNullable<AppOptions['limits']>['rates'],
  options: HttpOptions = {},
  more: Partial<AppOptions> = {},
): Promise<Fixture & Mounted> {
  const bench = await createBench(bridge, options, { limits: { rates: rates ?? [] }, ...more });
  open.push({ close: () => bench.end() });
  return bench;
}

const authenticate = tokenAuthenticator({ ada: { id: 'ada' }, bob: { id: 'bob' } });
const anHour = (limit: number) => [{ limit, windowMs: HOUR_MS }];

describe.each([httpRuntime, mountedInNode, webHandler].map((bridge) => [bridge.name, bridge] as const))(
  'a call that a rate refuses · %s',
  (_name, bridge) => {
    test('is answered with 429, Retry-After and data.retryAfterMs', async () => {
      const server = await mounted(bridge, anHour(2), { authenticate });
      const ada = as('ada', server);
      for (const left of [1, 0]) {
        const served = await callModern(ada, 'echo', { text: 'hi' });
        expect(served.status).toBe(200);
        expect(served.headers.get('ratelimit-policy')).toBe('"principal";q=2;w=3600');
        expect(served.headers.get('ratelimit')).toBe(`"principal";r=${left};t=1800`);
      }
      const refused = await callModern(ada, 'echo', { text: 'hi' }, { id: 7 });
      expect(refused.status).toBe(429);
      const { id, error } = await json(refused);
      const { retryAfterMs } = error?.data as { retryAfterMs: number };
      expect([id, error?.code]).toEqual([7, 429]);
      expect(retryAfterMs).toBeGreaterThan(HOUR_MS / 2 - 60_000);
      const seconds = String(Math.ceil(retryAfterMs / 1000));
      expect(refused.headers.get('retry-after')).toBe(seconds);
      expect(refused.headers.get('ratelimit')).toBe(`"principal";r=0;t=${seconds}`);
      expect((await callModern(as('bob', server), 'echo', { text: 'hi' })).status).toBe(200);
    });

    test('is refused with 429 in a session, too, and in a batch beside the others', async () => {
      const server = await mounted(bridge, anHour(2), { authenticate });
      const session = await openSession(as('ada', server), '2025-03-26');
      const batch = [1, 2, 3].map((id) => call('echo', { text: 'hi' }, id));
      const answers = (await (await session.post(batch)).json()) as Message[];
      expect(answers.find(({ id }) => id === 3)?.error?.code).toBe(429);
      expect(answers.filter(({ error }) => error === undefined)).toHaveLength(2);
      const refused = await session.post(call('echo', { text: 'hi' }, 4));
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1700);
      expect(refused.headers.get('ratelimit')).toMatch(/^"principal";r=0;t=1\d\d\d$/);
    });

    test('says nothing of rates where there are none', async () => {
      const server = await mounted(bridge, []);
      const { headers } = await callModern(server, 'echo', { text: 'hi' });
      expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
    });

    test('names each rate that counted it, also one of a definition, and none that all share', async () => {
      const server = await mounted(bridge, [
        { limit: 60, windowMs: 60_000 },
        { limit: 5, windowMs: 1_500 },
        { limit: 100, windowMs: 1_000, per: 'app' },
      ]);
      const { app } = server;
      app.tools.add(defineTool({ name: 'search', limit: '10/min', handle: () => 'found' }));
      const { headers } = await callModern(server, 'search');
      expect(headers.get('ratelimit-policy')).toBe(
        '"principal";q=60;w=60, "principal 2";q=5;w=2, "tool search principal";q=10;w=60',
      );
      expect(headers.get('ratelimit')).toBe(
        '"principal";r=59;t=1, "principal 2";r=4;t=1, "tool search principal";r=9;t=6',
      );
    });

    test('of a concurrency is answered the same way', async () => {
      const server = await mounted(bridge, []);
      const holds = server.holds;
      server.app.tools.add(
        defineTool({
          name: 'slow',
          limit: { concurrency: 1 },
          handle: async (_args, context) =>
            holds.hold('slow', context.signal, () => undefined).then(() => 'slow'),
        }),
      );
      const first = callModern(server, 'slow');
      const held = await holds.next();
      const refused = await callModern(server, 'slow');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect((await json(refused)).error).toMatchObject({ code: 429, data: { retryAfterMs: 1000 } });
      held.release();
      expect((await first).status).toBe(200);
    });
  },
);

describe('a rate', () => {
  test('refuses in-band where the stream of a call has begun', async () => {
    const server = await mounted(httpRuntime, []);
    server.app.tools.add(
      defineTool({
        name: 'late',
        handle: async (_args, context) => {
          context.progress(1);
          throw new RateLimitError('Enough', 1_500);
        },
      }),
    );
    const response = await callModern(server, 'late', {}, { meta: { progressToken: 'p' } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = new EventReader(response);
    expect((await events.message())?.method).toBe('notifications/progress');
    expect(await events.message()).toMatchObject({ error: { code: 429, data: { retryAfterMs: 1500 } } });
  });

  test('refuses on the stream of HTTP+SSE', async () => {
    const server = await mounted(httpRuntime, anHour(1), { sse: true });
    const client = await SseClient.open(server);
    open.push({ close: () => client.leave() });
    await client.ask(call('echo', { text: 'hi' }, 5));
    expect(await client.ask(call('echo', { text: 'hi' }, 6))).toMatchObject({ id: 6, error: { code: 429 } });
  });

  test('closed while its store fails is answered with 503', async () => {
    const limiter: Limiter = { take: () => Promise.reject(new Error('connection lost')) };
    const more = { backend: { ...memoryBackend(), limiter }, state: { keys: ['k'.repeat(32)] } };
    const closed = [{ limit: 5, windowMs: HOUR_MS, fail: 'closed' as const }];
    const server = await mounted(httpRuntime, closed, {}, more);
    const refused = await callModern(server, 'echo', { text: 'hi' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    const byAddress = await mounted(httpRuntime, [{ ...closed[0]!, per: 'address' }], {}, more);
    expect((await callModern(byAddress, 'echo', { text: 'hi' })).status).toBe(503);
  });
});

describe('a rate per address', () => {
  const perAddress = (limit: number) => [{ limit, windowMs: HOUR_MS, per: 'address' as const }];

  test('counts every request before it is authenticated, and refuses it with 429', async () => {
    let asked = 0;
    const server = await mounted(httpRuntime, perAddress(3), { authenticate: () => void (asked += 1) });
    for (let sent = 0; sent < 3; sent += 1) expect((await postModern(server, 'tools/list')).status).toBe(401);
    const told: unknown[] = [];
    server.app.observe({ refused: (event) => void told.push(event) });
    const refused = await postModern(server, 'tools/list');
    expect(refused.status).toBe(429);
    expect(told).toMatchObject([{ by: 'rate', reason: 'address', status: 429, address: '127.0.0.1' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_000);
    expect(await json(refused)).toMatchObject({
      id: null,
      error: { code: 429, data: { retryAfterMs: expect.any(Number) } },
    });
    expect((await server.send({ method: 'GET', headers: { Accept: 'text/event-stream' } })).status).toBe(429);
    expect(asked).toBe(3);
  });

  test('is not asked by the preflight of a browser', async () => {
    const server = await mounted(httpRuntime, perAddress(1), { allowedOrigins: ['https://app.example'] });
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
    for (let sent = 0; sent < 3; sent += 1)
      expect((await server.send({ method: 'OPTIONS', headers })).status).toBe(204);
    const served = await callModern(
      server,
      'echo',
      { text: 'hi' },
      { headers: { Origin: 'https://app.example' } },
    );
    expect(served.headers.get('access-control-expose-headers')).toContain('RateLimit, RateLimit-Policy');
  });

  test('counts HTTP+SSE, too', async () => {
    const server = await mounted(httpRuntime, perAddress(1), { sse: true });
    const get = () => server.send({ method: 'GET', headers: { Accept: 'text/event-stream' } }, '/sse');
    const stream = await get();
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    expect((await get()).status).toBe(429);
  });

  describe('behind proxies', () => {
    const FROM = 'x-test-peer';

    /** Mounts the fixture where requests come from the peers that they name. */
    async function behind(trustedProxies: readonly string[] | undefined) {
      const { app } = await createFixture({ limits: { rates: perAddress(1) } });
      const handler = nodeHandler(app, trustedProxies ? { trustedProxies } : {});
      const server: Server = createServer((incoming, response) => {
        const value = incoming.headers[FROM];
        Object.defineProperty(incoming.socket, 'remoteAddress', { value, configurable: true });
        handler(incoming, response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      open.push({
        close: async () => {
          await handler.close(0);
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
          await app.close();
        },
      });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      return async (peer: string, forwarded?: string): Promise<number> => {
        const to: Mounted = {
          send: (init) =>
            nodeFetch(url, {
              ...init,
              headers: {
                ...init.headers,
                [FROM]: peer,
                ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
              },
            }),
          close: () => Promise.resolve(),
        };
        return (await callModern(to, 'echo', { text: 'hi' })).status;
      };
    }

    test('counts who is named by a trusted one', async () => {
      const send = await behind(['10.0.0.0/8', '::1', '2001:db8:1::/48']);
      expect(await send('10.0.0.5', '192.0.2.1')).toBe(200);
      expect(await send('10.0.0.5', '192.0.2.1')).toBe(429);
      expect(await send('::ffff:10.0.0.6', '192.0.2.2')).toBe(200);
      expect(await send('::1', '192.0.2.3, 10.1.1.1')).toBe(200);
      expect(await send('10.9.9.9', '192.0.2.3')).toBe(429);
      expect(await send('2001:db8:1::7', '[2001:db8:2:3::4]:443, 10.1.1.1:80')).toBe(200);
      expect(await send('10.0.0.5', '2001:db8:2:3::5')).toBe(429);
      expect(await send('10.0.0.5', '2001:0DB8:0002:3:0::6')).toBe(429);
    });

    test('takes no word of those who are not trusted', async () => {
      const send = await behind(['10.0.0.0/8']);
      expect(await send('192.0.2.1', '192.0.2.9')).toBe(200);
      expect(await send('192.0.2.1', '192.0.2.8')).toBe(429);
      // What a client has made up stands before what the proxy adds.
      expect(await send('10.0.0.5', '192.0.2.7, 192.0.2.1')).toBe(429);
      expect(await send('10.0.0.5', 'nonsense')).toBe(200);
      expect(await send('10.0.0.5')).toBe(429);
    });

    test('counts connections where none is trusted', async () => {
      const send = await behind(undefined);
      expect(await send('10.0.0.5', '192.0.2.1')).toBe(200);
      expect(await send('10.0.0.5', '192.0.2.2')).toBe(429);
    });

    test.each(['10.0.0', '10.0.0.0/33', 'proxy.example', '::1/129', ':::', '*'])(
      'refuses %s as one',
      async (wrong) => {
        const { app } = await createFixture();
        open.push(app);
        expect(() => nodeHandler(app, { trustedProxies: [wrong] })).toThrow(
          /trustedProxies.*list of addresses/,
        );
      },
    );
  });
});
