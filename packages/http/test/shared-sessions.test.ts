import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { defineTool, type Logger } from '@sigil/core';
import { OverloadedError } from '@sigil/core/backend';
import { tokenAuthenticator } from '../src/authentication/index.js';
import { fetchHandler } from '../src/fetch.js';
import { as } from './fixtures/as.js';
import { EventReader, messagesOf } from './fixtures/events.js';
import { recordingLogger } from './fixtures/log.js';
import { call, callModern, json, post, request, textOf } from './fixtures/messages.js';
import { type Node, nodesForEach, openAtBoth } from './fixtures/nodes.js';
import { initialize, openSession, type Session, sessionAt } from './fixtures/session.js';
import type { WatchedSessionStore } from './fixtures/watched-session-store.js';
import { until, within } from './fixtures/within.js';

const nodes = nodesForEach();
afterEach(() => void jest.useRealTimers());

/** A tool that logs one message of each of two levels, which shows the level its session has asked for. */
const logs = defineTool({
  name: 'logs',
  handle: (_args, context) => {
    context.log.debug('debug');
    context.log.error('error');
    return 'logged';
  },
});

async function levels(session: Session): Promise<unknown[]> {
  const messages = await within(messagesOf(await session.post(call('logs'))));
  return messages.filter(({ method }) => method !== undefined).map(({ params }) => params?.['level']);
}

const subscribe = (uri: string): object => request('resources/subscribe', { uri });

describe('a session that is shared', () => {
  test('is served by a process that did not open it', async () => {
    const [, session] = await openAtBoth(await nodes());
    expect(textOf(await json(await session.post(call('echo', { text: 'hello' }))))).toBe('hello');
  });

  test('costs one round trip to the store a request, and stateless calls none', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared);
    for (const session of [first, second]) await session.post(call('echo', { text: 'a' }));
    const before = { ...shared.store.asked };
    for (let turn = 0; turn < 5; turn++)
      for (const session of [first, second]) await session.post(call('echo', { text: 'a' }));
    expect(shared.store.asked).toEqual({ ...before, use: before.use + 10 });
    for (let turn = 0; turn < 5; turn++) await (await callModern(shared.other, 'echo', { text: 'a' })).text();
    expect(shared.store.asked).toEqual({ ...before, use: before.use + 10 });
  });

  test('is taken over once by requests that come at the same time', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared);
    await first.post(subscribe('note://1'));
    const heard: string[] = [];
    shared.other.app.on('subscribed', (uri) => heard.push(uri));
    const answers = Array.from({ length: 20 }, () => second.post(call('echo', { text: 'a' })));
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    expect(heard).toEqual(['note://1']);
  });

  test('is unknown to other principals, wherever they ask', async () => {
    const authenticate = tokenAuthenticator({ ada: { id: 'ada' }, bob: { id: 'bob' } });
    const { one, other } = await nodes({ authenticate });
    const session = await openSession(as('ada', one));
    const at = (who: string, node: Node): Session => sessionAt(as(who, node), session.headers, session.id);
    for (const node of [other, one]) {
      expect((await at('bob', node).post(call('whoami'))).status).toBe(404);
      expect((await at('bob', node).end()).status).toBe(404);
    }
    expect(textOf(await json(await at('ada', other).post(call('whoami'))))).toBe('ada');
    expect((await at('bob', other).post(call('whoami'))).status).toBe(404);
  });

  test('ends in every process when its client ends it in one', async () => {
    const { one, other, store } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const listening = new EventReader(await first.listen());
    const answer = first.post(call('hold', { label: 'a' }));
    const held = await one.holds.next();
    expect((await second.end()).status).toBe(204);
    await within(held.returned);
    expect(held.signal.aborted).toBe(true);
    await within(answer);
    expect(await within(listening.rest())).toEqual([]);
    for (const session of [first, second]) {
      expect((await session.post(call('echo', { text: 'a' }))).status).toBe(404);
      expect((await session.end()).status).toBe(404);
    }
    expect(store.kept.size).toBe(0);
  });

  test('has the log level that was set in another process', async () => {
    const shared = await nodes();
    for (const { app } of [shared.one, shared.other]) app.tools.add(logs);
    const [first, second] = await openAtBoth(shared);
    expect(await levels(second)).toEqual(['debug', 'error']);
    expect(await json(await first.post(request('logging/setLevel', { level: 'error' })))).toMatchObject({
      result: {},
    });
    expect(await levels(second)).toEqual(['error']);
    await second.post(request('logging/setLevel', { level: 'debug' }));
    expect(await levels(first)).toEqual(['debug', 'error']);
  });

  test('hears on its stream of what it subscribed to elsewhere, and of nothing it unsubscribed from', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const events = new EventReader(await first.listen());
    await second.post(subscribe('note://1'));
    await second.post(subscribe('note://2'));
    await until(async () => (await first.post(request('ping'))).status === 200);
    one.app.notifyResourceUpdated('note://1');
    expect((await within(events.message()))?.params).toEqual({ uri: 'note://1' });
    await second.post(request('resources/unsubscribe', { uri: 'note://1' }));
    await first.post(request('ping'));
    other.app.notifyResourceUpdated('note://1');
    other.app.notifyResourceUpdated('note://2');
    expect((await within(events.message()))?.params).toEqual({ uri: 'note://2' });
    await events.cancel();
  });

  test('misses no change that comes while it is found out what it hears of', async () => {
    const { one, other, store } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const events = new EventReader(await first.listen());
    store.delayMs = 20;
    await second.post(subscribe('note://1'));
    other.app.notifyResourceUpdated('note://1');
    expect((await within(events.message()))?.params).toEqual({ uri: 'note://1' });
    await events.cancel();
  });

  test('keeps all that is changed in several processes at once', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared);
    const uris = Array.from({ length: 12 }, (_value, at) => `note://${at}`);
    const asked = uris.map((uri, at) => (at % 2 === 0 ? first : second).post(subscribe(uri)));
    for (const answer of await Promise.all(asked)) expect(await json(answer)).toMatchObject({ result: {} });
    const third = await shared.add();
    const heard: string[] = [];
    third.app.on('subscribed', (uri) => heard.push(uri));
    await sessionAt(third, first.headers, first.id).post(request('ping'));
    expect(heard.sort()).toEqual([...uris].sort());
  });

  test('is spoken to in the dialect its client uses elsewhere', async () => {
    const shared = await nodes();
    for (const { app } of [shared.one, shared.other]) app.tools.add(logs);
    const [first, second] = await openAtBoth(shared);
    await first.post(request('logging/set_level', { level: 'warn' }));
    const [logged] = await within(messagesOf(await second.post(call('logs'))));
    expect(logged?.params).toMatchObject({ level: 'error', message: 'error' });
  });

  test('is not ended by a process that has no room for it any more', async () => {
    const { one, other } = await nodes({ sessions: { max: 1 } });
    const pairs = [await openAtBoth({ one, other }), await openAtBoth({ one, other })];
    for (let turn = 0; turn < 2; turn++)
      for (const session of pairs.flat())
        expect(textOf(await json(await session.post(call('echo', { text: 'a' }))))).toBe('a');
  });

  test('is kept alive by the process that has its stream', async () => {
    // Sockets are real, and the clock stands still while they are busy.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const { one, other, store } = await nodes({ sessions: { idleMs: 60_000 } });
    const [session] = await openAtBoth({ one, other });
    const events = new EventReader(await session.listen());
    const before = store.asked.use;
    await jest.advanceTimersByTimeAsync(120_000);
    expect(store.asked.use).toBeGreaterThanOrEqual(before + 6);
    expect(store.kept.size).toBe(1);
    await events.cancel();
  });

  test('outlives the process that opened it, which sends its client to another one', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const listening = new EventReader(await first.listen());
    await within(listening.event());
    await one.close(0);
    expect((await within(listening.events())).map(({ retry }) => retry)).toEqual([1000]);
    expect(textOf(await json(await second.post(call('echo', { text: 'a' }))))).toBe('a');
  });

  test('that a newer version has written in a way not known here is unknown', async () => {
    const shared = await nodes();
    const [first, second] = await openAtBoth(shared);
    const kept = shared.store.kept.use(first.id, 60_000);
    if (kept === undefined || kept === 'unchanged') throw new Error('The session is not kept');
    const state = { ...kept.state, protocolVersion: '2099-01-01' };
    shared.store.kept.replace({ ...kept, version: kept.version + 1, state }, 60_000);
    for (const session of [first, second]) expect((await session.post(request('ping'))).status).toBe(404);
  });

  test.each(['x', '__proto__', 'ffffffff-ffff-4fff-8fff-ffffffffffff'])('is not found by %s', async (id) => {
    const { one } = await nodes();
    const session = sessionAt(one, { 'Mcp-Session-Id': id }, id);
    expect((await session.post(request('ping'))).status).toBe(404);
    expect((await session.end()).status).toBe(404);
  });

  test('belongs to its process where the transport is told so', async () => {
    const { one, other, store } = await nodes({ sessions: { store: false } });
    const [first, second] = await openAtBoth({ one, other });
    expect((await first.post(request('ping'))).status).toBe(200);
    expect((await second.post(request('ping'))).status).toBe(404);
    expect(store.asked).toEqual({ create: 0, use: 0, replace: 0, delete: 0 });
  });
});

describe('a process that closes', () => {
  test.each<[string, number, (session: Session, node: Node) => Promise<Response>]>([
    ['a call of a session that it takes over', 200, (session) => session.post(call('echo'))],
    ['a stream of one', 200, (session) => session.listen()],
    ['the end of one', 204, (session) => session.end()],
    ['who opens one', 200, (_session, node) => post(node, initialize())],
  ])('serves %s, for which it has asked the store before', async (_, status, ask) => {
    const { one, other, store } = await nodes();
    const [, session] = await openAtBoth({ one, other });
    const release = store.hold();
    const before = asked(store);
    const answer = ask(session, other);
    await until(() => asked(store) > before);
    const closed = other.close(20_000);
    release();
    const { status: told, headers } = await within(answer);
    expect([told, headers.get('retry-after')]).toEqual([status, null]);
    await within(closed);
  });

  test('does not wait for a store that does not answer longer than for calls', async () => {
    const { one, other, store } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    const release = store.hold();
    const before = asked(store);
    const answer = second.post(call('echo'));
    await until(() => asked(store) > before);
    await within(other.close(10));
    release();
    expect(await refusal(answer)).toEqual([503, '10', 'The server is closing']);
    expect((await first.post(request('ping'))).status).toBe(200);
  });

  test('has clients that come later try again', async () => {
    const { one, other } = await nodes();
    const [first, second] = await openAtBoth({ one, other });
    await other.close(0);
    expect(await refusal(second.post(request('ping')))).toEqual([503, '10', 'The server is closing']);
    expect((await first.post(request('ping'))).status).toBe(200);
  });

  function asked({ asked: { use, create } }: WatchedSessionStore): number {
    return use + create;
  }

  async function refusal(answer: Promise<Response>): Promise<unknown[]> {
    const response = await within(answer);
    const { error } = await json(response);
    return [response.status, response.headers.get('retry-after'), error?.message];
  }
});

test('a session for which the store has no room is refused for now', async () => {
  const { one, store } = await nodes();
  store.create = () => {
    throw new OverloadedError('Too many sessions');
  };
  const answer = await post(one, initialize());
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await json(answer)).toMatchObject({ id: 'init', error: { message: 'Too many sessions' } });
});

test.each([{ store: {} }, { store: true }, { store: { use: () => undefined } }])(
  'a session store like %j is refused when the app is mounted',
  async (sessions) => {
    const { one } = await nodes();
    const mount = (): unknown => fetchHandler(one.app, { sessions: sessions as object });
    expect(mount).toThrow(
      'sessions.store }): it must be an object with the methods create, use, replace, delete, list',
    );
  },
);

describe.each(['throws', 'rejects'] as const)('a session store that %s', (broken) => {
  test('has sessions refused for now, stateless calls served, and all served once it is back', async () => {
    const { logger, lines } = recordingLogger();
    const { one, other, store } = await nodes({}, { logger: logger satisfies Logger });
    const [first, second] = await openAtBoth({ one, other });
    store.broken = broken;
    const asked = [first, second].flatMap((session) => [
      session.post(request('ping')),
      session.listen(),
      session.end(),
    ]);
    for (const answer of await Promise.all([...asked, post(one, initialize())])) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('10');
      expect(answer.headers.get('mcp-session-id')).toBeNull();
    }
    expect(textOf(await json(await callModern(one, 'echo', { text: 'a' })))).toBe('a');
    expect(lines.filter(({ message }) => message?.includes('session store failed'))).toHaveLength(2);
    store.broken = 'no';
    for (const session of [first, second])
      expect(textOf(await json(await session.post(call('echo', { text: 'a' }))))).toBe('a');
  });

  test('has changes refused, and the session stays as it was', async () => {
    const { one, other, store } = await nodes();
    one.app.tools.add(logs);
    const [session] = await openAtBoth({ one, other });
    store.replace = () => {
      if (broken === 'throws') throw new Error('the store is down');
      return Promise.reject(new Error('the store is down'));
    };
    const changes = [request('logging/setLevel', { level: 'error' }), subscribe('note://1')];
    for (const change of changes) {
      const answer = await session.post(change);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('10');
      expect(await json(answer)).toMatchObject({ error: { code: -32603 } });
    }
    expect(await levels(session)).toEqual(['debug', 'error']);
    const events = new EventReader(await session.listen());
    one.app.notifyResourceUpdated('note://1');
    one.app.tools.remove('logs');
    expect((await within(events.message()))?.method).toBe('notifications/tools/list_changed');
    await events.cancel();
  });

  test('has a client told that its handshake was not kept', async () => {
    const { one, store } = await nodes();
    const opened = await post(one, initialize());
    const headers = { 'Mcp-Session-Id': String(opened.headers.get('mcp-session-id')) };
    const replace = store.replace.bind(store);
    store.replace = () => Promise.reject(new Error('the store is down'));
    const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await post(one, ready, headers)).status).toBe(503);
    store.replace = replace;
    expect((await post(one, ready, headers)).status).toBe(202);
  });
});

describe('a store that was given to the transport alone and never answers', () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  test('has sessions refused for now after the time that stores have', async () => {
    const { logger, lines } = recordingLogger();
    const limits = { storeTimeoutMs: 50 };
    const store = { create: never, use: never, replace: never, delete: never, list: never };
    const { one } = await nodes({ sessions: { store } }, { logger: logger satisfies Logger, limits });
    const id = crypto.randomUUID();
    const session = sessionAt(one, { 'Mcp-Session-Id': id }, id);
    for (const asked of [post(one, initialize()), session.post(request('ping')), session.end()])
      expect((await within(asked)).status).toBe(503);
    const told = lines.filter(({ message }) => message?.startsWith('the session store failed'));
    expect(told.map(({ details }) => details)).toEqual([
      { err: new Error('sessions.store did not answer within 50 ms') },
    ]);
  });

  test('keeps no stream of a client from its answer', async () => {
    const { logger } = recordingLogger();
    const limits = { storeTimeoutMs: 50 };
    const store = { append: never, end: never, after: never, forget: never };
    const { one } = await nodes({ streams: { store } }, { logger: logger satisfies Logger, limits });
    const session = await openSession(one);
    expect(textOf(await json(await within(session.post(call('echo', { text: 'hello' })))))).toBe('hello');
    expect((await within(session.resume('a'))).status).toBe(503);
  });
});
