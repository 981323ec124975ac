import type { CacheScope } from './cache-hint.js';
import type { ContentBlock, ResourceContents, Role } from './content.js';

/** The result of `tools/call`. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  /** Any JSON value; revisions before 2026-07-28 allow only objects and are served a wrapper. */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** The result of `resources/read`. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  /** How long clients of 2026-07-28 may keep it, in milliseconds; as its definition says unless given. */
  readonly ttlMs?: number;
  /** For whom clients of 2026-07-28 may keep it; as its definition says unless given. */
  readonly cacheScope?: CacheScope;
  readonly _meta?: Record<string, unknown>;
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
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
    /** At most 100. */
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
}
