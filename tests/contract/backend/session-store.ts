import { describe, expect, test } from '@jest/globals';
import {
  type KeptSession,
  OverloadedError,
  type SessionStore,
  type StoredSession,
} from '@sigil/core/backend';
import { wait } from './waiting.js';

/** Bounds that a suite asks for. */
export interface SessionBounds {
  readonly maxSessions?: number;
  readonly maxSessionsPerClient?: number;
}

/** Makes an empty store, and gives two ends of it, as two processes have them. */
export type CreateSessionStore = (
  bounds?: SessionBounds,
) => Promise<readonly [SessionStore, SessionStore]> | readonly [SessionStore, SessionStore];

const IDLE_MS = 60_000;

const sessionOf = (id: string, more: Partial<StoredSession> = {}): StoredSession => ({
  id,
  version: 1,
  owner: null,
  openedAt: Date.parse('2026-11-20T09:12:44.031Z'),
  state: { level: 'info' },
  ...more,
});
const next = (session: StoredSession, state: StoredSession['state'] = session.state): StoredSession => ({
  ...session,
  version: session.version + 1,
  state,
});
/** A time after which a session is gone, and one that is enough for it. */
const BRIEFLY_MS = 20;
const expiry = () => wait(3 * BRIEFLY_MS);
/** Expects that there is no room, from stores that throw at once and from those that reject. */
const refused = (create: () => unknown) =>
  expect(Promise.resolve().then(create)).rejects.toThrow(OverloadedError);

/** What every session store must do, whatever it keeps sessions in. */
export function describeSessionStore(name: string, create: CreateSessionStore): void {
  describe(`${name} is a session store that`, () => {
    test('knows no session at first', async () => {
      const [store] = await create();
      expect(await store.use('none', IDLE_MS)).toBeUndefined();
      expect(await store.replace(next(sessionOf('none')), IDLE_MS)).toBe(false);
      expect(await store.delete('none')).toBe(false);
      expect(await store.use('none', IDLE_MS)).toBeUndefined();
    });

    test.each<[string, StoredSession]>([
      ['a session of anybody', sessionOf('a')],
      ['one of a principal', sessionOf('b', { owner: 'user 1', client: 'principal user 1' })],
      ['odd texts', sessionOf('c', { owner: '\n"{}" %s', client: '\n \u2028 "Grüße" 🌍' })],
      ['an empty owner and client', sessionOf('d', { owner: '', client: '' })],
      [
        'a state with everything that JSON has',
        sessionOf('e', { state: { a: [1, null, { b: true }], '': {} } }),
      ],
    ])('gives %s back as it was, in every process', async (_, session) => {
      const [here, there] = await create();
      await here.create(session, IDLE_MS);
      expect(await here.use(session.id, IDLE_MS)).toEqual(session);
      expect(await there.use(session.id, IDLE_MS)).toEqual(session);
    });

    test.each(['__proto__', 'constructor', 'a b', 'a:b', '{a}', 'a\nb'])(
      'takes %j for an id like any other',
      async (id) => {
        const [store] = await create();
        expect(await store.use(id, IDLE_MS)).toBeUndefined();
        await store.create(sessionOf(id, { client: 'one' }), IDLE_MS);
        expect(await store.use(id, IDLE_MS)).toMatchObject({ id });
        expect(await store.delete(id)).toBe(true);
        expect(await store.use(id, IDLE_MS)).toBeUndefined();
      },
    );

    test('says that a session is unchanged when its version is known', async () => {
      const [store] = await create();
      const session = sessionOf('a');
      await store.create(session, IDLE_MS);
      expect(await store.use('a', IDLE_MS, 1)).toBe('unchanged');
      await store.replace(next(session), IDLE_MS);
      expect(await store.use('a', IDLE_MS, 1)).toEqual(next(session));
      expect(await store.use('a', IDLE_MS, 2)).toBe('unchanged');
      expect(await store.use('a', IDLE_MS, 12)).toEqual(next(session));
    });

    test('replaces a session with its next version', async () => {
      const [here, there] = await create();
      const session = sessionOf('a', { owner: 'Ada', client: 'Ada' });
      await here.create(session, IDLE_MS);
      expect(await there.replace(next(session, { level: 'debug' }), IDLE_MS)).toBe(true);
      expect(await here.use('a', IDLE_MS)).toEqual(next(session, { level: 'debug' }));
    });

    test('gives a session that belonged to no principal to one', async () => {
      const [here, there] = await create();
      const session = sessionOf('a', { owner: null, client: 'address 127.0.0.1' });
      await here.create(session, IDLE_MS);
      const owned = { ...next(session), owner: 'Ada' };
      expect(await there.replace(owned, IDLE_MS)).toBe(true);
      expect(await here.use('a', IDLE_MS, 1)).toEqual(owned);
      expect(await here.replace({ ...next(session), owner: 'Bob' }, IDLE_MS)).toBe(false);
    });

    test.each([
      ['the same version', 3],
      ['an older one', 2],
      ['one that leaves a version out', 5],
    ])('does not replace a session with %s', async (_, version) => {
      const [store] = await create();
      const session = sessionOf('a', { version: 3 });
      await store.create(session, IDLE_MS);
      expect(await store.replace({ ...session, version, state: { level: 'debug' } }, IDLE_MS)).toBe(false);
      expect(await store.use('a', IDLE_MS)).toEqual(session);
    });

    test('lets one of all who replace a version at once have it', async () => {
      const [here, there] = await create();
      const session = sessionOf('a');
      await here.create(session, IDLE_MS);
      const writers = Array.from({ length: 10 }, (_, writer) => next(session, { writer }));
      const won = await Promise.all(
        writers.map(async (one, index) => (index % 2 ? here : there).replace(one, IDLE_MS)),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await here.use('a', IDLE_MS)).toEqual(writers[won.indexOf(true)]);
    });

    test('ends a session once', async () => {
      const [here, there] = await create();
      const session = sessionOf('a');
      await here.create(session, IDLE_MS);
      await here.create(sessionOf('b'), IDLE_MS);
      expect(await there.delete('a')).toBe(true);
      expect(await there.delete('a')).toBe(false);
      expect(await here.use('a', IDLE_MS, 1)).toBeUndefined();
      expect(await here.replace(next(session), IDLE_MS)).toBe(false);
      expect(await here.use('b', IDLE_MS)).toEqual(sessionOf('b'));
    });

    test('forgets a session that is not used', async () => {
      const [store] = await create();
      const session = sessionOf('a');
      await store.create(session, BRIEFLY_MS);
      await expiry();
      expect(await store.use('a', IDLE_MS)).toBeUndefined();
      expect(await store.replace(next(session), IDLE_MS)).toBe(false);
      expect(await store.delete('a')).toBe(false);
    });

    test('keeps a session from each use on for as long as that use says', async () => {
      const [store] = await create();
      const [used, known, replaced] = [sessionOf('a'), sessionOf('b'), sessionOf('c')];
      for (const session of [used, known, replaced]) await store.create(session, IDLE_MS);
      await store.use('a', BRIEFLY_MS);
      await store.use('b', BRIEFLY_MS, 1);
      await store.replace(next(replaced), BRIEFLY_MS);
      await expiry();
      for (const { id } of [used, known, replaced]) expect(await store.use(id, IDLE_MS)).toBeUndefined();
    });

    test('keeps a session that is used', async () => {
      const [store] = await create();
      await store.create(sessionOf('a'), 1_500);
      for (let turn = 0; turn < 7; turn++) {
        await wait(300);
        expect(await store.use('a', 1_500, 1)).toBe('unchanged');
      }
    });

    test('refuses a session when there are too many', async () => {
      const [here, there] = await create({ maxSessions: 2, maxSessionsPerClient: 2 });
      await here.create(sessionOf('a', { client: 'one' }), IDLE_MS);
      await there.create(sessionOf('b', { client: 'two' }), IDLE_MS);
      for (const client of ['one', 'three', undefined])
        await refused(() => here.create(sessionOf('c', { client }), IDLE_MS));
      expect(await here.use('c', IDLE_MS)).toBeUndefined();
      expect(await here.use('a', IDLE_MS)).toBeDefined();
      expect(await here.replace(next(sessionOf('b', { client: 'two' })), IDLE_MS)).toBe(true);
    });

    test('refuses a session of a client that has too many, and none of others', async () => {
      const [store] = await create({ maxSessions: 10, maxSessionsPerClient: 2 });
      const one = (id: string) => store.create(sessionOf(id, { client: 'one' }), IDLE_MS);
      await one('a');
      await one('b');
      await refused(() => one('c'));
      await store.create(sessionOf('d', { client: 'two' }), IDLE_MS);
      // Clients that cannot be told apart are held to the total alone.
      for (const id of ['e', 'f', 'g']) await store.create(sessionOf(id), IDLE_MS);
      expect(await store.use('g', IDLE_MS)).toBeDefined();
    });

    test('has room again for what has ended', async () => {
      const [store] = await create({ maxSessions: 2, maxSessionsPerClient: 1 });
      for (let turn = 0; turn < 3; turn++) {
        await store.create(sessionOf(`a${turn}`, { client: 'one' }), IDLE_MS);
        await store.create(sessionOf(`b${turn}`), IDLE_MS);
        expect(await store.delete(`a${turn}`)).toBe(true);
        expect(await store.delete(`b${turn}`)).toBe(true);
      }
    });

    test('has room again for what has expired', async () => {
      const [store] = await create({ maxSessions: 2, maxSessionsPerClient: 1 });
      for (let turn = 0; turn < 3; turn++) {
        await store.create(sessionOf(`a${turn}`, { client: 'one' }), BRIEFLY_MS);
        await store.create(sessionOf(`b${turn}`), BRIEFLY_MS);
        await expiry();
      }
    });

    describe('lists', () => {
      /** All pages, each of so many sessions at most. */
      const pagesOf = async (
        store: SessionStore,
        limit: number,
        between: () => unknown = () => undefined,
      ) => {
        const pages: (readonly KeptSession[])[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.list(limit, cursor);
          expect(page.sessions.length).toBeLessThanOrEqual(limit);
          pages.push(page.sessions);
          cursor = page.cursor;
          await between();
        } while (cursor !== undefined);
        return pages.flat();
      };
      const idsOf = (sessions: readonly StoredSession[]) => sessions.map(({ id }) => id).sort();

      test('nothing at first', async () => {
        const [store] = await create();
        expect(await store.list(10)).toEqual({ sessions: [] });
      });

      test('each session once, on pages, in every process', async () => {
        const [here, there] = await create();
        const sessions = Array.from({ length: 23 }, (_, at) =>
          sessionOf(`session ${at}\n`, { owner: `user ${at}`, ...(at % 2 && { client: `${at % 3}\n` }) }),
        );
        await Promise.all(sessions.map(async (session) => here.create(session, IDLE_MS)));
        for (const limit of [4, 23, 100]) {
          const listed = await pagesOf(there, limit);
          expect(idsOf(listed)).toEqual(idsOf(sessions));
          for (const { expiresAt, ...session } of listed) {
            expect(sessions).toContainEqual(session);
            expect(Math.abs(expiresAt - Date.now() - IDLE_MS)).toBeLessThan(IDLE_MS / 5);
          }
        }
      });

      test('none that has ended or expired, and each as it is now', async () => {
        const [store] = await create();
        for (const id of ['a', 'b', 'c', 'd']) await store.create(sessionOf(id), IDLE_MS);
        await store.delete('a');
        await store.use('b', BRIEFLY_MS);
        await store.replace(next(sessionOf('c'), { level: 'debug' }), IDLE_MS);
        await store.use('d', 2 * IDLE_MS);
        await expiry();
        const listed = await pagesOf(store, 10);
        expect(idsOf(listed)).toEqual(['c', 'd']);
        const [c, d] = [...listed].sort((one, other) => one.expiresAt - other.expiresAt);
        expect(c).toMatchObject({ id: 'c', version: 2, state: { level: 'debug' } });
        expect((d?.expiresAt ?? 0) - (c?.expiresAt ?? 0)).toBeGreaterThan(IDLE_MS / 2);
      });

      test('all that stay, while others end', async () => {
        const [store] = await create();
        const all = Array.from({ length: 12 }, (_, at) => `${at}`);
        for (const id of all) await store.create(sessionOf(id), IDLE_MS);
        const ending = ['3', '7', '9'];
        const listed = await pagesOf(store, 2, () => store.delete(ending.shift() ?? ''));
        for (const id of all.filter((each) => !['3', '7', '9'].includes(each)))
          expect(listed.map((session) => session.id)).toContain(id);
      });

      test('without keeping any for longer', async () => {
        const [store] = await create();
        await store.create(sessionOf('a'), 400);
        while ((await store.list(1)).sessions.length > 0) await wait(20);
        expect(await store.use('a', IDLE_MS)).toBeUndefined();
      });
    });

    test('counts a session that is used as one, however long', async () => {
      const [store] = await create({ maxSessions: 1, maxSessionsPerClient: 1 });
      await store.create(sessionOf('a', { client: 'one' }), 1_000);
      // Kept by its use for longer than it was made for.
      expect(await store.use('a', IDLE_MS)).toBeDefined();
      await wait(1_050);
      await refused(() => store.create(sessionOf('b'), IDLE_MS));
      expect(await store.delete('a')).toBe(true);
      await store.create(sessionOf('b'), IDLE_MS);
    });
  });
}
