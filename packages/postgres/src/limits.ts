import { type OptionTable, STORE_LIMITS, type StoreLimits, storeLimits } from '@sigil/core/internal';

/** Limits on the data that is kept. */
export interface PostgresLimits extends StoreLimits {
  /**
   * Maximum bytes of all tasks together. Each task counts with the length of its JSON, rounded up to whole KiB.
   * @default 1 GiB
   */
  readonly maxTaskBytes?: number;
  /**
   * Maximum bytes of the streams of all sessions together. For up to half a minute there may be some more, until they
   * are dropped.
   * @default 1 GiB
   */
  readonly maxEventBytes?: number;
  /**
   * Approximate maximum number of keys of the limiter. Beyond it, the keys whose count ends first are forgotten.
   * @default 100,000
   */
  readonly maxKeys?: number;
}

/** The names of the limits. */
export const POSTGRES_LIMITS: OptionTable<PostgresLimits> = {
  ...STORE_LIMITS,
  maxEventBytes: true,
  maxKeys: true,
};

const GIB = 1024 ** 3;

/** Fills in the defaults of the limits. */
export function postgresLimits(limits: PostgresLimits): Required<PostgresLimits> {
  const { maxEventBytes = GIB, maxKeys = 100_000 } = limits;
  return { ...storeLimits(limits, GIB), maxEventBytes, maxKeys };
}
