import { formatEuros } from './money.js';

/** What a customer wants to pay for one piece, in cents. */
export interface PriceRange {
  readonly minCents: number;
  readonly maxCents: number;
}

/** A budget as it is written: the most to pay, or the least and the most, in euros. */
export const BUDGET: RegExp = /^\d+(\.\d+)?( ?- ?\d+(\.\d+)?)?$/;

/**
 * Reads a budget.
 *
 * @param budget `'250'` for at most 250 euros, `'50-100'` for 50 to 100 euros; everything when absent.
 */
export function readBudget(budget: string | undefined): PriceRange {
  if (budget === undefined) return { minCents: 0, maxCents: Number.MAX_SAFE_INTEGER };
  const amounts = budget.split('-').map(Number);
  const [min, max] = amounts.length > 1 ? [Math.min(...amounts), Math.max(...amounts)] : [0, ...amounts];
  // What a budget of 49.999 euros can pay is 49.99.
  return { minCents: Math.ceil(min * 100 - 1e-6), maxCents: Math.floor((max ?? 0) * 100 + 1e-6) };
}

/** A budget for people: ` for EUR 50.00 to EUR 100.00 a piece`; empty for everything. */
export function formatRange({ minCents, maxCents }: PriceRange): string {
  if (maxCents === Number.MAX_SAFE_INTEGER) return '';
  if (minCents === 0) return ` for at most ${formatEuros(maxCents)} a piece`;
  return ` for ${formatEuros(minCents)} to ${formatEuros(maxCents)} a piece`;
}
