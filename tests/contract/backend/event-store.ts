import { describe, expect, test } from '@jest/globals';
import type { EventStore, StreamName } from '@sigil/core/backend';
import { wait } from './waiting.js';

/** Bounds that a suite asks for. */
export interface EventBounds {
  readonly maxEventsPerStream?: number;
  readonly maxBytesPerSession?: number;
  readonly maxAgeMs?: number;
}

/** Makes an empty store, and gives two ends of it, as two processes have them. */
export type CreateEventStore = (
  bounds?: EventBounds,
) => Promise<readonly [EventStore, EventStore]> | readonly [EventStore, EventStore];

const A1: StreamName = { session: 'a', stream: 'a1' };
const A2: StreamName = { session: 'a', stream: 'a2' };
const B1: StreamName = { session: 'b', stream: 'b1' };

/** What every event store must do, whatever it keeps events in. */
export function describeEventStore(name: string, create: CreateEventStore): void {
  describe(`${name} is an event store that`, () => {
    const texts = async (store: EventStore, stream: StreamName, id?: string): Promise<string[]> =>
      (await store.after(stream, id)).events.map(({ message }) => message);

    test('knows nothing of a stream at first', async () => {
      const [store] = await create();
      expect(await store.after(A1)).toEqual({ events: [], ended: false });
    });

    test('gives back what a stream was given, in order, in every process', async () => {
      const [here, there] = await create();
      for (const message of ['1', '2', '3']) await here.append(A1, message);
      expect(await texts(here, A1)).toEqual(['1', '2', '3']);
      expect(await texts(there, A1)).toEqual(['1', '2', '3']);
    });

    test('keeps in order what two processes give a stream', async () => {
      const [here, there] = await create();
      for (const message of ['1', '3', '5']) {
        await here.append(A1, message);
        await there.append(A1, String(Number(message) + 1));
      }
      expect(await texts(here, A1)).toEqual(['1', '2', '3', '4', '5', '6']);
    });

    test('gives what comes after an event, by the ids it gave', async () => {
      const [here, there] = await create();
      const ids: (string | undefined)[] = [];
      for (const message of ['1', '2', '3']) ids.push(await here.append(A1, message));
      expect((await there.after(A1)).events.map(({ id }) => id)).toEqual(ids);
      expect(await Promise.all(ids.map((id) => texts(there, A1, id)))).toEqual([['2', '3'], ['3'], []]);
    });

    test('gives ids that are never the same and fit a header', async () => {
      const [store] = await create();
      const ids = new Set<string | undefined>();
      for (let turn = 0; turn < 100; turn++) ids.add(await store.append(A1, 'x'));
      await store.forget(A1.session, A1.stream);
      for (let turn = 0; turn < 100; turn++) ids.add(await store.append(A1, 'x'));
      expect(ids.size).toBe(200);
      for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]+$/);
    });

    test('keeps streams apart, of one session and of two [checklist 26]', async () => {
      const [store] = await create();
      const id = await store.append(A1, 'of a1');
      await store.append(A2, 'of a2');
      await store.append(B1, 'of b1');
      expect(await texts(store, A1)).toEqual(['of a1']);
      expect(await texts(store, A2)).toEqual(['of a2']);
      expect(await texts(store, B1)).toEqual(['of b1']);
      expect(await texts(store, { session: 'b', stream: 'a1' })).toEqual([]);
      for (const found of await texts(store, B1, id)) expect(found).toBe('of b1');
    });

    test.each([
      '',
      '0',
      '-1',
      '1e3',
      'NaN',
      '999999999999',
      '99999999999999999999',
      '0-0',
      '9'.repeat(20) + '-' + '9'.repeat(20),
      '-',
      '+',
      '$',
      '*',
      '__proto__',
      'a'.repeat(300),
    ])('gives events of the stream or none for an id like %j', async (id) => {
      const [store] = await create();
      await store.append(A1, 'of a1');
      await store.append(B1, 'of b1');
      for (const found of await texts(store, A1, id)) expect(found).toBe('of a1');
    });

    test.each(['__proto__', 'constructor', 'toString', 'a:b', '{a}', 'a}:b', ''])(
      'takes %j for a name like any other',
      async (odd) => {
        const [store] = await create();
        const name = { session: odd, stream: odd };
        expect(await texts(store, name)).toEqual([]);
        await store.append(name, 'odd');
        expect(await texts(store, name)).toEqual(['odd']);
        await store.forget(odd);
        expect(await texts(store, name)).toEqual([]);
      },
    );

    test('gives messages back as they were', async () => {
      const [store] = await create();
      const message = '{"text":"Grüße 🌍 \\n \u2028"}';
      await store.append(A1, message);
      expect(await texts(store, A1)).toEqual([message]);
    });

    test('says of a stream whether it has ended, in every process', async () => {
      const [here, there] = await create();
      const id = await here.append(A1, 'last');
      await here.append(A2, 'of another');
      expect(await there.after(A1)).toMatchObject({ ended: false });
      await here.end(A1);
      expect(await there.after(A1)).toEqual({ events: [{ id, message: 'last' }], ended: true });
      expect(await there.after(A1, id)).toEqual({ events: [], ended: true });
      expect(await there.after(A2)).toMatchObject({ ended: false });
    });

    test('ends a stream with its last message, in every process', async () => {
      const [here, there] = await create();
      await here.append(A1, 'first');
      const id = await here.append(A1, 'last', true);
      await here.append(A2, 'only', true);
      expect(await texts(there, A1)).toEqual(['first', 'last']);
      expect(await there.after(A1, id)).toEqual({ events: [], ended: true });
      expect(await there.after(A2)).toMatchObject({ events: [{ message: 'only' }], ended: true });
    });

    test('adds nothing to a stream that has ended, and says so to every process', async () => {
      const [here, there] = await create();
      for (const end of [
        (name: StreamName) => here.end(name),
        (name: StreamName) => here.append(name, 'x', true),
      ]) {
        const name = { session: 'a', stream: crypto.randomUUID() };
        await here.append(name, 'first');
        await end(name);
        const before = await there.after(name);
        expect(before.ended).toBe(true);
        for (const store of [here, there]) {
          expect(await store.append(name, 'late')).toBeUndefined();
          expect(await store.append(name, 'late', true)).toBeUndefined();
          await store.end(name);
        }
        expect(await there.after(name)).toEqual(before);
      }
      expect(await here.append(A2, 'of another')).toBeDefined();
    });

    test('gives the last word to one of many that end a stream at the same time', async () => {
      const ends = await create();
      for (let turn = 0; turn < 10; turn++) {
        const name = { session: 'a', stream: crypto.randomUUID() };
        await ends[0].append(name, 'first');
        const messages = Array.from({ length: 8 }, (_, at) => `last ${at}`);
        const ids = await Promise.all(
          messages.map(async (message, at) => (ends[at % 2] as EventStore).append(name, message, true)),
        );
        const told = messages.filter((_, at) => ids[at] !== undefined);
        expect(told).toHaveLength(1);
        expect(await texts(ends[1], name)).toEqual(['first', ...told]);
      }
    });

    test('ends a stream with a message that is too large to be kept', async () => {
      const [store] = await create({ maxBytesPerSession: 100_000 });
      await store.append(A1, 'first');
      const id = await store.append(A1, 'x'.repeat(200_000), true);
      expect(await store.after(A1)).toMatchObject({ events: [{ message: 'first' }], ended: true });
      expect(await store.after(A1, id)).toEqual({ events: [], ended: true });
      expect(await store.append(A1, 'late')).toBeUndefined();
    });

    test('says nothing has ended of what was forgotten', async () => {
      const [store] = await create();
      await store.append(A1, 'last');
      await store.end(A1);
      await store.forget('a', 'a1');
      expect(await store.after(A1)).toEqual({ events: [], ended: false });
    });

    test('forgets one stream', async () => {
      const [here, there] = await create();
      for (const name of [A1, A2, B1]) await here.append(name, name.stream);
      await there.forget('a', 'a1');
      expect(await texts(here, A1)).toEqual([]);
      expect(await texts(here, A2)).toEqual(['a2']);
      expect(await texts(here, B1)).toEqual(['b1']);
    });

    test('forgets all streams of one session', async () => {
      const [here, there] = await create();
      for (const name of [A1, A2, B1]) await here.append(name, name.stream);
      await there.forget('a');
      expect(await texts(here, A1)).toEqual([]);
      expect(await texts(here, A2)).toEqual([]);
      expect(await texts(here, B1)).toEqual(['b1']);
    });

    test('does not mind to forget or to end what it does not know', async () => {
      const [store] = await create();
      await store.forget('none');
      await store.forget('none', 'nothing');
      await store.end({ session: 'none', stream: 'nothing' });
      await store.append(A1, 'one');
      await store.forget('a', 'nothing');
      expect(await texts(store, A1)).toEqual(['one']);
    });

    test('drops the oldest events of a stream that has too many, and still knows their ids', async () => {
      const [store] = await create({ maxEventsPerStream: 20 });
      const messages = Array.from({ length: 200 }, (_, index) => String(index));
      const first = await store.append(A1, 'first');
      await store.append(A2, 'of another');
      for (const message of messages) await store.append(A1, message);
      const left = await texts(store, A1);
      expect(left.length).toBeGreaterThanOrEqual(20);
      expect(left.length).toBeLessThan(150);
      expect(left).toEqual(messages.slice(-left.length));
      expect(await texts(store, A1, first)).toEqual(left);
      expect(await texts(store, A2)).toEqual(['of another']);
    });

    test('drops the oldest events of a session that are too large together', async () => {
      const [store] = await create({ maxBytesPerSession: 100_000 });
      const messages = Array.from({ length: 100 }, (_, index) => `${index}:${'x'.repeat(10_000)}`);
      await store.append(B1, 'of another');
      for (const message of messages) await store.append(A1, message);
      const left = await texts(store, A1);
      expect(left.length).toBeGreaterThanOrEqual(2);
      expect(left.length).toBeLessThan(20);
      expect(left).toEqual(messages.slice(-left.length));
      await store.append(A2, 'small');
      expect(await texts(store, A2)).toEqual(['small']);
      expect(await texts(store, B1)).toEqual(['of another']);
    });

    test('does not keep a message that is too large alone, and keeps the others', async () => {
      const [store] = await create({ maxBytesPerSession: 100_000 });
      const first = await store.append(A1, 'first');
      const large = await store.append(A1, 'x'.repeat(200_000));
      const last = await store.append(A1, 'last');
      expect(new Set([first, large, last]).size).toBe(3);
      expect(await texts(store, A1)).toEqual(['first', 'last']);
      expect(await texts(store, A1, large)).toEqual(['last']);
    });

    test('forgets events that have become too old', async () => {
      const [store] = await create({ maxAgeMs: 50 });
      await store.append(A1, 'old');
      await wait(150);
      expect(await store.after(A1)).toEqual({ events: [], ended: false });
      await store.append(A1, 'new');
      expect((await texts(store, A1)).filter((text) => text !== 'new')).toEqual([]);
    });
  });
}
