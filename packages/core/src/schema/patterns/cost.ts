import type { AST } from '@eslint-community/regexpp';
import { exponentOf } from './ambiguity.js';
import { buildAutomaton, UnanalysableError } from './automaton.js';
import type { Characters } from './characters.js';
import { partsOf } from './parts.js';
import { decisionsOf, MAX_DECISIONS, repeats } from './repetition.js';

/** How many there may be where they are taken again and again. */
const MAX_RECURRING_DECISIONS = 10;

/**
 * The exponent of the length of a text with which the steps of the native engine grow: 0 or 1 when a pattern cannot be made to
 * backtrack, 2 and more when it can, infinite when the steps double with every character. Never too low.
 */
export function costOf(pattern: AST.Pattern, characters: Characters): number {
  const isAnchored =
    !characters.flags.multiline &&
    pattern.alternatives.every(({ elements }) => elements.some(isStart) && startsFirst(elements));
  try {
    return growth(pattern.alternatives, { characters, searches: !isAnchored, backwards: false, tried: 0 });
  } catch (error) {
    if (error instanceof UnanalysableError) return Infinity;
    throw error;
  }
}

interface Setting {
  readonly characters: Characters;
  readonly searches: boolean;
  readonly backwards: boolean;
  /** The exponent of how often it is tried in all. */
  readonly tried: number;
}

function growth(alternatives: readonly AST.Alternative[], setting: Setting): number {
  const { characters, tried } = setting;
  const parts = [...partsOf(alternatives)];
  const recurs = setting.searches || parts.some(repeats);
  const loose = decisionsOf(alternatives) > (recurs ? MAX_RECURRING_DECISIONS : MAX_DECISIONS);
  const loops = recurs || loose;
  const own = tried + (loops ? exponentOf(buildAutomaton(alternatives, { ...setting, loose })) : 0);
  const around = parts.filter(isLookaround).map((assertion) =>
    growth(assertion.alternatives, {
      characters,
      searches: false,
      backwards: assertion.kind === 'lookbehind',
      tried: !setting.searches && isTriedOnce(assertion, alternatives) ? tried : own,
    }),
  );
  return Math.max(own, ...around);
}

function isLookaround(part: AST.Element): part is AST.LookaroundAssertion {
  return part.type === 'Assertion' && (part.kind === 'lookahead' || part.kind === 'lookbehind');
}

/** Whether only assertions come before it. */
function isTriedOnce(assertion: AST.Element, alternatives: readonly AST.Alternative[]): boolean {
  return alternatives.some(({ elements }) => {
    const at = elements.indexOf(assertion);
    return at >= 0 && elements.slice(0, at).every(({ type }) => type === 'Assertion');
  });
}

function isStart(element: AST.Element): boolean {
  return element.type === 'Assertion' && element.kind === 'start';
}

function startsFirst(elements: readonly AST.Element[]): boolean {
  return elements.slice(0, elements.findIndex(isStart)).every(({ type }) => type === 'Assertion');
}
