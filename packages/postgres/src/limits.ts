import { type OptionTable, STORE_LIMITS, type StoreLimits, storeLimits } from '@sigil/core/internal';

/** How much is kept. */
export interface PostgresLimits extends StoreLimits {
  /**
   * Most bytes at once, over all tasks; each counts with its JSON, rounded up to whole KiB.
   * @default 1 GiB
   */
  readonly maxTaskBytes?: number;
  /**
   * Most bytes of the streams of all sessions, and some more until they are dropped: within half a minute.
   * @default 1 GiB
   */
  readonly maxEventBytes?: number;
  /**
   * Most keys that are counted at once, about. Beyond them those whose count is nearest to its end are forgotten.
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

/** Fills in the limits that are left out. */
export function postgresLimits(limits: PostgresLimits): Required<PostgresLimits> {
  const { maxEventBytes = GIB, maxKeys = 100_000 } = limits;
  return { ...storeLimits(limits, GIB), maxEventBytes, maxKeys };
}
