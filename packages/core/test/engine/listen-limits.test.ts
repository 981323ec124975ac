import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import {
  type GuardContext,
  type AppOptions,
  defineResource,
  defineTool,
  type Guard,
  type RequestContext,
  Service,
  TaskSupport,
} from '../../src/index.js';
import {
  appOf,
  type Client,
  type Json,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  until,
} from '../harness.js';
import { beginTask, taskClient } from '../extensions/task-client.js';

const acknowledged = 'notifications/subscriptions/acknowledged';
const updated = 'notifications/resources/updated';

const texts = (guards: NonNullable<Parameters<typeof defineResource>[0]['guards']> = []) =>
  defineResource({ name: 'texts', uri: 'text://{name}', handle: () => 'text', guards });

const serve = (options: Partial<AppOptions> = {}) => appOf({ definitions: [texts()], ...options });

async function listen(client: Client, notifications: Json = {}, id: string | number = 'sub'): Promise<void> {
  const before = client.heard(acknowledged).length;
  client.start('subscriptions/listen', { notifications }, id);
  await until(() => client.heard(acknowledged).length > before);
}

const refusal = (client: Client, notifications: Json = {}) =>
  client.error('subscriptions/listen', { notifications });

const uris = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => `text://${at}${'a'.repeat(length)}`);

test('the URIs of one subscription have 262,144 characters together at most', async () => {
  const client = statelessClient(await serve());
  const most = uris(131, 1_980);
  await listen(client, { resourceSubscriptions: most });
  expect(await refusal(client, { resourceSubscriptions: [...most, ...uris(3, 1_990)] })).toEqual({
    code: -32602,
    message: 'The URIs have more than 262144 characters together: open several subscriptions',
  });
});

describe('the number of open subscriptions', () => {
  test('is bounded for each client, and a connection is one where nothing else tells clients apart', async () => {
    const app = await serve({ limits: { maxSubscriptionsPerClient: 2 } });
    const [full, other] = [statelessClient(app), statelessClient(app)];
    await listen(full, {}, 1);
    await listen(full, {}, 2);
    expect(await refusal(full)).toEqual({
      code: -32603,
      message: 'The maximum number of subscriptions is open: 10000 for all clients, or 2 for one client',
    });
    await listen(other);
    expect(other.heard(acknowledged)).toHaveLength(1);
    full.notify('notifications/cancelled', { requestId: 1 });
    await listen(full, {}, 3);
    expect(full.heard(acknowledged)).toHaveLength(3);
  });

  test('is bounded for each principal, over all connections [checklist 59]', async () => {
    const app = await serve({ limits: { maxSubscriptionsPerClient: 1 } });
    const of = (id: string) => statelessClient(app, {}, { requestInfo: { principal: { id } } });
    await listen(of('ada'));
    expect((await refusal(of('ada'))).code).toBe(-32603);
    const bob = of('bob');
    await listen(bob);
    expect(bob.heard(acknowledged)).toHaveLength(1);
  });

  test('is bounded also while guards are being asked', async () => {
    const asked: (() => void)[] = [];
    const slow = texts([() => new Promise((resolve) => asked.push(() => resolve(true)))]);
    const app = await appOf({ definitions: [slow], limits: { maxSubscriptions: 1 } });
    const client = statelessClient(app);
    client.start('subscriptions/listen', { notifications: { resourceSubscriptions: ['text://a'] } }, 'sub');
    await until(() => asked.length > 0);
    expect((await refusal(client, { resourceSubscriptions: ['text://a'] })).code).toBe(-32603);
    expect(asked).toHaveLength(1);
  });

  test('is one less when a client has cancelled while guards were being asked', async () => {
    const asked: (() => void)[] = [];
    const slow = texts([() => new Promise((resolve) => asked.push(() => resolve(true)))]);
    const app = await appOf({ definitions: [slow], limits: { maxSubscriptions: 1 } });
    const gone: string[] = [];
    app.on('subscribed', (uri) => gone.push(uri));
    const client = statelessClient(app);
    client.start('subscriptions/listen', { notifications: { resourceSubscriptions: ['text://a'] } }, 'sub');
    await until(() => asked.length > 0);
    client.notify('notifications/cancelled', { requestId: 'sub' });
    await settled();
    for (const answer of asked) answer();
    await settled();
    await listen(client, {}, 'next');
    expect(client.heard(acknowledged)).toHaveLength(1);
    expect(gone).toEqual([]);
  });
});

describe('what subscriptions keep', () => {
  const limits = { maxSubscribedBytes: 40_000 };

  test('is bounded for each client: a quarter of what there is, and given back at the end [checklist 59]', async () => {
    const app = await serve({ limits });
    const [full, other] = [statelessClient(app), statelessClient(app)];
    const much = { resourceSubscriptions: uris(10, 200) };
    await listen(full, much, 1);
    expect(await refusal(full, much)).toEqual({
      code: -32603,
      message:
        'Subscriptions have reached a memory limit: 40000 bytes for all clients, or 10000 bytes for one client',
    });
    await listen(other, much, 1);
    expect(other.heard(acknowledged)).toHaveLength(1);
    full.notify('notifications/cancelled', { requestId: 1 });
    await settled();
    for (let id = 2; id < 20; id += 1) {
      await listen(full, much, id);
      full.notify('notifications/cancelled', { requestId: id });
      await settled();
    }
    expect(full.heard(acknowledged)).toHaveLength(19);
  });

  test('counts everything a request brings, served or not', async () => {
    const client = statelessClient(await serve({ limits }));
    expect((await refusal(client, { more: 'x'.repeat(6000) })).code).toBe(-32603);
    expect((await refusal(client, { resourceSubscriptions: uris(40, 100) })).code).toBe(-32603);
    expect((await refusal(client, { more: Array.from({ length: 200 }, () => ({})) })).code).toBe(-32603);
  });

  test('counts the headers of a request, which guards are shown again', async () => {
    const app = await serve({ limits });
    const requestInfo = { headers: { note: 'x'.repeat(6000), list: ['x', 'y'] } };
    expect((await refusal(statelessClient(app, {}, { requestInfo }))).code).toBe(-32603);
    const session = await openSession(app, '2025-11-25', {}, { requestInfo });
    expect((await session.error('resources/subscribe', { uri: 'text://a' })).code).toBe(-32603);
    const smaller = await openSession(
      app,
      '2025-11-25',
      {},
      { requestInfo: { headers: { note: 'x'.repeat(2000) } } },
    );
    for (let at = 0; at < 20; at += 1) {
      for (const uri of ['text://a', 'text://b', 'text://a'])
        expect(await smaller.result('resources/subscribe', { uri })).toEqual({});
      for (const uri of ['text://a', 'text://b']) await smaller.result('resources/unsubscribe', { uri });
    }
  });

  test('is bounded for sessions, too, and ends with each subscription and each session', async () => {
    const app = await serve({ limits });
    const full = await openSession(app);
    const [first, ...rest] = uris(25, 200);
    const subscribe = (client: Client, uri = '') => client.request('resources/subscribe', { uri });
    const errors: unknown[] = [];
    for (const uri of [first, ...rest]) errors.push((await subscribe(full, uri)).error?.code);
    expect(errors.filter((code) => code === -32603)).not.toHaveLength(0);
    expect(errors[0]).toBeUndefined();
    await full.result('resources/unsubscribe', { uri: first });
    expect((await subscribe(full, rest.at(-1))).error).toBeUndefined();
    for (let at = 0; at < 10; at += 1) {
      const session = await openSession(app, '2025-11-25', {}, { requestInfo: { principal: { id: 'ada' } } });
      const answers = await Promise.all(rest.slice(0, 10).map((uri) => subscribe(session, uri)));
      expect(answers.map(({ error }) => error)).toEqual(answers.map(() => undefined));
      await session.close();
    }
  });

  test('is not kept for a session that ends while guards are being asked', async () => {
    const asked: (() => void)[] = [];
    const app = await appOf({
      definitions: [texts([() => new Promise((resolve) => asked.push(() => resolve(true)))])],
    });
    const subscribed: string[] = [];
    app.on('subscribed', (uri) => subscribed.push(uri));
    const client = await openSession(app);
    client.start('resources/subscribe', { uri: 'text://a' });
    await settled();
    await client.close();
    for (const answer of asked) answer();
    await settled();
    expect(subscribed).toEqual([]);
  });
});

describe('guards are asked again', () => {
  /** Allows a principal until it is revoked. */
  function revocable(options: Partial<AppOptions> = {}) {
    const revoked = new Set<string>();
    const logger = recordingLogger();
    const app = appOf({
      definitions: [texts([({ principal }: GuardContext) => !revoked.has(principal?.id ?? '')])],
      limits: { recheckMs: 20 },
      logger,
      ...options,
    });
    return { revoked, logger, app };
  }

  test('about what a stream hears of, which ends when they refuse', async () => {
    const { revoked, logger, app: started } = revocable();
    const app = await started;
    const of = (id: string) => statelessClient(app, {}, { requestInfo: { principal: { id } } });
    const [ada, bob] = [of('ada'), of('bob')];
    for (const client of [ada, bob])
      await listen(client, { resourceSubscriptions: ['text://a', 'text://b'] });
    await delay(50);
    expect(ada.received).toHaveLength(1);
    revoked.add('ada');
    expect((await ada.response('sub')).result).toMatchObject({ resultType: 'complete' });
    app.notifyResourceUpdated('text://a');
    await settled();
    expect([ada, bob].map((client) => client.heard(updated).length)).toEqual([0, 1]);
    expect(logger.lines).toContainEqual({
      level: 'info',
      details: {
        id: expect.any(String),
        principal: 'ada',
        client: 'tester 0',
        requestId: 'sub',
        method: 'subscriptions/listen',
        uri: 'text://a',
      },
      message: 'a subscription has ended, because guards now refuse it',
    });
  });

  test('about what a session hears of, which hears of it no more when they refuse', async () => {
    const { revoked, app: started } = revocable();
    const app = await started;
    const gone: string[] = [];
    app.on('unsubscribed', (uri) => gone.push(uri));
    const client = await openSession(app, '2025-11-25', {}, { requestInfo: { principal: { id: 'ada' } } });
    await client.result('resources/subscribe', { uri: 'text://a' });
    await delay(50);
    expect(gone).toEqual([]);
    revoked.add('ada');
    await until(() => gone.length > 0);
    expect(gone).toEqual(['text://a']);
    app.notifyResourceUpdated('text://a');
    await settled();
    expect(client.heard(updated)).toEqual([]);
    revoked.clear();
    expect(await client.result('resources/subscribe', { uri: 'text://a' })).toEqual({});
  });

  test.each(['a stream', 'a session'])('with a state of their own each time: for %s', async (what) => {
    const revoked = new Set<string>();
    const known = texts([
      ({ principal, state }) => (state['known'] ??= !revoked.has(principal?.id ?? '')) === true,
    ]);
    const { app: started } = revocable({ definitions: [known] });
    const app = await started;
    const gone: string[] = [];
    app.on('unsubscribed', (uri) => gone.push(uri));
    const requestInfo = { principal: { id: 'ada' } };
    if (what === 'a stream')
      await listen(statelessClient(app, {}, { requestInfo }), { resourceSubscriptions: ['text://a'] });
    else
      await (
        await openSession(app, '2025-11-25', {}, { requestInfo })
      ).result('resources/subscribe', { uri: 'text://a' });
    await delay(50);
    expect(gone).toEqual([]);
    revoked.add('ada');
    await until(() => gone.length > 0);
    expect(gone).toEqual(['text://a']);
  });

  test('and those that hang hold up no others', async () => {
    const revoked = new Set<string>();
    const asked = { hanging: 0 };
    const guard = ({ principal }: GuardContext): boolean | Promise<boolean> => {
      if (principal?.id !== 'hanging' || !revoked.has('hanging')) return !revoked.has(principal?.id ?? '');
      asked.hanging += 1;
      return new Promise<boolean>(() => undefined);
    };
    const app = await appOf({ definitions: [texts([guard])], limits: { recheckMs: 20 } });
    const of = (id: string) => statelessClient(app, {}, { requestInfo: { principal: { id } } });
    const [hanging, ada] = [of('hanging'), of('ada')];
    for (const client of [hanging, ada])
      await listen(client, { resourceSubscriptions: ['text://a', 'text://b'] });
    revoked.add('hanging');
    await until(() => asked.hanging > 0);
    await delay(100);
    revoked.add('ada');
    expect((await ada.response('sub')).result).toMatchObject({ resultType: 'complete' });
    // Once for each resource: a check that has not come to its end is not begun again.
    expect(asked.hanging).toBe(2);
  });

  test('with the same arguments, by instances of their own that are disposed of', async () => {
    const seen: unknown[] = [];
    const disposed: object[] = [];
    @Service({ scope: 'request' })
    class Own implements Guard {
      allows() {
        return true;
      }
      permits(context: RequestContext) {
        seen.push(context.principal?.id);
        return seen.length < 2;
      }
      onClose() {
        disposed.push(this);
      }
    }
    const { app: started } = revocable({ definitions: [texts([Own])] });
    const app = await started;
    const gone: string[] = [];
    app.on('unsubscribed', (uri) => gone.push(uri));
    const client = await openSession(app, '2025-11-25', {}, { requestInfo: { principal: { id: 'ada' } } });
    await client.result('resources/subscribe', { uri: 'text://a' });
    await until(() => disposed.length === 2);
    expect([seen, gone, disposed.length]).toEqual([['ada', 'ada'], ['text://a'], 2]);
  });

  test.each([
    ['fail', () => Promise.reject(new Error('database gone'))],
    ['do not answer', () => new Promise<boolean>(() => undefined)],
  ])('and neither refuse nor allow when they %s: they are asked again', async (_how, failing) => {
    let answer: () => boolean | Promise<boolean> = () => true;
    const logger = recordingLogger();
    const { app: started } = revocable({
      definitions: [texts([() => answer()])],
      limits: { recheckMs: 20, guardTimeoutMs: 20 },
      logger,
    });
    const client = statelessClient(await started);
    await listen(client, { resourceSubscriptions: ['text://a', 'text://b'] });
    answer = failing;
    const failures = () => logger.lines.filter(({ level }) => level === 'error');
    await until(() => failures().length === 2);
    // One line each time.
    expect(failures()[0]).toMatchObject({
      message: 'a subscription could not be checked; it continues',
      details: { about: 'text://a, text://b' },
    });
    expect(client.messages.some(({ id }) => id === 'sub')).toBe(false);
    answer = () => false;
    expect((await client.response('sub')).result).toBeDefined();
  });

  test('about the tools whose tasks a stream hears of', async () => {
    const revoked = new Set<string>();
    const work = defineTool({
      name: 'work',
      metadata: TaskSupport.entry('optional'),
      guards: [({ principal }) => !revoked.has(principal?.id ?? '')],
      handle: () => 'done',
    });
    const app = await appOf({ definitions: [work], limits: { recheckMs: 20 } });
    const client = taskClient(app, {}, { principal: { id: 'ada' } });
    const taskId = await beginTask(client, 'work');
    await listen(client, { taskIds: [taskId] });
    expect(client.heard(acknowledged)).toMatchObject([{ notifications: { taskIds: [taskId] } }]);
    await delay(50);
    expect(client.messages.some(({ id }) => id === 'sub')).toBe(false);
    revoked.add('ada');
    expect((await client.response('sub')).result).toBeDefined();
  });

  test('only while there is something to ask about', async () => {
    const asked: string[] = [];
    const { app: started } = revocable({
      definitions: [texts([({ principal }) => asked.push(principal?.id ?? '') > 0])],
    });
    const client = statelessClient(await started);
    await listen(client, { resourceSubscriptions: ['text://a'] });
    await until(() => asked.length > 1);
    client.notify('notifications/cancelled', { requestId: 'sub' });
    await delay(30);
    const before = asked.length;
    await delay(60);
    expect(asked).toHaveLength(before);
  });
});
