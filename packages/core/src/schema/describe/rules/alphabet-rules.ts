import type { JsonSchema } from '../../../protocol/json.js';
import type { Rule, RuleArguments, RuleTable } from './rule.js';

const matching = (pattern: string): Rule => ({
  keywords: () => ({ type: 'string', pattern }),
  exact: true,
});

/** A rule that is exact when its options are understood; otherwise only the type is known. */
const chosen = (patternFor: (args: RuleArguments) => string | undefined): Rule => ({
  keywords: (args) => {
    const pattern = patternFor(args);
    return { type: 'string', ...(pattern !== undefined && { pattern }) };
  },
  exact: (args) => patternFor(args) !== undefined,
});

// The characters themselves: not every regular expression knows escapes such as those of JavaScript.
const FULL_WIDTH: JsonSchema = { pattern: '[^ -~\uFF61-\uFFDC\uFFE8-\uFFEE]' };
const HALF_WIDTH: JsonSchema = { pattern: '[ -~\uFF61-\uFFDC\uFFE8-\uFFEE]' };

/** Decorators about which characters a string is made of. Every pattern means the same with the `u` flag and without, and none looks around. */
export const ALPHABET_RULES: RuleTable = {
  isAlpha: chosen(([locale]) => (isEnglish(locale) ? '^[A-Za-z]+$' : undefined)),
  isAlphanumeric: chosen(([locale]) => (isEnglish(locale) ? '^[0-9A-Za-z]+$' : undefined)),
  isAscii: matching('^[\\x00-\\x7F]+$'),
  isMultibyte: matching('[^\\x00-\\x7F]'),
  isFullWidth: { keywords: () => ({ type: 'string', ...FULL_WIDTH }), exact: true },
  isHalfWidth: { keywords: () => ({ type: 'string', ...HALF_WIDTH }), exact: true },
  isVariableWidth: { keywords: () => ({ type: 'string', allOf: [FULL_WIDTH, HALF_WIDTH] }), exact: true },
  // Without the `u` flag no single character is beyond U+FFFF.
  isSurrogatePair: { keywords: () => ({ type: 'string' }), shown: () => ({ pattern: '[^\\x00-\uFFFF]' }) },
  isHexadecimal: matching('^(?:0[xXhH])?[0-9A-Fa-f]+$'),
  isOctal: matching('^(?:0[oO])?[0-7]+$'),
  isDecimal: chosen(([options]) => decimal((options ?? {}) as DecimalOptions)),
  isNumberString: chosen(([options]) => numeric((options ?? {}) as NumericOptions)),
  isBooleanString: { keywords: () => ({ enum: ['true', 'false', '1', '0'] }), exact: true },
  // The length, a multiple of eight with the padding, takes too long a pattern.
  isBase32: { keywords: () => ({ type: 'string', pattern: '^[A-Z2-7]+=*$' }) },
  isBase58: matching('^[A-HJ-NP-Za-km-z1-9]*$'),
  // Groups of four would exhaust the stack of regular expressions on a large file.
  isBase64: {
    keywords: ([options]) => ({ type: 'string', pattern: base64((options ?? {}) as Base64Options) }),
    shown: () => ({ contentEncoding: 'base64' }),
    exact: ([options]) => !isPadded((options ?? {}) as Base64Options),
  },
};

interface DecimalOptions {
  readonly force_decimal?: boolean;
  readonly decimal_digits?: string;
  readonly locale?: string;
}

interface NumericOptions {
  readonly no_symbols?: boolean;
  readonly locale?: string;
}

interface Base64Options {
  readonly urlSafe?: boolean;
  readonly padding?: boolean;
}

function isEnglish(locale: unknown): boolean {
  return locale === undefined || locale === 'en-US';
}

function decimal({ force_decimal, decimal_digits = '1,', locale }: DecimalOptions): string | undefined {
  if (!isEnglish(locale) || !/^\d+(?:,\d*)?$/.test(decimal_digits)) return undefined;
  const fraction = `\\.[0-9]{${decimal_digits}}`;
  if (force_decimal) return `^[-+]?[0-9]*${fraction}$`;
  return `^[-+]?(?:[0-9]+(?:${fraction})?|${fraction})$`;
}

function numeric({ no_symbols, locale }: NumericOptions): string | undefined {
  if (no_symbols) return '^[0-9]+$';
  return isEnglish(locale) ? '^[+-]?(?:[0-9]*\\.)?[0-9]+$' : undefined;
}

function isPadded({ urlSafe = false, padding = !urlSafe }: Base64Options): boolean {
  return padding;
}

function base64(options: Base64Options): string {
  const alphabet = options.urlSafe ? '[A-Za-z0-9_-]' : '[A-Za-z0-9+/]';
  return `^${alphabet}*${isPadded(options) ? '={0,2}' : ''}$`;
}
