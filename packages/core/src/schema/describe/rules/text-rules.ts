import { escapePattern, isPortable, portablePattern } from './pattern.js';
import type { Rule, RuleArguments, RuleTable } from './rule.js';

/** Bounds on a length, which JSON Schema counts otherwise: class-validator leaves variation selectors out. */
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
    return { ...bound('minCharacters', least), ...bound('maxCharacters', most) };
  },
});

/** Decorators about the content of a string. Case is not exact because it is a matter of every alphabet. */
export const TEXT_RULES: RuleTable = {
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
