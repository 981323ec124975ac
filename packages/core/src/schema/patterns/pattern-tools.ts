import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { Characters } from './characters.js';
import { costOf } from './cost.js';
import { readFlags } from './flags.js';
import { byCodeUnits, toRe2 } from './to-re2.js';

/** Whether a text has a match. */
export type TextTest = (text: string) => boolean;

/** What is known of a pattern once it was parsed. */
export interface PatternAnalysis {
  /** How the steps of the native engine grow: the exponent of the length of a text. */
  readonly exponent: number;
  /** Makes a test whose steps grow with the length alone; `undefined` when that engine does not know the pattern. */
  linear(): Promise<TextTest | undefined>;
}

/** Analyses a pattern. @throws SyntaxError when it is none. */
export function analysePattern(source: string, flagText: string): PatternAnalysis {
  const flags = readFlags(flagText);
  const { unicode, unicodeSets } = flags;
  const mode = { unicode: unicode && !unicodeSets, unicodeSets };
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, mode);
  const characters = new Characters(flags);
  return { exponent: costOf(pattern, characters), linear: () => linearTest(pattern, characters) };
}

async function linearTest(pattern: AST.Pattern, characters: Characters): Promise<TextTest | undefined> {
  const written = toRe2(pattern, characters);
  if (written === undefined) return undefined;
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(written);
    return characters.flags.unicode
      ? (text) => compiled.test(text)
      : (text) => compiled.test(byCodeUnits(text));
  } catch {
    // It repeats more often, or is larger, than RE2 allows.
    return undefined;
  }
}
