import { canonicalJson } from '../../protocol/json.js';

/*
 * The keywords and formats that ajv and cfworker do not have, or run too slowly, as functions of ours. Every validator runs the same ones:
 * ajv by reference, standalone code by an import, and the interpreter after cfworker.
 */

/**
 * The functions that check the length keywords. `minLength` and `maxLength` count code points, as JSON Schema
 * requires. Like class-validator, `sigilMinCharacters` and `sigilMaxCharacters` do not count variation selectors.
 * Each function returns whether a string violates the limit. If the number of UTF-16 code units is enough to decide,
 * the function does not count characters, because counting is slow for long strings.
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

/**
 * Counts the characters of a string. A surrogate pair is one character; a variation selector belongs to the
 * character before it.
 */
function charactersIn(text: string): number {
  const selected = text.match(/[^\uFE0F\uFE0E][\uFE0F\uFE0E]/g)?.length ?? 0;
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return text.length - selected - pairs;
}

/**
 * Whether an array violates `uniqueItems`. The items are checked in one pass, because a comparison of all pairs
 * would take hours for a million items.
 */
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

/** A string format for a type that JSON does not have. */
interface TextFormat {
  /** The expected value, such as `an absolute URL`. */
  readonly expects: string;
  readonly validate: (text: string) => boolean;
}

/** A date, or a date and time with a zone. Years with more than four digits need a sign. */
const ISO_8601 =
  /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d))?$/;

/**
 * Parses a date in ISO 8601 format. Returns an invalid date for any other string, even if JavaScript would parse it.
 * JavaScript reads `12` as a day in December 2001. It interprets a time without a zone as a time in the zone of the
 * server. A day that does not exist, such as `2026-02-30`, is also invalid; JavaScript would continue into the next
 * month.
 */
export function dateOf(text: string): Date {
  const [iso, year, month, day] = ISO_8601.exec(text) ?? [];
  // The calendar repeats itself after 400 years. Day 0 is the last one of the month before.
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return new Date(iso === undefined || Number(day) > last ? NaN : text);
}

/** The text that error messages contain as the expected value of a `Date`. */
export const DATE_TEXT =
  'a real date in ISO 8601 format, such as "2026-07-28" or "2026-07-28T09:00:00Z" (if there is a time, it needs a time zone)';

/**
 * Sigil's own values of the keyword `format`, for JavaScript types that JSON does not have, such as `Date`. Sigil's
 * validator enforces only these formats. It does not check standard formats, because schema validators disagree about
 * them.
 */
export const FORMATS: Readonly<Record<OwnFormat, TextFormat>> = {
  'sigil-date': { expects: DATE_TEXT, validate: (text) => !Number.isNaN(dateOf(text).getTime()) },
  'sigil-url': {
    expects: 'an absolute URL such as "https://example.com/"',
    validate: (text) => URL.canParse(text),
  },
  'sigil-base64': {
    expects: 'base64, with padding',
    validate: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  },
};

/** The name of a format that Sigil defines, for a JavaScript type that JSON does not have. */
export type OwnFormat = 'sigil-date' | 'sigil-url' | 'sigil-base64';

/** Returns Sigil's format with the given name; `undefined` if Sigil defines no format with this name. */
export function formatNamed(name: unknown): TextFormat | undefined {
  return typeof name === 'string' && Object.hasOwn(FORMATS, name) ? FORMATS[name as OwnFormat] : undefined;
}
