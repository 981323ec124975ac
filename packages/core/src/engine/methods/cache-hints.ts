import { METHODS } from '../../protocol/protocol.js';
import type { CacheableMethod, CacheHint, CacheOptions, ReadResourceResult } from '../../protocol/results.js';
import type { ResourceEntry, TemplateEntry } from '../../registry/entry.js';

/** What an app says about the results that clients may keep: all of them, and those of single methods. */
export interface AppCacheOptions extends CacheOptions {
  readonly methods?: Readonly<Partial<Record<CacheableMethod, CacheOptions>>>;
}

/** For results that must not be kept. */
export const NOT_KEPT: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/** Says how long and for whom results may be kept. The more specific setting is used: result, definition, method, app. */
export class CacheHints {
  constructor(private readonly options: AppCacheOptions = {}) {}

  /** The hint for all results of a method. */
  of(method: CacheableMethod): CacheHint {
    const { methods = {}, ...app } = this.options;
    return narrowed(narrowed(byDefault(method), app), methods[method] ?? {});
  }

  /** The hint for what a resource or template gives. */
  ofRead({ guardCheck, cache = {} }: ResourceEntry | TemplateEntry, result: ReadResourceResult): CacheHint {
    const wide = this.of(METHODS.readResource);
    // What only some may read is for all only when its own author says so.
    return narrowed(narrowed(guardCheck ? { ...wide, cacheScope: 'private' } : wide, cache), result);
  }
}

/** What a resource gives may differ by who asks; only its author can know better. */
function byDefault(method: CacheableMethod): CacheHint {
  return { ttlMs: 0, cacheScope: method === METHODS.readResource ? 'private' : 'public' };
}

function narrowed(wide: CacheHint, { ttlMs, cacheScope }: CacheOptions): CacheHint {
  return { ttlMs: ttlMs ?? wide.ttlMs, cacheScope: cacheScope ?? wide.cacheScope };
}
