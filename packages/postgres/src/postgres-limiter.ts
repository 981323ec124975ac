import type { LimitDecision, Limiter, Rate } from '@sigil/core/backend';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { keyOf } from './names.js';
import type { PostgresConnection } from './postgres-connection.js';

/** How much is kept. */
export interface PostgresLimiterOptions {
  /**
   * Most keys that are counted at once, about. Beyond them those whose count is nearest to its end are forgotten.
   * @default 100,000
   */
  readonly maxKeys?: number;
}

/** What the sum of times may be off by, in milliseconds. */
const ROUNDING_MS = 1e-6;

/** The names of the options. */
export const LIMITER_OPTIONS: OptionTable<PostgresLimiterOptions> = { maxKeys: true };

/**
 * Counts in PostgreSQL, exactly, in all processes together.
 *
 * @example
 * ```ts
 * const limiter = new PostgresLimiter(connection);
 * const { allowed, retryAfterMs } = await limiter.take(`mail ${principal.id}`, { limit: 10, windowMs: 60_000 });
 * ```
 */
export class PostgresLimiter implements Limiter {
  readonly #connection: PostgresConnection;

  /**
   * @param connection to PostgreSQL; it is not closed with the limiter.
   * @param options how much is kept.
   * @throws DefinitionError when a limit is no positive integer.
   */
  constructor(connection: PostgresConnection, options: PostgresLimiterOptions = {}) {
    OptionChecks.limits('PostgresLimiter', options, LIMITER_OPTIONS);
    this.#connection = connection;
    connection.sweep('SELECT $schema.sweep_limits($1) AS more', options.maxKeys ?? 100_000);
  }

  async take(key: string, { limit, windowMs, burst = limit }: Rate, cost = 1): Promise<LimitDecision> {
    const everyMs = windowMs / limit;
    const [mostMs, costMs] = [everyMs * burst, everyMs * cost];
    const [row] = await this.#connection.query<{ allowed: boolean; used_ms: number }>(
      'SELECT allowed, used_ms FROM $schema.take_limit($1, $2, $3)',
      keyOf(key),
      mostMs,
      costMs,
    );
    const { allowed = false, used_ms: usedMs = 0 } = row ?? {};
    return {
      allowed,
      remaining: Math.max(0, Math.floor((mostMs - usedMs + ROUNDING_MS) / everyMs)),
      retryAfterMs: allowed ? 0 : Math.ceil(usedMs + costMs - mostMs),
    };
  }
}
