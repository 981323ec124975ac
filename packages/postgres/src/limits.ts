import { type OptionTable, STORE_LIMITS, type StoreLimits, storeLimits } from '@sigil/core/internal';

/** Limits on the data that a backend stores in PostgreSQL. */
export interface PostgresLimits extends StoreLimits {
  /**
   * Maximum bytes of all tasks together. The size of a task is the length of its JSON, rounded up to whole KiB.
   * @default 1 GiB
   */
  readonly maxTaskBytes?: number;
  /**
   * Maximum bytes of the streams of all sessions together. The total may exceed this for up to half a
   * minute, until the oldest events are deleted.
   * @default 1 GiB
   */
  readonly maxEventBytes?: number;
  /**
   * Approximate maximum number of keys of the limiter. Above it, the keys whose counts expire first
   * are deleted.
   * @default 100,000
   */
  readonly maxKeys?: number;
}

/** The names of all limits, to find unknown options. */
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
