import type { JsonSchema } from '../../protocol/json.js';
import { bound, chosen, isCount, type Rule, type RuleArguments, type RuleTable } from './rule.js';

/** Limits on a length. class-validator ignores variation selectors, and JSON Schema does not. */
const length = (
  boundsIn: (args: RuleArguments) => { readonly least?: unknown; readonly most?: unknown },
): Rule => ({
  keywords: () => ({ type: 'string' }),
  shown: (args) => {
    const { least, most } = boundsIn(args);
    return { ...bound('minLength', least), ...bound('maxLength', most) };
  },
  enforced: (args) => {
    const { least, most } = boundsIn(args);
    if (![least, most].every((limit) => limit === undefined || isCount(limit))) return undefined;
    return { ...bound('sigilMinCharacters', least), ...bound('sigilMaxCharacters', most) };
  },
});

/**
 * Returns the rules of decorators that check the content of a string. Rules about upper and lower case are not exact:
 * class-validator applies them to every alphabet, but their keywords apply only to the letters A to Z.
 */
export const textRules = (): RuleTable => ({
  isLength: length(([min, max]) => ({ least: min, most: max })),
  minLength: length(([min]) => ({ least: min })),
  maxLength: length(([max]) => ({ most: max })),
  // A character takes one to four bytes.
  isByteLength: {
    keywords: ([min, max]) => ({
      type: 'string',
      ...(isCount(min) && min > 0 && { minLength: Math.ceil(min / 4) }),
      ...bound('maxLength', max),
    }),
  },
  matches: {
    keywords: ([pattern, flags]) => ({
      type: 'string',
      ...(isPortable([pattern, flags]) && portablePattern(pattern, flags)),
    }),
    shown: ([pattern, flags]) => portablePattern(pattern, flags),
    exact: isPortable,
  },
  contains: chosen(([seed]) => literalPattern(seed)),
  notContains: {
    keywords: ([seed]) => {
      const pattern = literalPattern(seed);
      return { type: 'string', ...(pattern !== undefined && { not: { pattern } }) };
    },
    exact: ([seed]) => literalPattern(seed) !== undefined,
  },
  isLowercase: { keywords: () => ({ type: 'string', pattern: '^[^A-Z]*$' }) },
  isUppercase: { keywords: () => ({ type: 'string', pattern: '^[^a-z]*$' }) },
});

/**
 * Returns a regular expression that finds a text literally; `undefined` for an empty text, and for one with
 * half a surrogate pair, which the `u` flag only matches alone.
 */
function literalPattern(seed: unknown): string | undefined {
  if (typeof seed !== 'string' || seed === '' || /\p{Surrogate}/u.test(seed)) return undefined;
  return seed.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * Returns the `pattern` keyword for an argument of `@Matches`, or nothing if clients would interpret it
 * differently: JSON Schema has no flags, and compiles patterns with `u`.
 */
function portablePattern(pattern: unknown, modifiers: unknown): JsonSchema {
  const source = sourceOf(pattern);
  const flags = typeof pattern === 'string' ? textOr(modifiers) : flagsOf(pattern);
  if (source === undefined || /[^dgiu]/.test(flags)) return {};
  const written = flags.includes('i') ? foldedCase(source, flags) : source;
  if (written === undefined) return {};
  try {
    new RegExp(written, 'u');
    return { pattern: written };
  } catch {
    return {};
  }
}

/** Whether the `pattern` keyword accepts exactly the values of `@Matches`, with and without the `u` flag. */
function isPortable([pattern, modifiers]: readonly unknown[]): boolean {
  return isAsciiOnly(sourceOf(pattern) ?? '.') && 'pattern' in portablePattern(pattern, modifiers);
}

/**
 * Whether a pattern matches the same text with and without the `u` flag: it has only ASCII characters, and no
 * `.`, `[^a]` or `\\W`, which match half a character beyond U+FFFF without the flag.
 */
function isAsciiOnly(source: string): boolean {
  const escapes = source.match(/\\[\s\S]/g) ?? [];
  const rest = source.replace(/\\[\s\S]/g, '');
  if (!escapes.every((escape) => /^\\[dws.*+?^$()[\]{}|/\\-]$/.test(escape))) return false;
  return /^[\x20-\x7E]*$/.test(rest) && !/\.|\[\^|\(\?</.test(rest);
}

/**
 * Returns the source for a pattern with the `i` flag. With the `u` flag, `i` also matches letters outside
 * ASCII.
 */
function foldedCase(source: string, flags: string): string | undefined {
  return isAsciiOnly(source) && !flags.includes('u') ? ignoringCase(source) : undefined;
}

function sourceOf(pattern: unknown): string | undefined {
  const source =
    typeof pattern === 'string' ? pattern : (pattern as { source?: unknown } | undefined)?.source;
  return typeof source === 'string' ? source : undefined;
}

function flagsOf(pattern: unknown): string {
  return textOr((pattern as { flags?: unknown } | undefined)?.flags);
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const LETTER = /[A-Za-z]/;

/**
 * Rewrites a regular expression so that it ignores case without the `i` flag, which JSON Schema does not
 * have: `[a-f]x` becomes `[a-fA-F][xX]`. Only correct for ASCII sources, because `i` affects other
 * characters elsewhere.
 * @param source the source of a regular expression without named groups.
 * @returns `undefined` for a range with an escaped end, which is not supported.
 */
function ignoringCase(source: string): string | undefined {
  let written = '';
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (inClass && /^(?:\\.-[^\]]|[^\\]-\\)/.test(source.slice(at, at + 4))) return undefined;
    if (char === '\\') {
      written += source.slice(at, at + 2);
      at += 1;
    } else if (inClass && /^[^\]]-[^\]]/.test(source.slice(at, at + 3))) {
      const range = source.slice(at, at + 3);
      written += range + otherCase(range);
      at += 2;
    } else if (LETTER.test(char)) {
      written += inClass ? char + swapCase(char) : `[${char}${swapCase(char)}]`;
    } else {
      if (char === '[') inClass = true;
      if (char === ']') inClass = false;
      written += char;
    }
  }
  return written;
}

/** Returns the characters of a range in the other case, except those that the range contains. */
function otherCase(range: string): string {
  if (/^(?:[a-z]-[a-z]|[A-Z]-[A-Z])$/.test(range)) return swapCase(range);
  let letters = '';
  for (let code = range.charCodeAt(0); code <= range.charCodeAt(2); code += 1) {
    const char = String.fromCharCode(code);
    if (LETTER.test(char)) letters += swapCase(char);
  }
  return letters;
}

function swapCase(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
