import { Failure } from '../failures.js';
import { nearest } from './nearest.js';

/**
 * Reads a value that must be one of a few.
 *
 * @param what it is, such as `template`.
 * @throws Failure `USAGE` when it is another, naming those there are.
 */
export function readChoice<T extends string>(what: string, value: string, known: readonly T[]): T {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  const meant = nearest(value, known);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  throw new Failure('USAGE', `there is no ${what} '${value}': ${hint}`);
}
