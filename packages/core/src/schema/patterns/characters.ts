import type { AST } from '@eslint-community/regexpp';

/** A part of a pattern that matches one character. */
type CharacterNode = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

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

/** Finds the characters that the parts of a pattern match. */
export class Characters {
  readonly #known = new Map<string, CharacterSet>();
  #cased: CharacterSet | undefined;

  constructor(readonly flags: PatternFlags) {}

  /** All characters. */
  get all(): CharacterSet {
    return everything(this.flags);
  }

  /** Returns the characters that a part of the pattern matches. */
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
    if (flags.flags.includes('v') || /\\[pP]/.test(node.raw))
      return scanCharacters(node.raw, flags, everything(flags));
    const set = setOf(rangesOf(node as Simple, flags));
    if (!flags.ignoreCase) return set;
    // The same holds for case folding of cased characters.
    this.#cased ??= scanCharacters(CASED, /(?:)/u, everything(flags));
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

/** An inclusive range of code points, or of code units in a pattern without the `u` flag. */
type Range = readonly [from: number, to: number];

/** A set of characters: ordered ranges that neither overlap nor touch. */
export type CharacterSet = readonly Range[];

/** Combines character ranges, in any order, into a set. */
export function setOf(ranges: readonly Range[]): CharacterSet {
  const joined: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** Returns the characters up to `max` that are not in a set. */
function complement(set: CharacterSet, max: number): CharacterSet {
  const rest: Range[] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= max) rest.push([next, max]);
  return rest;
}

/** Returns the characters that are in both sets. */
function intersection(one: CharacterSet, other: CharacterSet): CharacterSet {
  const both = one.flatMap(([from, to]) =>
    other.map(([first, last]): Range => [Math.max(from, first), Math.min(to, last)]),
  );
  return both.filter(([from, to]) => from <= to);
}

/** Whether two sets have a character in common. */
export function overlap(one: CharacterSet, other: CharacterSet): boolean {
  let at = 0;
  for (const [from, to] of one) {
    while (at < other.length && (other[at] as Range)[1] < from) at++;
    if (at < other.length && (other[at] as Range)[0] <= to) return true;
  }
  return false;
}

/** The flags of a pattern. */
export type PatternFlags = Pick<RegExp, 'flags' | 'ignoreCase' | 'multiline' | 'dotAll' | 'sticky'>;

/** Whether a pattern matches code points; otherwise it matches code units. */
export function readsCodePoints({ flags }: PatternFlags): boolean {
  return /[uv]/.test(flags);
}

/** Returns the highest character that a pattern can match. */
function lastCharacter(flags: PatternFlags): number {
  return readsCodePoints(flags) ? 0x10ffff : 0xffff;
}

/**
 * Ranges of code points. The characters of each range are tested as one string, so no high surrogate may
 * precede a low surrogate in it.
 */
const SEGMENTS: CharacterSet = [
  [0, 0xd7ff],
  [0xd800, 0xdbff],
  [0xdc00, 0xdfff],
  [0xe000, 0xffff],
  [0x10000, 0x10ffff],
];
/** Number of characters in one call of `String.fromCodePoint`, which limits the number of arguments. */
const CHUNK = 0x1000;

/**
 * Finds out which characters a part of a pattern matches: runs it in the regular expression engine.
 *
 * @param raw the source of the part.
 * @param among the characters to test.
 */
function scanCharacters(raw: string, { flags }: Pick<RegExp, 'flags'>, among: CharacterSet): CharacterSet {
  const run = new RegExp(`${raw}+`, `g${flags.replace(/[^isuv]/g, '')}`);
  return setOf(
    SEGMENTS.flatMap((segment) => intersection(among, [segment]).flatMap((range) => scan(run, range))),
  );
}

function scan(run: RegExp, [first, last]: Range): Range[] {
  const width = first > 0xffff ? 2 : 1;
  const found: Range[] = [];
  for (let start = first; start <= last; start += CHUNK) {
    const length = Math.min(CHUNK, last - start + 1);
    const piece = String.fromCodePoint(...Array.from({ length }, (_, index) => start + index));
    for (const { index, 0: match } of piece.matchAll(run)) {
      found.push([start + index / width, start + (index + match.length) / width - 1]);
    }
  }
  return found;
}
