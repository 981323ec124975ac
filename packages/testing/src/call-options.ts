import type { LogLevel } from '@sigil/core';

/** How far the work on a request has come. */
export interface Progress {
  readonly progress: number;
  /** What `progress` will be at the end, when the server knows. */
  readonly total?: number;
  /** Since 2025-03-26. */
  readonly message?: string;
}

/** How one request is made. */
export interface CallOptions {
  /** Asks for progress and takes each report of it, all before the call resolves. */
  readonly onProgress?: (progress: Progress) => void;
  /** Cancels the request: the server is told, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * The mildest log message wanted. In 2026-07-28 it travels with the request; before, it sets the level of the session,
   * which stays.
   */
  readonly logLevel?: LogLevel;
  /** More members of the request's `_meta`. They win over the client's own. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Milliseconds until the call gives up, instead of the connection's. `Infinity` waits for ever. */
  readonly timeoutMs?: number;
}
