import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { type Cost, costOf } from './backtracking.js';
import { Characters, type CharacterSet, type PatternFlags, readsCodePoints } from './characters.js';

/** Returns whether a text matches a pattern. */
export type TextTest = (text: string) => boolean;

/** The analysis of a parsed pattern. */
interface PatternAnalysis extends Cost {
  /**
   * Creates a test whose steps only grow with the length of the text; `undefined` if the engine does not
   * support the pattern.
   */
  linear(): Promise<TextTest | undefined>;
}

/**
 * Analyses a pattern. The result contains the estimated cost, and a function that creates a linear-time test.
 * @throws SyntaxError if the pattern is invalid.
 */
export function analysePattern(source: string, flagText: string): PatternAnalysis {
  const flags = new RegExp('', flagText);
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.unicode,
    unicodeSets: flagText.includes('v'),
  });
  const characters = new Characters(flags);
  return { ...costOf(pattern, characters), linear: () => linearTest(pattern, characters) };
}

async function linearTest(pattern: AST.Pattern, characters: Characters): Promise<TextTest | undefined> {
  const written = toRe2(pattern, characters);
  if (written === undefined) return undefined;
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(written);
    return readsCodePoints(characters.flags)
      ? (text) => compiled.test(text)
      : (text) => compiled.test(byCodeUnits(text));
  } catch {
    // It repeats more often, or is larger, than RE2 allows.
    return undefined;
  }
}

/** The offset that is added to lone surrogates, because RE2 only reads whole code points. */
const MOVED = 0x10f800 - 0xd800;

/**
 * Converts a pattern to the syntax of RE2. Character classes are written out, so that they mean the same as
 * in JavaScript.
 *
 * @returns the pattern for RE2; `undefined` if it uses features that RE2 lacks: lookarounds, backreferences,
 * and some flags.
 */
function toRe2({ alternatives }: AST.Pattern, characters: Characters): string | undefined {
  if (characters.flags.sticky) return undefined;
  try {
    return oneOf(alternatives, characters);
  } catch (error) {
    if (error instanceof UntranslatableError) return undefined;
    throw error;
  }
}

/** Converts a text so that RE2 reads it by code units, as a JavaScript pattern without the `u` flag does. */
function byCodeUnits(text: string): string {
  return text.replace(/[\uD800-\uDFFF]/g, (unit) => String.fromCodePoint(unit.charCodeAt(0) + MOVED));
}

class UntranslatableError extends Error {
  override readonly name = 'UntranslatableError';
}

function oneOf(alternatives: readonly AST.Alternative[], characters: Characters): string {
  const written = alternatives.map(({ elements }) =>
    elements.map((element) => write(element, characters)).join(''),
  );
  return `(?:${written.join('|')})`;
}

function write(element: AST.Element, characters: Characters): string {
  switch (element.type) {
    case 'Group':
      if (element.modifiers) throw new UntranslatableError();
      return oneOf(element.alternatives, characters);
    case 'CapturingGroup':
      return oneOf(element.alternatives, characters);
    case 'Quantifier': {
      const { min, max } = element;
      return `(?:${write(element.element, characters)}){${min},${max === Infinity ? '' : max}}`;
    }
    case 'Assertion':
      return assertion(element, characters.flags);
    case 'Backreference':
      throw new UntranslatableError();
    default:
      if (/\\q|\\p\{(?:RGI_|Basic_Emoji|Emoji_Keycap)/.test(element.raw)) throw new UntranslatableError();
      return classOf(characters.of(element), characters.flags);
  }
}

function assertion(element: AST.Assertion, flags: PatternFlags): string {
  if ((element.kind === 'start' || element.kind === 'end') && !flags.multiline) {
    return element.kind === 'start' ? '\\A' : '\\z';
  }
  // Two letters beyond ASCII are word characters when case is ignored in Unicode.
  if (element.kind === 'word' && !(flags.ignoreCase && readsCodePoints(flags)))
    return element.negate ? '\\B' : '\\b';
  throw new UntranslatableError();
}

function classOf(set: CharacterSet, flags: PatternFlags): string {
  const moved = readsCodePoints(flags) ? set : set.flatMap(([from, to]) => moveSurrogates(from, to));
  if (moved.length === 0) return '[^\\x{0}-\\x{10ffff}]';
  return `[${moved.map(([from, to]) => `${point(from)}-${point(to)}`).join('')}]`;
}

function moveSurrogates(from: number, to: number): [number, number][] {
  const pieces: [number, number][] = [
    [from, Math.min(to, 0xd7ff)],
    [Math.max(from, 0xe000), to],
    [Math.max(from, 0xd800) + MOVED, Math.min(to, 0xdfff) + MOVED],
  ];
  return pieces.filter(([first, last]) => first <= last);
}

function point(value: number): string {
  return `\\x{${value.toString(16)}}`;
}
