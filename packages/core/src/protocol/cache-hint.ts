import { METHODS } from './methods.js';

/** For whom a client may keep a result. */
export type CacheScope = 'public' | 'private';

/** How long, and for whom, a client may keep a result (2026-07-28, server/utilities/caching). */
export interface CacheHint {
  /** Milliseconds; 0 means that the result is stale at once. */
  readonly ttlMs: number;
  /** `public` when nothing in the result depends on who asks: anybody may be given it. */
  readonly cacheScope: CacheScope;
}

/** What an author says about keeping a result. What is left out is decided by whatever is wider. */
export type CacheOptions = Partial<CacheHint>;

/** A method whose results clients may keep. */
export type CacheableMethod = (typeof METHODS)[
  'discover' | 'listTools' | 'listPrompts' | 'listResources' | 'listTemplates' | 'readResource'];

/** The methods whose results clients may keep. */
export const CACHEABLE_METHODS: readonly CacheableMethod[] = [
  METHODS.discover,
  METHODS.listTools,
  METHODS.listPrompts,
  METHODS.listResources,
  METHODS.listTemplates,
  METHODS.readResource,
];

/** A member of a cache hint that is out of range, and what it must be. */
export interface CacheFault {
  readonly member: keyof CacheHint;
  readonly expected: string;
}

/** Everything out of range in what somebody says about keeping a result. */
export function cacheFaults({ ttlMs, cacheScope }: CacheOptions): CacheFault[] {
  const faults: CacheFault[] = [];
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs >= 0))
    faults.push({ member: 'ttlMs', expected: 'an integer of milliseconds, 0 or more' });
  if (cacheScope !== undefined && cacheScope !== 'public' && cacheScope !== 'private')
    faults.push({ member: 'cacheScope', expected: "'public' or 'private'" });
  return faults;
}
