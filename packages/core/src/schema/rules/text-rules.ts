import { escapePattern, portablePattern } from './pattern.js';
import type { Rule, RuleTable } from './rule.js';

const text = (shown?: Rule['shown']): Rule => ({
  keywords: () => ({ type: 'string' }),
  ...(shown && { shown }),
});

/**
 * Decorators about the content of a string. Lengths are not exact because class-validator does not count variation
 * selectors; patterns because schema validators compile them with the `u` flag.
 */
export const TEXT_RULES: RuleTable = {
  isLength: text(([min, max]) => ({ ...bound('minLength', min), ...bound('maxLength', max) })),
  minLength: text(([min]) => bound('minLength', min)),
  maxLength: text(([max]) => bound('maxLength', max)),
  isByteLength: text(),
  matches: text(([pattern, flags]) => portablePattern(pattern, flags)),
  contains: text(([seed]) => (typeof seed === 'string' ? { pattern: escapePattern(seed) } : {})),
  notContains: text(([seed]) => (typeof seed === 'string' ? { not: { pattern: escapePattern(seed) } } : {})),
  isLowercase: text(() => ({ pattern: '^[^A-Z]*$' })),
  isUppercase: text(() => ({ pattern: '^[^a-z]*$' })),
  isAlpha: text(([locale]) => (isEnglish(locale) ? { pattern: '^[A-Za-z]+$' } : {})),
  isAlphanumeric: text(([locale]) => (isEnglish(locale) ? { pattern: '^[0-9A-Za-z]+$' } : {})),
  isAscii: text(() => ({ pattern: '^[\\x00-\\x7F]+$' })),
};

function bound(keyword: string, limit: unknown): Record<string, unknown> {
  return Number.isInteger(limit) && Number(limit) >= 0 ? { [keyword]: limit } : {};
}

function isEnglish(locale: unknown): boolean {
  return locale === undefined || locale === 'en-US';
}
