import { describe, expect, test } from '@jest/globals';
import { Quota } from '../../src/transport/quota.js';

describe('Quota', () => {
  test('gives no client more than its part, and all together no more than there is', () => {
    const quota = new Quota(5, 3);
    expect([quota.take('a'), quota.take('a', 2), quota.take('a')]).toEqual([true, true, false]);
    expect([quota.take('b', 2), quota.take('c')]).toEqual([true, false]);
    expect(quota.taken).toBe(5);
  });

  test('has room again for what is given back', () => {
    const quota = new Quota(2, 1);
    quota.take('a');
    expect(quota.take('a')).toBe(false);
    quota.give('a');
    expect(quota.take('a')).toBe(true);
    expect(quota.taken).toBe(1);
  });

  test('bounds clients that cannot be told apart by the total alone', () => {
    const quota = new Quota(3, 1);
    expect([1, 2, 3, 4].map(() => quota.take(undefined))).toEqual([true, true, true, false]);
  });
});
