import type { AST } from '@eslint-community/regexpp';
import { type CharacterSet, complement, intersection, type Range, setOf } from './code-points.js';
import { lastCharacter, type PatternFlags, readFlags } from './flags.js';
import { scanCharacters } from './scan-characters.js';

/** A part of a pattern that reads one character. */
export type CharacterNode =
  AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

const DIGIT: CharacterSet = [[0x30, 0x39]];
const WORD: CharacterSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const LINE_END: CharacterSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const SPACE: CharacterSet = setOf([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);

/** Knows the characters that the parts of one pattern read. */
export class Characters {
  readonly #known = new Map<string, CharacterSet>();
  #cased: CharacterSet | undefined;

  constructor(readonly flags: PatternFlags) {}

  /** The characters a part reads. */
  of(node: CharacterNode): CharacterSet {
    const known = this.#known.get(node.raw);
    if (known) return known;
    const set = this.#read(node);
    this.#known.set(node.raw, set);
    return set;
  }

  #read(node: CharacterNode): CharacterSet {
    const { flags } = this;
    // Properties are tables of the engine: it is asked.
    if (flags.unicodeSets || /\\[pP]/.test(node.raw))
      return scanCharacters(node.raw, flags, everything(flags));
    const set = setOf(rangesOf(node as Simple, flags));
    if (!flags.ignoreCase) return set;
    // So is case folding, about what has case.
    this.#cased ??= scanCharacters(CASED, readFlags('u'), everything(flags));
    const caseless = complement(this.#cased, lastCharacter(flags));
    return setOf([...intersection(set, caseless), ...scanCharacters(node.raw, flags, this.#cased)]);
  }
}

const CASED = '[\\p{CWCM}\\p{CWCF}\\p{CWU}\\p{CWL}\\p{CWT}]';

function everything(flags: PatternFlags): CharacterSet {
  return [[0, lastCharacter(flags)]];
}

type Simple = AST.Character | AST.CharacterSet | AST.ClassRangesCharacterClass | AST.CharacterClassRange;

function rangesOf(node: Simple, flags: PatternFlags): readonly Range[] {
  switch (node.type) {
    case 'Character':
      return [[node.value, node.value]];
    case 'CharacterClassRange':
      return [[node.min.value, node.max.value]];
    case 'CharacterSet': {
      if (node.kind === 'any')
        return flags.dotAll ? [[0, lastCharacter(flags)]] : unless(true, LINE_END, flags);
      const set = node.kind === 'digit' ? DIGIT : node.kind === 'word' ? WORD : SPACE;
      return unless('negate' in node && node.negate, set, flags);
    }
    case 'CharacterClass': {
      const set = setOf(node.elements.flatMap((element) => rangesOf(element as Simple, flags)));
      return unless(node.negate, set, flags);
    }
  }
}

function unless(negate: boolean, set: CharacterSet, flags: PatternFlags): CharacterSet {
  return negate ? complement(set, lastCharacter(flags)) : set;
}
