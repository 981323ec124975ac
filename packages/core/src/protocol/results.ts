import type { ContentBlock, PromptMessage, ResourceContents } from './content.js';
import { METHODS } from './protocol.js';

/** The result of `tools/call`. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  /**
   * Any JSON value. Revisions before 2026-07-28 allow only objects, so their clients receive other values inside an
   * object.
   */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** The result of `resources/read`. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  /**
   * How long clients of revision 2026-07-28 may keep the result, in milliseconds.
   * @default the setting of the definition
   */
  readonly ttlMs?: number;
  /**
   * The kind of cache that may store the result. Only clients of revision 2026-07-28 receive this setting.
   * @default the setting of the definition
   */
  readonly cacheScope?: CacheScope;
  readonly _meta?: Record<string, unknown>;
}

/** The result of `prompts/get`. */
export interface GetPromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: Record<string, unknown>;
}

/** The result of `completion/complete`. */
export interface CompleteResult {
  readonly completion: {
    /** The suggestions; at most 100. */
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
}

/**
 * The kind of cache that may store a result: any cache, even one that several callers share (`public`), or only the
 * caller's own cache (`private`).
 */
export type CacheScope = 'public' | 'private';

/** How long a client may store a result, and in which kind of cache (2026-07-28, server/utilities/caching). */
export interface CacheHint {
  /** How long clients may store the result, in milliseconds; 0 if it must not be reused. */
  readonly ttlMs: number;
  /** `public` if the result is the same for all callers, so that shared caches may store it; otherwise `private`. */
  readonly cacheScope: CacheScope;
}

/** An author's cache options. Omitted options come from the app's option `cache`, or have a default value. */
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

/** A member of a cache hint whose value is invalid, and its valid values. */
interface CacheFault {
  readonly member: keyof CacheHint;
  readonly expected: string;
}

/** Finds all invalid values in an author's cache options. */
export function cacheFaults({ ttlMs, cacheScope }: CacheOptions): CacheFault[] {
  const faults: CacheFault[] = [];
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs >= 0))
    faults.push({ member: 'ttlMs', expected: 'an integer of milliseconds, 0 or more' });
  if (cacheScope !== undefined && cacheScope !== 'public' && cacheScope !== 'private')
    faults.push({ member: 'cacheScope', expected: "'public' or 'private'" });
  return faults;
}
