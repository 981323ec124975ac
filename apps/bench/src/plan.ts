import type { Cores } from './cores.js';

/** How many measurements the bench takes, and how long they take. */
export interface Plan {
  readonly cores: Cores;
  /** Whether to measure only Sigil and, in each row, the contestants that the budget compares Sigil with. */
  readonly budgetedOnly: boolean;
  /** How many rounds of every contestant are measured in the rows about throughput. */
  readonly rounds: number;
  readonly roundMs: number;
  /** Maximum duration of the warm-up, in milliseconds. */
  readonly warmUpMs: number;
  /** How often every server is started in the rows about the time of a start. */
  readonly starts: number;
  /** How often the memory of sessions is measured. The member `sessions` is the number of sessions. */
  readonly memoryRounds: number;
  readonly sessions: number;
  readonly abandoned: Abandonment;
  /** How many clients listen for changes. */
  readonly listeners: number;
  /** How often a project is created. */
  readonly creations: number;
}

/** How many sessions are opened and abandoned. */
export interface Abandonment {
  readonly sessions: number;
  /** How many sessions are opened and ended before the measurement. */
  readonly warmUpSessions: number;
  /** The idle time after which a session expires, in milliseconds. All sessions must be opened in less time. */
  readonly idleMs: number;
}

/**
 * Creates the plan. The plan for `--quick` takes less than one minute; the full plan takes less than five minutes. One
 * minute is too short to warm up the servers of the SDKs. So `--quick` makes Sigil look faster than it is, and only the
 * ratios of the full plan are valid.
 */
export function makePlan(quick: boolean, cores: Cores): Plan {
  return quick
    ? {
        cores,
        budgetedOnly: true,
        rounds: 3,
        roundMs: 350,
        warmUpMs: 1600,
        starts: 3,
        memoryRounds: 1,
        sessions: 1000,
        abandoned: { sessions: 2000, warmUpSessions: 2000, idleMs: 2000 },
        listeners: 2000,
        creations: 1,
      }
    : {
        cores,
        budgetedOnly: false,
        rounds: 5,
        roundMs: 700,
        warmUpMs: 7500,
        starts: 5,
        memoryRounds: 2,
        sessions: 4000,
        abandoned: { sessions: 10_000, warmUpSessions: 6000, idleMs: 8000 },
        listeners: 10_000,
        creations: 3,
      };
}
