import { METHODS } from '../../protocol/protocol.js';
import type { CacheableMethod, CacheHint, CacheOptions, ReadResourceResult } from '../../protocol/results.js';
import type { ResourceEntry, TemplateEntry } from '../../registry/entry.js';

/** The cache options of an app. They apply to all results, or to the results of single methods. */
export interface AppCacheOptions extends CacheOptions {
  readonly methods?: Readonly<Partial<Record<CacheableMethod, CacheOptions>>>;
}

/** The hint for results that must not be cached. */
export const NOT_KEPT: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/**
 * The cache hints of results. The most specific setting is used. From most to least specific: result, definition,
 * method, app.
 */
export class CacheHints {
  constructor(private readonly options: AppCacheOptions = {}) {}

  /** Returns the hint for all results of a method. */
  of(method: CacheableMethod): CacheHint {
    const { methods = {}, ...app } = this.options;
    return narrowed(narrowed(byDefault(method), app), methods[method] ?? {});
  }

  /** Returns the hint for the contents of a resource or template. */
  ofRead({ guardCheck, cache = {} }: ResourceEntry | TemplateEntry, result: ReadResourceResult): CacheHint {
    const wide = this.of(METHODS.readResource);
    // A resource with guards is public only if its author says so.
    return narrowed(narrowed(guardCheck ? { ...wide, cacheScope: 'private' } : wide, cache), result);
  }
}

/**
 * Returns the default hint. Contents of a resource may differ between callers, which only the author knows.
 */
function byDefault(method: CacheableMethod): CacheHint {
  return { ttlMs: 0, cacheScope: method === METHODS.readResource ? 'private' : 'public' };
}

function narrowed(wide: CacheHint, { ttlMs, cacheScope }: CacheOptions): CacheHint {
  return { ttlMs: ttlMs ?? wide.ttlMs, cacheScope: cacheScope ?? wide.cacheScope };
}
