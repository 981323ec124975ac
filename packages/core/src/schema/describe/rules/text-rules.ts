import { escapePattern, isPortable, portablePattern } from './pattern.js';
import type { Rule, RuleArguments, RuleTable } from './rule.js';

/** A bound on a length, which is that of the string less its surrogate pairs and variation selectors: a third of it at least. */
const length = (shown: Rule['shown'], isWithin: (length: number, args: RuleArguments) => boolean): Rule => ({
  keywords: () => ({ type: 'string' }),
  ...(shown && { shown }),
  surely: (value, args) => typeof value === 'string' && isWithin(value.length, args),
});

const isLongEnough = (length: number, min: unknown): boolean => isCount(min) && length >= 3 * min;
const isShortEnough = (length: number, max: unknown): boolean => isCount(max) && length <= max;

/**
 * Decorators about the content of a string. Lengths are not exact because class-validator does not count variation
 * selectors, and case is not because it is a matter of every alphabet.
 */
export const TEXT_RULES: RuleTable = {
  isLength: length(
    ([min, max]) => ({ ...bound('minLength', min), ...bound('maxLength', max) }),
    (length, [min, max]) => isLongEnough(length, min) && isShortEnough(length, max),
  ),
  minLength: length(
    ([min]) => bound('minLength', min),
    (length, [min]) => isLongEnough(length, min),
  ),
  maxLength: length(
    ([max]) => bound('maxLength', max),
    (length, [max]) => isShortEnough(length, max),
  ),
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
  contains: {
    keywords: ([seed]) => ({
      type: 'string',
      ...(isSeed([seed]) && { pattern: escapePattern(seed as string) }),
    }),
    exact: isSeed,
  },
  notContains: {
    keywords: ([seed]) => ({
      type: 'string',
      ...(isSeed([seed]) && { not: { pattern: escapePattern(seed as string) } }),
    }),
    exact: isSeed,
  },
  isLowercase: { keywords: () => ({ type: 'string', pattern: '^[^A-Z]*$' }) },
  isUppercase: { keywords: () => ({ type: 'string', pattern: '^[^a-z]*$' }) },
};

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

function bound(keyword: string, limit: unknown): Record<string, unknown> {
  return isCount(limit) ? { [keyword]: limit } : {};
}

/** An empty text is split at each character, which is another question; half a character is found with the `u` flag only alone. */
function isSeed([seed]: readonly unknown[]): boolean {
  return typeof seed === 'string' && seed !== '' && !/\p{Surrogate}/u.test(seed);
}
