import { describe, expect, test } from '@jest/globals';
import { OverloadedError, type StateStore, type StateUse } from '@sigil/core/backend';
import { until, wait } from './waiting.js';

/** Bounds of a store under test, as its options name them. */
export interface StateBounds {
  readonly maxStates?: number;
  readonly maxStatesPerClient?: number;
}

const LONG = 60_000;

/**
 * What every store of used states must do, whatever it keeps them in.
 *
 * @param create makes a store in which nothing is remembered yet.
 */
export function describeStateStore(
  name: string,
  create: (bounds?: StateBounds) => StateStore | Promise<StateStore>,
): void {
  describe(`${name} is a state store that`, () => {
    test('takes an id once', async () => {
      const store = await create();
      expect(await store.use('a', LONG)).toBe('first');
      expect(await store.use('a', LONG)).toBe('used');
      expect(await store.use('a', LONG + 1000)).toBe('used');
      expect(await store.use('a', LONG, 'ada')).toBe('used');
    });

    test('keeps ids apart', async () => {
      const store = await create();
      expect(await store.use('a', LONG)).toBe('first');
      for (const id of ['A', 'a ', 'aa', 'b', 'ä', "a'b"])
        expect([id, await store.use(id, LONG)]).toEqual([id, 'first']);
    });

    test('tells one alone of many who ask at the same time', async () => {
      const store = await create();
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, at) => store.use('a', LONG, `${at}`)),
      );
      expect(answers.filter((answer) => answer !== 'used')).toEqual(['first']);
    });

    test('remembers many', async () => {
      const store = await create();
      const ids = Array.from({ length: 200 }, () => crypto.randomUUID());
      const expected = (use: StateUse) => ids.map(() => use);
      expect(await Promise.all(ids.map(async (id) => store.use(id, LONG)))).toEqual(expected('first'));
      expect(await Promise.all(ids.map(async (id) => store.use(id, LONG)))).toEqual(expected('used'));
    });

    test('remembers an id until it expires, whatever expires before', async () => {
      const store = await create();
      await store.use('long', LONG);
      await store.use('short', 40);
      await wait(60);
      await store.use('other', LONG);
      expect(await store.use('long', LONG)).toBe('used');
    });

    test('has forgotten an id once it has expired', async () => {
      const store = await create();
      await store.use('a', 40);
      await until(async () => (await store.use('a', LONG)) === 'first');
      expect(await store.use('a', LONG)).toBe('used');
    });

    test.each(['__proto__', 'constructor', 'toString'])('takes %s for an id like any other', async (id) => {
      const store = await create();
      expect(await store.use(id, LONG, id)).toBe('first');
      expect(await store.use(id, LONG, id)).toBe('used');
    });

    test('refuses what it could not remember, and forgets nothing to make room', async () => {
      const store = await create({ maxStates: 2, maxStatesPerClient: 2 });
      await store.use('a', LONG);
      await store.use('b', LONG);
      await expect(async () => store.use('c', LONG)).rejects.toThrow(OverloadedError);
      expect(await store.use('a', LONG)).toBe('used');
      expect(await store.use('b', LONG)).toBe('used');
    });

    test.each(['states', 'proofs'] as const)(
      'takes none of the %s that are older than what it remembers, used or not',
      async (kind) => {
        const before = Date.now();
        const store = await create();
        expect(await store.use('young', LONG, 'ada', kind, 0)).toBe('first');
        await wait(60);
        expect(await store.use('still young', LONG, 'ada', kind, 20)).toBe('first');
        const ageMs = Date.now() - before + 1_000;
        for (const id of ['old', 'old'])
          expect([id, await store.use(id, LONG, 'ada', kind, ageMs)]).toEqual([id, 'forgotten']);
        expect(await store.use('young', LONG, 'ada', kind, ageMs)).toBe('used');
        // What is forgotten takes no room.
        expect(await store.use('old', LONG, 'ada', kind)).toBe('first');
      },
    );

    test('has room again once an id has expired', async () => {
      const store = await create({ maxStates: 2, maxStatesPerClient: 2 });
      await store.use('long', LONG, 'ada');
      await store.use('short', 40, 'ada');
      await wait(60);
      expect(await store.use('more', LONG, 'ada')).toBe('first');
      await expect(async () => store.use('still more', LONG, 'ada')).rejects.toThrow(OverloadedError);
    });

    test('gives each client its part alone, so that one cannot stop the rounds of others', async () => {
      const store = await create({ maxStates: 8, maxStatesPerClient: 2 });
      expect([await store.use('a', LONG, 'ada'), await store.use('b', LONG, 'ada')]).toEqual([
        'first',
        'first',
      ]);
      await expect(async () => store.use('c', LONG, 'ada')).rejects.toThrow(OverloadedError);
      expect(await store.use('a', LONG, 'ada')).toBe('used');
      expect([await store.use('d', LONG, 'bob'), await store.use('e', LONG)]).toEqual(['first', 'first']);
    });

    test('has room for each kind, so that proofs leave theirs to states', async () => {
      const store = await create({ maxStates: 4, maxStatesPerClient: 2 });
      for (const id of ['a', 'b']) expect(await store.use(id, LONG, 'ada', 'proofs')).toBe('first');
      await expect(async () => store.use('c', LONG, 'ada', 'proofs')).rejects.toThrow(
        'More than 4 proofs are in use, or more than 2 for one client',
      );
      for (const id of ['d', 'e']) expect(await store.use(id, LONG, 'bob', 'proofs')).toBe('first');
      await expect(async () => store.use('f', LONG, 'eve', 'proofs')).rejects.toThrow(OverloadedError);
      expect([await store.use('a', LONG, 'ada'), await store.use('b', LONG, 'ada')]).toEqual([
        'first',
        'first',
      ]);
      await expect(async () => store.use('c', LONG, 'ada')).rejects.toThrow(
        'More than 4 states are in use, or more than 2 for one client',
      );
      expect(await store.use('a', LONG, 'ada', 'proofs')).toBe('used');
    });

    test('forgets proofs that have expired, too', async () => {
      const store = await create({ maxStates: 1, maxStatesPerClient: 1 });
      expect(await store.use('a', 40, 'ada', 'proofs')).toBe('first');
      await wait(60);
      expect(await store.use('b', LONG, 'ada', 'proofs')).toBe('first');
    });

    test('keeps its bounds with many who ask at the same time', async () => {
      const store = await create({ maxStates: 10, maxStatesPerClient: 4 });
      const ask = async (client: string, count: number) =>
        Promise.allSettled(
          Array.from({ length: count }, async (_, at) => store.use(`${client} ${at}`, LONG, client)),
        );
      const outcomes = (
        await Promise.all(['ada', 'bob', 'eve'].map(async (client) => ask(client, 8)))
      ).flat();
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    });
  });
}
