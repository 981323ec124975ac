import type { AST } from '@eslint-community/regexpp';
import { partsOf } from './parts.js';

/** Repetitions up to here may be written out, which makes the analysis exact. */
const MAX_COPIES = 16;
const MAX_COPIED_PARTS = 128;

/** The binary logarithm of how many ways may be tried where nothing loops: a matter of a few milliseconds. */
export const MAX_DECISIONS = 20;

/** Whether a repetition counts as one without end: it has none, or is too large to be written out. */
export function isLoop(quantifier: AST.Quantifier): boolean {
  const { max, element } = quantifier;
  if (max <= 1) return false;
  if (max > MAX_COPIES) return true;
  const parts = [...partsOf([{ elements: [element] }])];
  if (parts.length * max > MAX_COPIED_PARTS) return true;
  return parts.some(repeats) || decisionsOfOne(quantifier) > MAX_DECISIONS;
}

/** Whether a part reads texts of any length, or what was read before. */
export function repeats(part: AST.Element): boolean {
  return part.type === 'Backreference' || (part.type === 'Quantifier' && isLoop(part));
}

/** The binary logarithm of how many ways there are through alternatives, loops left out. */
export function decisionsOf(alternatives: readonly Pick<AST.Alternative, 'elements'>[]): number {
  const ways = alternatives.map(
    ({ elements }) => 2 ** elements.reduce((sum, one) => sum + decisionsIn(one), 0),
  );
  return Math.log2(ways.reduce((sum, one) => sum + one, 0));
}

function decisionsIn(element: AST.Element): number {
  if (element.type === 'Quantifier') return isLoop(element) ? 0 : decisionsOfOne(element);
  return element.type === 'Group' || element.type === 'CapturingGroup'
    ? decisionsOf(element.alternatives)
    : 0;
}

function decisionsOfOne({ min, max, element }: AST.Quantifier): number {
  return max * decisionsIn(element) + Math.log2(max - min + 1);
}
