import type { LimitDecision, Limiter, Rate } from '../backend/backend.js';
import { OptionChecks } from '../transport/option-checks.js';

/** Options of `MemoryLimiter`. */
export interface MemoryLimiterOptions {
  /**
   * Maximum number of keys whose counts are stored. Beyond the maximum, the limiter forgets the key that has had no
   * allowed operation for the longest time.
   * @default 100,000
   */
  readonly maxKeys?: number;
}

/** The tolerated rounding error of a sum of times, in milliseconds. */
const ROUNDING_MS = 1e-6;

/**
 * A limiter that counts in the memory of this process.
 *
 * @example
 * ```ts
 * const limiter = new MemoryLimiter();
 * const { allowed, retryAfterMs } = limiter.take(`mail ${principal.id}`, { limit: 10, windowMs: 60_000 });
 * ```
 */
export class MemoryLimiter implements Limiter {
  /**
   * When the whole allowance of each key is restored, in milliseconds of the clock; ordered by latest use.
   */
  readonly #fullAt = new Map<string, number>();
  readonly #maxKeys: number;

  /**
   * @param options how many keys are stored.
   * @throws DefinitionError if a limit is not a positive integer.
   */
  constructor(options: MemoryLimiterOptions = {}) {
    OptionChecks.limits('MemoryLimiter', options, { maxKeys: true });
    this.#maxKeys = options.maxKeys ?? 100_000;
  }

  take(key: string, { limit, windowMs, burst = limit }: Rate, cost = 1): LimitDecision {
    const now = performance.now();
    const everyMs = windowMs / limit;
    const mostMs = everyMs * burst;
    const beforeMs = Math.max((this.#fullAt.get(key) ?? 0) - now, 0);
    const afterMs = beforeMs + everyMs * cost;
    const allowed = afterMs <= mostMs + ROUNDING_MS;
    if (allowed) this.#count(key, now + afterMs, now);
    const leftMs = mostMs - (allowed ? afterMs : beforeMs);
    return {
      allowed,
      remaining: Math.max(0, Math.floor((leftMs + ROUNDING_MS) / everyMs)),
      retryAfterMs: allowed ? 0 : Math.ceil(afterMs - mostMs),
    };
  }

  #count(key: string, then: number, now: number): void {
    this.#fullAt.delete(key);
    this.#fullAt.set(key, then);
    if (this.#fullAt.size <= this.#maxKeys) return;
    for (const [oldest, fullAt] of this.#fullAt) {
      if (fullAt > now && this.#fullAt.size <= this.#maxKeys) return;
      this.#fullAt.delete(oldest);
    }
  }
}
