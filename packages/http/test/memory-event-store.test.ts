import { DefinitionError } from '@sigil/core';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type MemoryEventStoreOptions, MemoryEventStore } from '@sigil/core/backend';

const MESSAGE = 'x'.repeat(300);
/** What the limits count for one such message. */
const BYTES = 1_000;

/** Appends as many messages as it is told to a stream. */
function fill(
  store: MemoryEventStore,
  session: string,
  stream: string,
  count: number,
): (string | undefined)[] {
  return Array.from({ length: count }, () => store.append({ session, stream }, MESSAGE));
}

function kept(store: MemoryEventStore, session: string, stream: string): string[] {
  return store.after({ session, stream }).events.map(({ id }) => id);
}

test('counts two bytes a character and what an event costs itself', () => {
  const store = new MemoryEventStore();
  fill(store, 'a', '1', 3);
  expect([store.size, store.bytes]).toEqual([3, 3 * BYTES]);
});

test('counts a long name of a stream, once, for as long as it has events', () => {
  const store = new MemoryEventStore({ maxBytesPerSession: 10 * BYTES, maxAgeMs: 60_000 });
  const [named, other] = ['s'.repeat(2_064), 'o'.repeat(2_064)];
  fill(store, 'a', named, 2);
  expect(store.bytes).toBe(2 * BYTES + 4_000);
  fill(store, 'a', other, 4);
  // The first name went with its last event.
  expect([kept(store, 'a', named), store.bytes]).toEqual([[], 4 * BYTES + 4_000]);
  const tooLong = 'x'.repeat(5_000);
  fill(store, 'a', tooLong, 1);
  expect([kept(store, 'a', tooLong), store.size]).toEqual([[], 4]);
});

test('a stream keeps its newest events; others lose nothing by it', () => {
  const store = new MemoryEventStore({ maxEventsPerStream: 10 });
  const other = fill(store, 'a', 'other', 5);
  const ids = fill(store, 'a', '1', 1_000);
  expect(kept(store, 'a', '1')).toEqual(ids.slice(-10));
  expect(kept(store, 'a', 'other')).toEqual(other);
  expect(store.size).toBe(15);
});

test('a session keeps its newest events, whichever of its streams they are of', () => {
  const store = new MemoryEventStore({ maxBytesPerSession: 10 * BYTES });
  const first = fill(store, 'a', '1', 6);
  const second = fill(store, 'a', '2', 7);
  const other = fill(store, 'b', '1', 10);
  expect(kept(store, 'a', '1')).toEqual(first.slice(-3));
  expect(kept(store, 'a', '2')).toEqual(second);
  expect(kept(store, 'b', '1')).toEqual(other);
});

test('all sessions together keep the newest events', () => {
  const store = new MemoryEventStore({ maxBytes: 10 * BYTES });
  const first = fill(store, 'a', '1', 6);
  const second = fill(store, 'b', '1', 7);
  expect(kept(store, 'a', '1')).toEqual(first.slice(-3));
  expect(kept(store, 'b', '1')).toEqual(second);
  expect(store.bytes).toBe(10 * BYTES);
});

test('never holds more than its limits, whatever comes', () => {
  const limits = { maxEventsPerStream: 50, maxBytesPerSession: 100 * BYTES, maxBytes: 200 * BYTES };
  const store = new MemoryEventStore(limits);
  for (let turn = 0; turn < 5_000; turn++) {
    const session = `session ${turn % 7}`;
    store.append({ session, stream: `stream ${turn % 11}` }, 'y'.repeat((turn * 37) % 2_000));
    expect(store.bytes).toBeLessThanOrEqual(limits.maxBytes);
  }
  for (let session = 0; session < 7; session++) store.forget(`session ${session}`);
  expect([store.size, store.bytes]).toEqual([0, 0]);
});

test('a message that is too large by itself costs no other its place, and has an id', () => {
  const store = new MemoryEventStore({ maxBytesPerSession: 2 * BYTES });
  const ids = fill(store, 'a', '1', 2);
  const large = store.append({ session: 'a', stream: '1' }, MESSAGE.repeat(10));
  expect(ids).not.toContain(large);
  expect(kept(store, 'a', '1')).toEqual(ids);
  expect(store.after({ session: 'a', stream: '1' }, large).events).toEqual([]);
});

test('an id whose event was dropped gives what is left', () => {
  const store = new MemoryEventStore({ maxEventsPerStream: 2 });
  const [first = '', , third = '', fourth = ''] = fill(store, 'a', '1', 4);
  expect(store.after({ session: 'a', stream: '1' }, first).events.map(({ id }) => id)).toEqual([
    third,
    fourth,
  ]);
});

test('forgetting gives everything back', () => {
  const store = new MemoryEventStore();
  for (let session = 0; session < 100; session++) fill(store, String(session), '1', 10);
  expect(store.size).toBe(1_000);
  for (let session = 0; session < 100; session++) store.forget(String(session));
  expect([store.size, store.bytes]).toEqual([0, 0]);
});

describe('with time', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('events go, oldest first, also when nothing happens any more', () => {
    const store = new MemoryEventStore({ maxAgeMs: 1_000 });
    fill(store, 'a', '1', 3);
    jest.advanceTimersByTime(600);
    const ids = fill(store, 'b', '1', 2);
    jest.advanceTimersByTime(600);
    expect(kept(store, 'a', '1')).toEqual([]);
    expect(kept(store, 'b', '1')).toEqual(ids);
    jest.advanceTimersByTime(5_000);
    expect([store.size, store.bytes]).toEqual([0, 0]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

test.each<MemoryEventStoreOptions>([
  { maxAgeMs: 0 },
  { maxBytes: -1 },
  { maxBytesPerSession: Number.NaN },
  { maxEventsPerStream: 1.5 },
])('refuses %j', (limits) => {
  expect(() => new MemoryEventStore(limits)).toThrow(DefinitionError);
});
