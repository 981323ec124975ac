import type { Budget } from './budget.js';
import type { Contestant } from './contestants.js';
import type { Plan } from './plan.js';

/** What one round of one contestant gave. */
export interface Reading {
  /** In the unit of the row. */
  readonly value: number;
  /** Answers per second of the server's processor time, where the system tells it. */
  readonly perCpuSecond?: number;
  /** Share of the round the server spent on its core; far below 1 says that something else was the bottleneck. */
  readonly cpuShare?: number;
  /** Growth of the resident set per session, in KB. */
  readonly rss?: number;
  /** What one number cannot say. */
  readonly note?: string;
}

/** What a row knows about one contestant. */
export type Cell =
  | { readonly kind: 'measured'; readonly readings: readonly Reading[] }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'absent' };

/** The cells of a row, by contestant. */
export type Cells = ReadonlyMap<string, Cell>;

/** One line of the table. */
export interface Row {
  /** What `--only` names it by. */
  readonly id: string;
  readonly title: string;
  readonly unit: 'req/s' | 'ms' | 'CPU ms' | 'KB' | '%' | '×';
  /** What must hold, from the design's speed budget. */
  readonly budget: readonly Budget[];
  readonly contestants: readonly Contestant[];
  /** Measures these contestants, some or all of its own. */
  measure(plan: Plan, contestants: readonly Contestant[]): Promise<Cells>;
}
