import type { LimitDecision, Limiter, Rate } from '@sigil/core/backend';
import { type RedisConnection, redisScript } from './redis-connection.js';

// The other form of the same algorithm: it stores the used amount, which drains evenly. Small numbers stay exact; the
// time when everything has drained would be a large number.
const TAKE = redisScript(`
local limit, windowMs, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local everyMs = windowMs / limit
-- What rounding may add up to.
local nothing = 0.000001

local used = 0
local kept = redis.call('GET', KEYS[1])
if kept then
  local before, at = string.match(kept, '^(%S+) (%S+)$')
  used = math.max(0, before - math.max(0, now - at) / 1000 / everyMs)
end
local allowed = used + cost <= burst + nothing
if not allowed then
  return { 0, math.max(0, math.floor(burst - used + nothing)), math.ceil((used + cost - burst) * everyMs) }
end
used = used + cost
local drainedMs = math.ceil(used * everyMs)
if drainedMs > 0 then
  redis.call('SET', KEYS[1], string.format('%.17g %.17g', used, now), 'PX', string.format('%.0f', drainedMs))
end
return { 1, math.max(0, math.floor(burst - used + nothing)), 0 }
`);

/**
 * Limits rates. The counts are stored in Redis, so all processes share them, and the limits are exact.
 *
 * @example
 * ```ts
 * const { allowed, retryAfterMs } = await limiter.take(`mail ${principal.id}`, { limit: 10, windowMs: 60_000 });
 * ```
 */
export class RedisLimiter implements Limiter {
  /** @param connection the connection to the Redis server that stores the counts. */
  constructor(private readonly connection: RedisConnection) {}

  async take(key: string, { limit, windowMs, burst = limit }: Rate, cost = 1): Promise<LimitDecision> {
    // One key per limit, so that a cluster distributes them.
    const name = `${this.connection.prefix}:limits/${key}`;
    const reply = await this.connection.run(TAKE, [name], [limit, windowMs, burst, cost]);
    const [allowed, remaining, retryAfterMs] = reply as readonly [number, number, number];
    return { allowed: allowed === 1, remaining, retryAfterMs };
  }
}
