import { describe, expect, test } from '@jest/globals';
import { OverloadedError } from '@sigil/core/backend';
import { Semaphore } from '../src/semaphore.js';

/** Runs that end when they are told to, and what has begun so far. */
function runs(semaphore: Semaphore): {
  readonly begun: string[];
  start(name: string, client?: string): Promise<string>;
  end(name: string): Promise<void>;
} {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    start: (name, client) =>
      semaphore.run(client, () => {
        begun.push(name);
        return new Promise((resolve) => ends.set(name, () => resolve(name)));
      }),
    async end(name) {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

const limits = { running: 1, total: 3, perClient: 2, waitMs: 1_000 };

describe('a semaphore', () => {
  test('lets so many run at once, and the others in the order they came', async () => {
    const { begun, start, end } = runs(new Semaphore(limits));
    const all = Promise.all(['a', 'b', 'c'].map((name) => start(name)));
    await Promise.resolve();
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await end('c');
    expect(await all).toEqual(['a', 'b', 'c']);
  });

  test('refuses who comes when too many wait, and gives places back', async () => {
    const { start, end } = runs(new Semaphore(limits));
    const all = ['a', 'b', 'c'].map((name) => start(name));
    await expect(start('d')).rejects.toThrow(OverloadedError);
    await end('a');
    const later = start('e');
    for (const name of ['b', 'c', 'e']) await end(name);
    expect(await Promise.all([...all, later])).toEqual(['a', 'b', 'c', 'e']);
  });

  test('leaves places to other clients', async () => {
    const { start, end } = runs(new Semaphore(limits));
    const all = [start('a', 'address 1'), start('b', 'address 1')];
    await expect(start('c', 'address 1')).rejects.toThrow(OverloadedError);
    all.push(start('d', 'address 2'));
    for (const name of ['a', 'b', 'd']) await end(name);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'd']);
  });

  test('lets none wait for too long, and goes on behind them', async () => {
    const { start, end } = runs(new Semaphore({ ...limits, waitMs: 20 }));
    const first = start('a');
    await expect(start('b')).rejects.toThrow('takes too long');
    const third = start('c');
    await end('a');
    await end('c');
    expect(await Promise.all([first, third])).toEqual(['a', 'c']);
  });

  test('goes on after a run that fails', async () => {
    const semaphore = new Semaphore(limits);
    await expect(semaphore.run(undefined, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await semaphore.run(undefined, () => Promise.resolve(1))).toBe(1);
  });
});
