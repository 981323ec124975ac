import { describe, expect, jest, test } from '@jest/globals';
import { MemoryStateStore, type StateStore } from '@sigil/core/backend';
import { as } from './fixtures/as.js';
import { tokenAuthenticator } from '../src/authentication/index.js';
import { createFixture } from './fixtures/app.js';
import { recordingLogger } from './fixtures/log.js';
import { call, json, post, request, textOf } from './fixtures/messages.js';
import { type Node, nodesForEach } from './fixtures/nodes.js';
import { initialize, openSession, type Session, sessionAt } from './fixtures/session.js';
import { fetchHandler } from '../src/fetch.js';
import type { HttpOptions } from '../src/index.js';

const nodes = nodesForEach();
const DAY_MS = 86_400_000;
const KEYS = ['k'.repeat(32)];

/** Two nodes, and a store that can lose what it has. */
async function start(options: HttpOptions = {}) {
  let states = new MemoryStateStore();
  const store: StateStore = { use: (...given) => states.use(...given) };
  const shared = await nodes(
    { sessions: { sealedMs: DAY_MS }, ...options },
    { state: { keys: KEYS, store } },
  );
  return {
    ...shared,
    lose: async (...sessions: readonly Session[]) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      states = new MemoryStateStore();
      for (const { id } of sessions) shared.store.kept.delete(id.split('.')[0] ?? '');
    },
  };
}

const echo = async (session: Session): Promise<unknown> => {
  const answer = await session.post(call('echo', { text: 'hello' }));
  return answer.status === 200 ? textOf(await json(answer)) : answer.status;
};

describe('a session that is sealed into its id', () => {
  test('is served by any process after the store has lost its data, also by one that never knew it', async () => {
    const { one, other, lose, add } = await start();
    const session = await openSession(one);
    const at = [one, other, await add()].map((node) => sessionAt(node, session.headers, session.id));
    for (const place of at.slice(0, 2)) expect(await echo(place)).toBe('hello');
    for (let turn = 0; turn < 2; turn += 1) {
      await lose(session);
      for (const place of at.toReversed()) expect(await echo(place)).toBe('hello');
    }
  });

  test('is kept anew once, when many requests come at the same time', async () => {
    const { one, other, lose, store } = await start();
    const session = await openSession(one);
    await lose(session);
    const before = store.asked.create;
    const places = [one, other].map((node) => sessionAt(node, session.headers, session.id));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => places)
        .flat()
        .map(echo),
    );
    expect(answers).toEqual(Array(20).fill('hello'));
    expect(store.asked.create - before).toBe(1);
  });

  test('has an id of 2048 characters at most; one that would be longer is not sealed, and is lost', async () => {
    const { one, lose } = await start();
    const session = await openSession(one);
    expect(session.id).toMatch(/^[0-9a-f-]{36}\.[\w-]{100,2011}$/);
    const params = (initialize() as { params: Record<string, unknown> }).params;
    const clientInfo = { name: 'n'.repeat(3_000), version: '1' };
    const opened = await post(one, { ...initialize(), params: { ...params, clientInfo } });
    const id = String(opened.headers.get('mcp-session-id'));
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const long = sessionAt(one, { ...session.headers, 'Mcp-Session-Id': id }, id);
    expect(await echo(long)).toBe('hello');
    await lose(long);
    expect(await echo(long)).toBe(404);
  });

  test('that has ended stays so: by DELETE, also of one that was lost, or by not being used', async () => {
    const { one, other, lose, store } = await start();
    const deleted = await openSession(one);
    const lost = await openSession(one);
    const idle = await openSession(one);
    expect((await deleted.end()).status).toBe(204);
    store.kept.delete(idle.id.split('.')[0] ?? '');
    for (const session of [deleted, idle]) expect(await echo(session)).toBe(404);
    await lose(lost);
    expect((await lost.end()).status).toBe(204);
    for (const node of [one, other]) expect(await echo(sessionAt(node, lost.headers, lost.id))).toBe(404);
  });

  test('is lost once it is older than it may be', async () => {
    const { one, lose } = await start();
    const session = await openSession(one);
    await lose(session);
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + DAY_MS + 1);
    try {
      expect(await echo(session)).toBe(404);
    } finally {
      clock.mockRestore();
    }
  });

  test('cannot be made up, or be another one', async () => {
    const { one, lose } = await start();
    const [session, other] = [await openSession(one), await openSession(one)];
    await lose(session, other);
    const [id = '', sealed = ''] = session.id.split('.');
    const [otherId = ''] = other.id.split('.');
    for (const wrong of [id, `${otherId}.${sealed}`, `${id}.${sealed.slice(0, -4)}AAAA`, `${id}.`, `${id}.x`])
      expect(await echo(sessionAt(one, { ...session.headers, 'Mcp-Session-Id': wrong }, wrong))).toBe(404);
    expect(await echo(session)).toBe('hello');
  });

  test('stays that of its principal', async () => {
    const authenticate = tokenAuthenticator({ ada: { id: 'ada' }, bob: { id: 'bob' } });
    const { one, other, lose } = await start({ authenticate, sessions: { sealedMs: DAY_MS } });
    const session = await openSession(as('ada', one));
    await lose(session);
    const at = (who: string, node: Node): Session => sessionAt(as(who, node), session.headers, session.id);
    expect(await echo(at('bob', other))).toBe(404);
    expect(textOf(await json(await at('ada', other).post(call('whoami'))))).toBe('ada');
    expect(await echo(at('bob', one))).toBe(404);
  });

  test.each<[string, HttpOptions, number]>([
    ['warns', { sessions: { sealedMs: DAY_MS } }, 1],
    ['says nothing', {}, 0],
  ])('%s without a store for %j', async (_what, options, times) => {
    const { logger, lines } = recordingLogger();
    const { app } = await createFixture({ logger });
    await fetchHandler(app, options).close();
    await app.close();
    expect(
      lines.filter(({ details }) => JSON.stringify(details).includes('sessions.sealedMs has no effect')),
    ).toHaveLength(times);
  });

  test.each([0, -1, 1.5])('cannot survive for %s milliseconds', async (sealedMs) => {
    await expect(start({ sessions: { sealedMs } })).rejects.toThrow('sessions.sealedMs');
  });
});

test('a session that is not sealed is lost with the data of the store', async () => {
  const { one, lose } = await start({ sessions: {} });
  const session = await openSession(one);
  expect(session.id).toMatch(/^[0-9a-f-]{36}$/);
  await lose(session);
  expect(await echo(session)).toBe(404);
  expect((await session.post(request('ping'))).status).toBe(404);
});
