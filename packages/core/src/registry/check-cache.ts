import type { Problem } from '../errors/definition-error.js';
import { cacheFaults, type CacheOptions } from '../protocol/results.js';
import { isObject } from '../protocol/json.js';

/** Everything wrong with what a definition says about keeping its results. */
export function checkCache(cache: CacheOptions, where: string): Problem[] {
  const faults = isObject(cache) ? cacheFaults(cache) : [{ member: undefined, expected: 'an object' }];
  return faults.map(({ member, expected }) => ({
    code: 'SIGIL_INVALID_OPTIONS',
    where: `${where}, ${member === undefined ? 'cache' : `cache.${member}`}`,
    what: `it must be ${expected}`,
    fix: 'give a value in range, or leave it out: the app then decides',
  }));
}
