import type { LimitDecision, Limiter, Rate } from '@sigil/core/backend';
import type { PostgresLimits } from './limits.js';
import { keyOf } from './names.js';
import type { PostgresConnection } from './postgres-connection.js';

/** The tolerated rounding error of a sum of times, in milliseconds. */
const ROUNDING_MS = 1e-6;

/**
 * Limits rates. The counts are stored in PostgreSQL, so all processes share them, and the limits are exact.
 *
 * @example
 * ```ts
 * const { allowed, retryAfterMs } = await limiter.take(`mail ${principal.id}`, { limit: 10, windowMs: 60_000 });
 * ```
 */
export class PostgresLimiter implements Limiter {
  constructor(
    private readonly connection: PostgresConnection,
    { maxKeys }: Required<PostgresLimits>,
  ) {
    connection.sweep('SELECT $schema.sweep_limits($1) AS more', maxKeys);
  }

  async take(key: string, { limit, windowMs, burst = limit }: Rate, cost = 1): Promise<LimitDecision> {
    const everyMs = windowMs / limit;
    const [mostMs, costMs] = [everyMs * burst, everyMs * cost];
    const [row] = await this.connection.query<{ allowed: boolean; used_ms: number }>(
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
