import { canonicalJson } from '../../protocol/json.js';

/**
 * `minLength` and `maxLength`, in code points as the standard wants; `sigilMinCharacters` and `sigilMaxCharacters`, as class-validator counts,
 * which leaves variation selectors out. Each says whether a text is wrong. Both are counted only where the number of code units leaves it
 * open, so that a long text costs no more than a short one.
 */
export const LENGTHS: Readonly<Record<string, (text: string, limit: number) => boolean>> = {
  maxLength: (text, limit) => text.length > limit && (text.length > 2 * limit || pointsIn(text) > limit),
  minLength: (text, limit) => text.length < limit || (text.length < 2 * limit && pointsIn(text) < limit),
  sigilMaxCharacters: (text, limit) =>
    text.length > limit && (text.length > 3 * limit || charactersIn(text) > limit),
  sigilMinCharacters: (text, limit) =>
    text.length < limit || (text.length < 3 * limit && charactersIn(text) < limit),
};

function pointsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count++;
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
  }
  return count;
}

/** A surrogate pair is one character, and so is what a variation selector follows together with it. */
function charactersIn(text: string): number {
  const selected = text.match(/[^\uFE0F\uFE0E][\uFE0F\uFE0E]/g)?.length ?? 0;
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return text.length - selected - pairs;
}

/** `uniqueItems`, in one pass: comparing each item with each other takes hours where there are a million of them. */
export function hasRepeated(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  // Texts of objects and arrays are kept apart from strings.
  const written = new Set<string>();
  for (const item of items) {
    const isScalar = typeof item !== 'object' || item === null;
    const key = isScalar ? item : canonicalJson(item);
    const among: Set<unknown> = isScalar ? seen : written;
    if (among.has(key)) return true;
    among.add(key);
  }
  return false;
}
