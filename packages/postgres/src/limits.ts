import { type OptionTable, STORE_LIMITS, type StoreLimits, storeLimits } from '@sigil/core/internal';

/** Limits on the data that a backend stores in PostgreSQL. */
export interface PostgresLimits extends StoreLimits {
  /**
   * Maximum total size of all stored tasks, in bytes. The size of a task is the length of its JSON, rounded up to whole
   * KiB. Beyond the limit, a new task replaces the oldest finished tasks of its owner, or is refused.
   * @default 1 GiB
   */
  readonly maxTaskBytes?: number;
  /**
   * Maximum total size of the stored messages of streams, in bytes, for all sessions together. These messages are
   * stored so that clients can resume the streams. The size can exceed this limit for up to half a minute. Then the
   * oldest messages are deleted.
   * @default 1 GiB
   */
  readonly maxEventBytes?: number;
  /**
   * Approximate maximum number of keys, such as `mail ada`, that have a count in the rate limiter. Beyond this number,
   * the counts that expire first are deleted early, and begin at zero again.
   * @default 100,000
   */
  readonly maxKeys?: number;
}

/** The names of all limits. An option with any other name is reported as unknown. */
export const POSTGRES_LIMITS: OptionTable<PostgresLimits> = {
  ...STORE_LIMITS,
  maxEventBytes: true,
  maxKeys: true,
};

const GIB = 1024 ** 3;

/** Returns the limits, with defaults for the ones that are not set. */
export function postgresLimits(limits: PostgresLimits): Required<PostgresLimits> {
  const { maxEventBytes = GIB, maxKeys = 100_000 } = limits;
  return { ...storeLimits(limits, GIB), maxEventBytes, maxKeys };
}
