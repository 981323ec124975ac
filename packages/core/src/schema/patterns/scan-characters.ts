import { type CharacterSet, intersection, type Range, setOf } from './code-points.js';
import type { PatternFlags } from './flags.js';

/** Each is read as one text, so no high surrogate may stand before a low one. */
const SEGMENTS: CharacterSet = [
  [0, 0xd7ff],
  [0xd800, 0xdbff],
  [0xdc00, 0xdfff],
  [0xe000, 0xffff],
  [0x10000, 0x10ffff],
];
/** Not more arguments than a call takes. */
const CHUNK = 0x1000;

/**
 * Asks the regular expression engine which characters a part of a pattern reads.
 *
 * @param raw the part, as it stands in the pattern.
 * @param among the characters to ask about.
 */
export function scanCharacters(raw: string, { text }: PatternFlags, among: CharacterSet): CharacterSet {
  const run = new RegExp(`${raw}+`, `g${text.replace(/[^isuv]/g, '')}`);
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
