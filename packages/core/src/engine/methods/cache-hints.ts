import { METHODS } from '../../protocol/protocol.js';
import {
  CACHEABLE_METHODS,
  type CacheableMethod,
  type CacheHint,
  type CacheOptions,
  type ReadResourceResult,
} from '../../protocol/results.js';
import type { ResourceEntry, TemplateEntry } from '../../registry/entry.js';

/** What an app says about the results that clients may keep: all of them, and those of single methods. */
export interface AppCacheOptions extends CacheOptions {
  readonly methods?: Readonly<Partial<Record<CacheableMethod, CacheOptions>>>;
}

/** For results that must not be kept. */
export const NOT_KEPT: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/** Says how long and for whom results may be kept. The more specific setting is used: result, definition, method, app. */
export class CacheHints {
  readonly #methods: ReadonlyMap<CacheableMethod, CacheHint>;
  readonly #reads = new WeakMap<ResourceEntry | TemplateEntry, CacheHint>();

  constructor({ methods = {}, ...app }: AppCacheOptions = {}) {
    this.#methods = new Map(
      CACHEABLE_METHODS.map((method) => [
        method,
        narrowed(narrowed(byDefault(method), app), methods[method] ?? {}),
      ]),
    );
  }

  /** The hint for all results of a method. */
  of(method: CacheableMethod): CacheHint {
    return this.#methods.get(method) ?? byDefault(method);
  }

  /** The hint for what a resource or template gives; the same object every time, unless the result says otherwise. */
  ofRead(entry: ResourceEntry | TemplateEntry, result: ReadResourceResult): CacheHint {
    const { ttlMs, cacheScope } = result;
    const known = this.#reads.get(entry) ?? this.#compile(entry);
    return ttlMs === undefined && cacheScope === undefined ? known : narrowed(known, result);
  }

  #compile(entry: ResourceEntry | TemplateEntry): CacheHint {
    const wide = this.of(METHODS.readResource);
    // What only some may read is for all only when its own author says so.
    const hint = narrowed(entry.guardCheck ? { ...wide, cacheScope: 'private' } : wide, entry.cache ?? {});
    this.#reads.set(entry, hint);
    return hint;
  }
}

/** What a resource gives may differ by who asks; only its author can know better. */
function byDefault(method: CacheableMethod): CacheHint {
  return { ttlMs: 0, cacheScope: method === METHODS.readResource ? 'private' : 'public' };
}

function narrowed(wide: CacheHint, { ttlMs, cacheScope }: CacheOptions): CacheHint {
  return { ttlMs: ttlMs ?? wide.ttlMs, cacheScope: cacheScope ?? wide.cacheScope };
}
