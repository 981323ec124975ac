import { describe, expect, jest, test } from '@jest/globals';
import { describeStateStore } from '../../../../tests/contract/backend/state-store.js';
import { MemoryStateStore, OverloadedError } from '../../src/backend.js';
import { SlowStateStore } from '../fixtures/slow-state-store.js';

describeStateStore('MemoryStateStore', (bounds) => new MemoryStateStore(bounds));
describeStateStore('the slow store of these tests', (bounds) => new SlowStateStore(bounds));

describe('MemoryStateStore', () => {
  /** Runs a test with a clock that stands still until it is set. */
  function at(use: (set: (ms: number) => void) => void): void {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(0);
    try {
      use((ms) => clock.mockReturnValue(ms));
    } finally {
      clock.mockRestore();
    }
  }

  test('forgets ids that have expired', () => {
    at((set) => {
      const store = new MemoryStateStore();
      for (const [id, forMs] of Object.entries({ a: 10, b: 20, c: 30 })) store.use(id, forMs);
      set(20);
      expect(store.use('d', 20)).toBe('first');
      expect(store.size).toBe(2);
      expect(store.use('c', 30)).toBe('used');
    });
  });

  test('is bounded: it refuses what it could not remember, and forgets nothing to make room', () => {
    at((set) => {
      const store = new MemoryStateStore({ maxStates: 2 });
      store.use('long', 100);
      store.use('short', 10);
      expect(() => store.use('more', 100)).toThrow('More than 2 states');
      expect([store.use('long', 100), store.use('short', 10), store.size]).toEqual(['used', 'used', 2]);
      set(10);
      expect(store.use('more', 100)).toBe('first');
      expect(() => store.use('still more', 100)).toThrow(OverloadedError);
      expect(store.use('long', 100)).toBe('used');
    });
  });

  test('gives each client a quarter of its room, so that one cannot stop the rounds of others', () => {
    at((set) => {
      const store = new MemoryStateStore({ maxStates: 8 });
      expect([store.use('a', 10, 'ada'), store.use('b', 20, 'ada')]).toEqual(['first', 'first']);
      expect(() => store.use('c', 20, 'ada')).toThrow(
        'More than 8 states are in use, or more than 2 for one client',
      );
      expect([store.use('d', 20, 'bob'), store.use('e', 20)]).toEqual(['first', 'first']);
      set(10);
      expect([store.use('c', 20, 'ada'), store.size]).toEqual(['first', 4]);
      const narrow = new MemoryStateStore({ maxStatesPerClient: 1 });
      narrow.use('a', 20, 'ada');
      expect(() => narrow.use('b', 20, 'ada')).toThrow(OverloadedError);
    });
  });

  test('has room for a client again once a state of its has expired, behind one of another that lasts longer', () => {
    at((set) => {
      const store = new MemoryStateStore({ maxStatesPerClient: 1 });
      store.use('long', 100, 'eve');
      store.use('short', 10, 'ada');
      expect(() => store.use('more', 10, 'ada')).toThrow(OverloadedError);
      set(10);
      expect([store.use('more', 10, 'ada'), store.use('long', 100, 'eve')]).toEqual(['first', 'used']);
    });
  });

  test.each([0, -1, 1.5, NaN])('takes no bound of %s', (maxStates) => {
    expect(() => new MemoryStateStore({ maxStates })).toThrow(
      'MemoryStateStore({ maxStates }): it must be a positive integer',
    );
    expect(() => new MemoryStateStore({ maxStatesPerClient: maxStates })).toThrow(
      'MemoryStateStore({ maxStatesPerClient }): it must be a positive integer',
    );
  });
});
