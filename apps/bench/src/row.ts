import type { Budget } from './budget.js';
import type { Contestant } from './contestants.js';
import type { Plan } from './plan.js';

/** The result of one round of one contestant. */
export interface Reading {
  /** The measured value, in the unit of the row. */
  readonly value: number;
  /** Answers per second of the server's processor time; absent if the system does not report this time. */
  readonly perCpuSecond?: number;
  /**
   * The share of the round in which the server used its core. If it is far below 1, the server was not the bottleneck.
   */
  readonly cpuShare?: number;
  /** Growth of the resident set per session or per listening client, in KB. */
  readonly rss?: number;
  /** Further information about the value. */
  readonly note?: string;
}

/** The result of one contestant in one row of the table. */
export type Cell =
  | { readonly kind: 'measured'; readonly readings: readonly Reading[] }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'absent' };

/** The cells of a row, by contestant. */
export type Cells = ReadonlyMap<string, Cell>;

/** One line of the table. */
export interface Row {
  /** The id of the row, for the option `--only`. */
  readonly id: string;
  readonly title: string;
  readonly unit: 'req/s' | 'ms' | 'CPU ms' | 'KB' | '%' | '×';
  /** The requirements that Sigil must meet in this row. */
  readonly budget: readonly Budget[];
  readonly contestants: readonly Contestant[];
  /** Measures the given contestants, which are some or all contestants of the row. */
  measure(plan: Plan, contestants: readonly Contestant[]): Promise<Cells>;
}
