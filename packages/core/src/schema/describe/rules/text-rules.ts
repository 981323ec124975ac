import { escapePattern, isPortable, portablePattern } from './pattern.js';
import type { RuleTable } from './rule.js';

/**
 * Decorators about the content of a string. Lengths are not exact because class-validator does not count variation
 * selectors: it counts no more characters than there are code points. Case is not because it is a matter of every alphabet.
 */
export const TEXT_RULES: RuleTable = {
  isLength: {
    keywords: ([min]) => ({ type: 'string', ...bound('minLength', min) }),
    shown: ([, max]) => bound('maxLength', max),
  },
  minLength: { keywords: ([min]) => ({ type: 'string', ...bound('minLength', min) }) },
  maxLength: { keywords: () => ({ type: 'string' }), shown: ([max]) => bound('maxLength', max) },
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
