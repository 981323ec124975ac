import type { Cores } from './cores.js';

/** How much is measured. */
export interface Plan {
  readonly cores: Cores;
  /** Measure only ours and whom the budget of a row holds it against. */
  readonly budgetedOnly: boolean;
  /** Rounds of every contestant in the throughput rows. */
  readonly rounds: number;
  readonly roundMs: number;
  /** When warming up ends at the latest. */
  readonly warmUpMs: number;
  /** How often every server is started in the start rows. */
  readonly starts: number;
  /** How often session memory is measured, and with how many sessions. */
  readonly memoryRounds: number;
  readonly sessions: number;
  readonly abandoned: Abandonment;
  /** How many clients listen for changes. */
  readonly listeners: number;
  /** How often a project is created. */
  readonly creations: number;
}

/** How sessions are opened and abandoned. */
export interface Abandonment {
  readonly sessions: number;
  /** How many are opened and ended before that. */
  readonly warmUpSessions: number;
  /** How long a session lives: longer than opening them all takes. */
  readonly idleMs: number;
}

/**
 * `--quick` stays under a minute, the full plan under five. A minute is too short to warm up the SDK peers, so the quick
 * ratios against them flatter us; those of the full plan count.
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
