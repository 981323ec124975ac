import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApp, defineResource, defineTool, type MaybePromise } from '@sigil/core';
import type { Principal } from '@sigil/core/transport';
import { createFixture, type Fixture } from './fixtures/app.js';
import { BRIDGES, type Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { type Line, recordingLogger } from './fixtures/log.js';
import { call, callModern, json, post, postModern, request, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { until, within } from './fixtures/within.js';

const ADA: Principal = { id: 'ada' };
const OPTIONS = {
  sse: true,
  reauthenticateMs: 30,
  limits: { authenticateTimeoutMs: 50 },
  streams: { afterMs: 10, retryMs: 10 },
};
const FILTER = { resourceSubscriptions: ['note://1'] };

describe.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'a stream that stays open · %s',
  (_name, bridge) => {
    let fixture: Fixture;
    let mounted: Mounted;
    let found: () => MaybePromise<Principal | undefined>;
    let asked = 0;
    let lines: Line[];

    beforeEach(async () => {
      const { logger, lines: written } = recordingLogger();
      lines = written;
      found = () => ADA;
      fixture = await createFixture({ logger });
      const authenticate = (): MaybePromise<Principal | undefined> => {
        asked += 1;
        return found();
      };
      mounted = await bridge.mount(fixture.app, { ...OPTIONS, authenticate });
    });

    afterEach(async () => {
      await mounted.close(0);
      await fixture.app.close();
    });

    const logged = (level: Line['level']): Line[] =>
      lines.filter((line) => line.level === level && line.message !== 'listens');
    const listen = (): Promise<Response> =>
      postModern(mounted, 'subscriptions/listen', { notifications: FILTER }, { id: 'sub' });

    test('hears of no resource that its principal has lost the scope of, when it belongs to a session', async () => {
      const reader = defineResource({
        name: 'page',
        uri: 'page://1',
        guards: [({ principal }) => principal?.scopes?.includes('read') === true],
        handle: () => 'page',
      });
      const app = await createApp({
        name: 'scoped',
        version: '1.0.0',
        definitions: [reader],
        limits: { recheckMs: 30 },
        logger: recordingLogger().logger,
      });
      const scoped = await bridge.mount(app, { ...OPTIONS, authenticate: () => found() });
      found = () => ({ ...ADA, scopes: ['read'] });
      const unsubscribed: string[] = [];
      app.on('unsubscribed', (uri) => unsubscribed.push(uri));
      try {
        const session = await openSession(scoped);
        const events = new EventReader(await session.listen());
        await session.post(request('resources/subscribe', { uri: 'page://1' }));
        await delay(100);
        expect(unsubscribed).toEqual([]);
        found = () => ADA;
        await until(() => unsubscribed.length > 0);
        app.notifyResourceUpdated('page://1');
        await scoped.close(0);
        expect(
          (await within(events.rest())).filter((text) => JSON.stringify(text).includes('page://1')),
        ).toEqual([]);
      } finally {
        await scoped.close(0);
        await app.close();
      }
    });

    describe.each([
      ['no principal', undefined],
      ['another one', { id: 'bob' }],
    ] as const)('once its request has %s', (_who, next) => {
      test('ends, when it belongs to a session', async () => {
        const session = await openSession(mounted);
        const events = new EventReader(await session.listen());
        found = () => next;
        expect(await within(events.rest())).toEqual([]);
        expect((await session.post(request('ping'))).status).toBe(next ? 404 : 401);
        expect(logged('info')[0]).toMatchObject({
          details: { httpMethod: 'GET', principal: 'ada' },
          message: 'a stream has ended, because its request is no longer authenticated',
        });
      });

      test('ends, when it is that of HTTP+SSE', async () => {
        const client = await SseClient.open(mounted);
        found = () => next;
        expect(await within(client.events.rest())).toEqual([]);
        found = () => ADA;
        expect((await client.post(request('ping'))).status).toBe(404);
      });

      test('ends, when it is a subscription, which is freed', async () => {
        const unsubscribed: string[] = [];
        fixture.app.on('unsubscribed', (uri) => unsubscribed.push(uri));
        const events = new EventReader(await listen());
        await within(events.message());
        found = () => Promise.resolve(next);
        expect(await within(events.rest())).toEqual([]);
        expect(unsubscribed).toEqual(['note://1']);
      });

      test('ends, and its call is cancelled', async () => {
        const response = await callModern(
          mounted,
          'hold',
          { label: 'a', early: true },
          { meta: { progressToken: 1 } },
        );
        const held = await within(fixture.holds.next());
        found = () => next;
        await within(held.returned);
        expect(held.signal.aborted).toBe(true);
        await response.text();
      });

      test('ends, and the call of its session is cancelled', async () => {
        const session = await openSession(mounted);
        const response = await within(session.post(call('hold', { label: 'a' })));
        const held = await within(fixture.holds.next());
        found = () => next;
        await within(held.returned);
        expect(held.signal.aborted).toBe(true);
        expect(await within(response.text())).not.toContain('held');
      });
    });

    test.each([
      ['fails', 'not now', () => Promise.reject(new Error('not now'))],
      [
        'throws',
        'not now',
        () => {
          throw new Error('not now');
        },
      ],
      ['takes too long', 'authenticate took longer than 50 ms', () => new Promise<never>(() => undefined)],
      [
        'gives no principal',
        'the id of a principal must be a string that is not empty',
        () => ({}) as Principal,
      ],
    ] as const)('stays when the question %s, and the log says so', async (_what, message, next) => {
      const events = new EventReader(await listen());
      await within(events.message());
      found = next;
      await until(() => logged('error').length > 1);
      expect(logged('error')[0]).toMatchObject({
        details: {
          err: { message: expect.stringContaining(message) as unknown },
          httpMethod: 'POST',
          principal: 'ada',
        },
        message: 'a stream could not be authenticated again',
      });
      fixture.app.notifyResourceUpdated('note://1');
      expect((await within(events.message()))?.method).toBe('notifications/resources/updated');
      found = () => undefined;
      await within(events.rest());
    });

    test('has the scopes of its principal as they are now', async () => {
      const scopes = defineTool({
        name: 'scopes',
        handle: async (_args, context) => {
          context.progress(1);
          await fixture.holds.hold('', context.signal, () => undefined);
          return context.principal?.scopes?.join();
        },
      });
      fixture.app.tools.add(scopes);
      found = () => ({ id: 'ada', scopes: ['read'] });
      const response = await callModern(mounted, 'scopes', {}, { meta: { progressToken: 1 } });
      const held = await within(fixture.holds.next());
      found = () => ({ id: 'ada', scopes: ['write'] });
      const before = asked;
      await until(() => asked > before);
      held.release();
      const [, answer] = await new EventReader(response).rest();
      expect(textOf(answer)).toBe('write');
    });

    test('is asked about no more once it is closed', async () => {
      const session = await openSession(mounted);
      const events = new EventReader(await session.listen());
      const before = asked;
      await until(() => asked > before);
      await events.cancel().catch(() => undefined);
      await until(async () => {
        const then = asked;
        await delay(100);
        return asked === then;
      });
      expect(logged('error')).toEqual([]);
    });
  },
);

describe.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'a request whose authentication hangs · %s',
  (_name, bridge) => {
    test.each(['/mcp', '/sse'])(
      'is refused at %s with 503 after a while, and the log says so',
      async (path) => {
        const { logger, lines } = recordingLogger();
        const { app } = await createFixture({ logger });
        const late: ((principal: Principal) => void)[] = [];
        const authenticate = (): Promise<Principal> => new Promise((resolve) => late.push(resolve));
        const mounted = await bridge.mount(app, {
          authenticate,
          limits: { authenticateTimeoutMs: 20 },
          sse: true,
        });
        const response = await within(mounted.send({ headers: { Accept: 'text/event-stream' } }, path));
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
        expect(await json(response)).toMatchObject({ id: null, error: { code: -32603 } });
        for (const resolve of late) resolve(ADA);
        await delay(5);
        expect(lines.filter(({ message }) => message !== 'listens')).toMatchObject([
          {
            level: 'error',
            details: { err: { message: 'authenticate took longer than 20 ms' }, httpMethod: 'GET', path },
            message: 'a request could not be authenticated in time',
          },
        ]);
        await mounted.close(0);
        await app.close();
      },
    );

    test('is served when it comes in time', async () => {
      const { app } = await createFixture();
      const authenticate = (): Promise<Principal> => delay(10, ADA);
      const mounted = await bridge.mount(app, { authenticate, limits: { authenticateTimeoutMs: 10_000 } });
      expect(textOf(await json(await callModern(mounted, 'whoami')))).toBe('ada');
      expect((await post(mounted, '{')).status).toBe(400);
      await mounted.close(0);
      await app.close();
    });
  },
);
