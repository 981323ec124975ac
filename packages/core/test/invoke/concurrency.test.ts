import { describe, expect, test } from '@jest/globals';
import {
  type App,
  type AppOptions,
  defineTool,
  Limit,
  Tool,
  ToolContext,
  UseGuards,
} from '../../src/index.js';
import { appOf, clientOf, deferred, statelessClient, until } from '../harness.js';

const ada = { requestInfo: { principal: { id: 'ada' } } };
const bob = { requestInfo: { principal: { id: 'bob' } } };

describe('concurrency', () => {
  /** An app whose tool answers when it is let go. */
  async function holding(limit: object, more: Partial<AppOptions> = {}) {
    const waiting: (() => void)[] = [];
    const state = { most: 0, running: 0 };
    const app: App = await appOf({
      definitions: [
        defineTool({
          name: 'search',
          limit,
          handle: async () => {
            state.running += 1;
            state.most = Math.max(state.most, state.running);
            const { promise, resolve } = deferred();
            waiting.push(resolve);
            await promise;
            state.running -= 1;
            return 'found';
          },
        }),
      ],
      ...more,
    });
    return { app, waiting, state };
  }

  test('refuses a call when as many run as may', async () => {
    const { app, waiting } = await holding({ concurrency: 2 });
    const client = statelessClient(app, {}, ada);
    const [first, second] = [client.call('search'), client.call('search')];
    expect(await client.error('tools/call', { name: 'search' })).toEqual({
      code: 429,
      message: 'Too many calls of tool search are running: at most 2 are allowed; try again in 1 s',
      data: { retryAfterMs: 1000, policy: 'tool search' },
    });
    expect(await statelessClient(app, {}, bob).error('tools/call', { name: 'search' })).toMatchObject({
      code: 429,
    });
    for (const go of waiting) go();
    await Promise.all([first, second]);
    const third = client.call('search');
    await until(() => waiting.length === 3);
    waiting[2]?.();
    await third;
  });

  test('counts each key apart', async () => {
    const { app, waiting } = await holding({ concurrency: 1, per: 'principal' });
    const calls = [ada, bob].map((who) => statelessClient(app, {}, who).call('search'));
    await until(() => waiting.length === 2);
    expect(await statelessClient(app, {}, ada).error('tools/call', { name: 'search' })).toMatchObject({
      code: 429,
    });
    for (const go of waiting) go();
    await Promise.all(calls);
  });

  test('has calls wait for their turn, the first to come first', async () => {
    const order: unknown[] = [];
    const app = await appOf({
      definitions: [
        defineTool({
          name: 'search',
          limit: { concurrency: 1, queueMs: 10_000 },
          input: { type: 'object', properties: { at: { type: 'integer' } } },
          handle: async ({ at }) => {
            order.push(`begins ${String(at)}`);
            await new Promise((resolve) => setTimeout(resolve, 5));
            order.push(`ends ${String(at)}`);
          },
        }),
      ],
    });
    const client = statelessClient(app, {}, ada);
    await Promise.all([1, 2, 3].map((at) => client.call('search', { at })));
    expect(order).toEqual(['begins 1', 'ends 1', 'begins 2', 'ends 2', 'begins 3', 'ends 3']);
  });

  test('refuses who has waited for too long', async () => {
    const { app, waiting } = await holding({ concurrency: 1, queueMs: 30 });
    const client = statelessClient(app, {}, ada);
    const first = client.call('search');
    expect(await client.error('tools/call', { name: 'search' })).toMatchObject({ code: 429 });
    waiting[0]?.();
    await first;
    const next = client.call('search');
    await until(() => waiting.length === 2);
    waiting[1]?.();
    await next;
  });

  test('gives no turn to who has cancelled', async () => {
    const { app, waiting } = await holding({ concurrency: 1, queueMs: 10_000 });
    const client = await clientOf(app, '2025-11-25', ada);
    const first = client.call('search');
    await until(() => waiting.length === 1);
    const second = client.start('tools/call', { name: 'search' });
    const third = client.call('search');
    client.notify('notifications/cancelled', { requestId: second });
    waiting[0]?.();
    await first;
    await until(() => waiting.length === 2);
    waiting[1]?.();
    await third;
    expect(waiting).toHaveLength(2);
  });

  test('has nobody wait who has cancelled before', async () => {
    const asked = deferred();
    const waiting = deferred();
    let runs = 0;
    class Slow {
      allows() {
        return true;
      }
      async permits() {
        if (runs === 1) await asked.promise;
        return true;
      }
    }
    const handle = async () => {
      runs += 1;
      await waiting.promise;
      return 'found';
    };
    const app = await appOf({
      guards: [Slow],
      definitions: [defineTool({ name: 'search', limit: { concurrency: 1, queueMs: 10_000 }, handle })],
    });
    const client = await clientOf(app, '2025-11-25', ada);
    const first = client.call('search');
    await until(() => runs === 1);
    const second = client.start('tools/call', { name: 'search' });
    client.notify('notifications/cancelled', { requestId: second });
    await client.list('tools');
    asked.resolve();
    await client.list('tools');
    waiting.resolve();
    await first;
    await client.list('tools');
    expect(runs).toBe(1);
  });

  test('keeps the place of a handler that is late until it has ended', async () => {
    const { app, waiting } = await holding({ concurrency: 1 }, { timeoutMs: 20 });
    const client = statelessClient(app, {}, ada);
    expect(await client.call('search')).toMatchObject({ isError: true });
    expect(await client.error('tools/call', { name: 'search' })).toMatchObject({ code: 429 });
    waiting[0]?.();
    await until(async () => (await client.request('tools/call', { name: 'search' })).error === undefined);
    waiting[1]?.();
  });

  test.each([
    [
      'throws at once',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['answers at once', () => 'yes'],
  ])('has the place of a handler that %s again', async (_what, handle) => {
    const app = await appOf({
      definitions: [defineTool({ name: 'search', limit: { concurrency: 1 }, handle })],
    });
    const client = statelessClient(app, {}, ada);
    for (let call = 0; call < 3; call += 1)
      expect(await client.request('tools/call', { name: 'search' })).not.toHaveProperty('error');
  });

  test('holds for all and for each at once', async () => {
    const { app, waiting, state } = await holding([{ concurrency: 2 }, { concurrency: 1, per: 'principal' }]);
    const clients = ['ada', 'bob', 'cid'].map((id) =>
      statelessClient(app, {}, { requestInfo: { principal: { id } } }),
    );
    const calls = clients.flatMap((client) => [
      client.request('tools/call', { name: 'search' }),
      client.request('tools/call', { name: 'search' }),
    ]);
    await until(() => waiting.length === 2);
    for (const go of waiting) go();
    const answers = await Promise.all(calls);
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(2);
    expect(state.most).toBe(2);
    const again = clients[2]?.call('search');
    await until(() => waiting.length === 3);
    waiting[2]?.();
    await again;
  });

  test('is asked after permits, before middleware', async () => {
    const order: string[] = [];
    class Checks {
      allows() {
        return true;
      }
      permits() {
        order.push('permits');
        return true;
      }
    }
    class Archive {
      @Tool()
      @Limit({ concurrency: 1, per: () => (order.push('concurrency'), 'all') })
      @Limit({ rate: '9/h', per: () => (order.push('rate'), 'all') })
      @UseGuards(() => order.push('allows') > 0, Checks)
      search(_context: ToolContext) {
        order.push('handler');
        return 'found';
      }
    }
    const app = await appOf({
      services: [Archive],
      middleware: [(_context, next) => (order.push('middleware'), next())],
    });
    await statelessClient(app).call('search');
    expect(order).toEqual(['rate', 'allows', 'permits', 'concurrency', 'middleware', 'handler']);
  });
});
