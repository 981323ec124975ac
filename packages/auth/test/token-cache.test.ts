import { describe, expect, test } from '@jest/globals';
import { TokenCache } from '../src/tokens.js';

describe('what is remembered of tokens', () => {
  test('is that of the last 10,000 at most', () => {
    const cache = new TokenCache<number>();
    for (let token = 0; token < 25_000; token += 1)
      cache.set(`token ${token}`, token, Date.now() + 3_600_000);
    const known = Array.from({ length: 25_000 }, (_, token) => cache.get(`token ${token}`));
    expect(known.slice(0, 15_000).every((found) => found === undefined)).toBe(true);
    expect(known.slice(15_000)).toEqual(Array.from({ length: 10_000 }, (_, at) => 15_000 + at));
  });

  test('is forgotten when its time is over', () => {
    const cache = new TokenCache<string>();
    cache.set('a', 'known', Date.now() - 1);
    expect(cache.get('a')).toBeUndefined();
  });
});
