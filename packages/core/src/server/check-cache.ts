import type { AppCacheOptions } from '../engine/methods/cache-hints.js';
import type { Problem } from '../errors/definition-error.js';
import { CACHEABLE_METHODS, cacheFaults } from '../protocol/results.js';
import { isObject } from '../protocol/json.js';
import { invalidOption } from './invalid-option.js';

const KNOWN: ReadonlySet<string> = new Set(CACHEABLE_METHODS);

/** Everything wrong with what an app says about keeping its results. */
export function checkCache(cache: AppCacheOptions): Problem[] {
  if (!isObject(cache)) return [invalidOption('cache', 'an object')];
  const { methods = {} } = cache;
  if (!isObject(methods)) return [invalidOption('cache: { methods }', 'an object')];
  const faults = cacheFaults(cache).map(({ member, expected }) =>
    invalidOption(`cache: { ${member} }`, expected),
  );
  return [...faults, ...Object.entries(methods).flatMap(([method, hint]) => checkMethod(method, hint))];
}

function checkMethod(method: string, hint: unknown): Problem[] {
  const option = `cache: { methods: { '${method}' } }`;
  if (!KNOWN.has(method)) return [invalidOption(option, `one of ${CACHEABLE_METHODS.join(', ')}`)];
  if (!isObject(hint)) return [invalidOption(option, 'an object with ttlMs, cacheScope, or both')];
  return cacheFaults(hint).map(({ member, expected }) =>
    invalidOption(`cache: { methods: { '${method}': { ${member} } } }`, expected),
  );
}
