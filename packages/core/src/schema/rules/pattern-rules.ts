import { chosen, type Rule, type RuleTable } from './rule.js';

const matching = (pattern: string): Rule => ({
  keywords: () => ({ type: 'string', pattern }),
  exact: true,
});

// The characters themselves: some regular expression engines lack JavaScript's escapes.
const FULL_WIDTH = '[^ -~\uFF61-\uFFDC\uFFE8-\uFFEE]';
const HALF_WIDTH = '[ -~\uFF61-\uFFDC\uFFE8-\uFFEE]';

/**
 * Returns the rules of decorators that restrict the characters of a string. Each pattern means the same with and
 * without the `u` flag, and has no lookarounds.
 */
export const alphabetRules = (): RuleTable => ({
  isAlpha: chosen(([locale]) => (isEnglish(locale) ? '^[A-Za-z]+$' : undefined)),
  isAlphanumeric: chosen(([locale]) => (isEnglish(locale) ? '^[0-9A-Za-z]+$' : undefined)),
  isAscii: matching('^[\\x00-\\x7F]+$'),
  isMultibyte: matching('[^\\x00-\\x7F]'),
  isFullWidth: matching(FULL_WIDTH),
  isHalfWidth: matching(HALF_WIDTH),
  isVariableWidth: {
    keywords: () => ({ type: 'string', allOf: [{ pattern: FULL_WIDTH }, { pattern: HALF_WIDTH }] }),
    exact: true,
  },
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
});

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

function anyOf(alternatives: readonly unknown[]): string {
  return alternatives.length === 1 ? `^${String(alternatives[0])}$` : `^(?:${alternatives.join('|')})$`;
}

const oneOf = (...alternatives: readonly string[]): Rule => matching(anyOf(alternatives));

/**
 * A rule with a pattern that accepts all valid strings, and some others: a check digit or a list of codes
 * decides about those.
 */
const within = (pattern: string, description: string): Rule => ({
  keywords: () => ({ type: 'string', pattern: `^${pattern}$` }),
  shown: () => ({ description }),
});

const HASH_LENGTHS: ReadonlyMap<unknown, number> = new Map([
  ['md5', 32],
  ['md4', 32],
  ['sha1', 40],
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
  ['ripemd128', 32],
  ['ripemd160', 40],
  ['tiger128', 32],
  ['tiger160', 40],
  ['tiger192', 48],
  ['crc32', 8],
  ['crc32b', 8],
]);

const HOUR = '(?:[01][0-9]|2[0-3])';
const SEMVER_NUMBER = '(?:0|[1-9][0-9]*)';
const SEMVER_WORD = '[A-Za-z-][0-9A-Za-z-]*';
// A number without leading zeros, or digits with a letter among them. The next character decides.
const SEMVER_LABEL = `(?:0(?:[0-9]*${SEMVER_WORD})?|[1-9][0-9]*(?:${SEMVER_WORD})?|${SEMVER_WORD})`;
const JWT_PART = '[A-Za-z0-9_-]*';

/** Returns the rules of decorators for codes and identifiers whose form a pattern can express. */
export const identifierRules = (): RuleTable => ({
  isMongoId: oneOf('0[xXhH][0-9A-Fa-f]{22}', '[0-9A-Fa-f]{24}'),
  IsFirebasePushId: oneOf('[a-zA-Z0-9_-]{20}'),
  isEthereumAddress: oneOf('0[xX][0-9A-Fa-f]{40}'),
  isBtcAddress: oneOf('(?:bc|tb)1p?[ac-hj-np-z02-9]{39,58}', '[123m][A-HJ-NP-Za-km-z1-9]{25,39}'),
  isHash: chosen(([algorithm]) => {
    const digits = HASH_LENGTHS.get(algorithm);
    return digits === undefined ? undefined : `^[a-fA-F0-9]{${digits}}$`;
  }),
  isJwt: oneOf([JWT_PART, JWT_PART, JWT_PART].join('\\.')),
  isSemVer: oneOf(
    `${[SEMVER_NUMBER, SEMVER_NUMBER, SEMVER_NUMBER].join('\\.')}` +
      `(?:-${SEMVER_LABEL}(?:\\.${SEMVER_LABEL})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?`,
  ),
  isMilitaryTime: oneOf(`${HOUR}:?[0-5][0-9]`),
  isRFC3339: {
    ...oneOf(
      '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:[12][0-9]|0[1-9]|3[01])[ tT]' +
        `${HOUR}:[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:[zZ]|[-+]${HOUR}:[0-5][0-9])`,
    ),
    shown: () => ({ format: 'date-time' }),
  },
  isPort: oneOf(
    '[-+]?0',
    '\\+?(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])',
  ),
  isHexColor: oneOf('#?(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})'),
  isRgbColor: within('rgba?\\([0-9.,%]+\\)', 'RGB colour, such as rgb(0,0,0)'),
  isISRC: oneOf('[A-Z]{2}[0-9A-Z]{3}[0-9]{7}'),
  isMimeType: within('[A-Za-z]+/[A-Za-z0-9.+_-]{1,100}(?:;[\\s\\S]*)?', 'Media type, such as text/plain'),
  isBIC: within('[A-Za-z]{6}[A-Za-z0-9]{2}(?:[A-Za-z0-9]{3})?', 'BIC'),
  isISSN: within('[0-9]{4}-?[0-9]{3}[0-9Xx]', 'ISSN'),
  isEAN: within('(?:[0-9]{8}|[0-9]{13,14})', 'EAN'),
  isIsin: within('[A-Z]{2}[0-9A-Z]{9}[0-9]', 'ISIN'),
  isISO31661Numeric: within('[0-9]{3}', 'ISO 3166-1 numeric country code'),
  isISO6391: within('[a-z]{2}', 'ISO 639-1 language code'),
  // Of one version, of some, or of any.
  isUuid: { ...chosen(([version]) => uuidPattern(version)), shown: () => ({ format: 'uuid' }) },
});

const HEX = '[0-9A-Fa-f]';

const versioned = (version: string): string =>
  `${HEX}{8}-${HEX}{4}-${version}${HEX}{3}-[89ABab]${HEX}{3}-${HEX}{12}`;

const NIL = '00000000-0000-0000-0000-000000000000';
const MAX = '[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12}';

const FORMS: ReadonlyMap<string, string> = new Map([
  ...['1', '2', '3', '4', '5', '6', '7', '8'].map((version) => [version, versioned(version)] as const),
  ['nil', NIL],
  ['max', MAX],
  ['loose', `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`],
  ['all', `(?:${versioned('[1-8]')}|${NIL}|${MAX})`],
]);

function uuidPattern(version: unknown): string | undefined {
  const forms = [version ?? 'all'].flat().map((one: unknown) => FORMS.get(`${one as string | number}`));
  return forms.length === 0 || forms.includes(undefined) ? undefined : anyOf(forms);
}
