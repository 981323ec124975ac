import { formatEuros } from './money.js';

/** The range of prices that a customer wants to pay for one piece, in cents. */
export interface PriceRange {
  readonly minCents: number;
  readonly maxCents: number;
}

/** The syntax of a budget in euros: a maximum price, or a minimum and a maximum price. */
export const BUDGET: RegExp = /^\d+(\.\d+)?( ?- ?\d+(\.\d+)?)?$/;

/**
 * Parses a budget.
 *
 * @param budget `'250'` for at most 250 euros, `'50-100'` for 50 to 100 euros; `undefined` for no limit.
 */
export function readBudget(budget: string | undefined): PriceRange {
  if (budget === undefined) return { minCents: 0, maxCents: Number.MAX_SAFE_INTEGER };
  const amounts = budget.split('-').map(Number);
  const [min, max] = amounts.length > 1 ? [Math.min(...amounts), Math.max(...amounts)] : [0, ...amounts];
  // What a budget of 49.999 euros can pay is 49.99.
  return { minCents: Math.ceil(min * 100 - 1e-6), maxCents: Math.floor((max ?? 0) * 100 + 1e-6) };
}

/**
 * Formats a budget for people, for example as ` for EUR 50.00 to EUR 100.00 a piece`. Returns an empty string for no
 * limit.
 */
export function formatRange({ minCents, maxCents }: PriceRange): string {
  if (maxCents === Number.MAX_SAFE_INTEGER) return '';
  if (minCents === 0) return ` for at most ${formatEuros(maxCents)} a piece`;
  return ` for ${formatEuros(minCents)} to ${formatEuros(maxCents)} a piece`;
}
