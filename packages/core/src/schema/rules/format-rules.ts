import type { JsonSchema } from '../../protocol/json.js';
import { DATE_TEXT } from '../json-schema/own-keywords.js';
import type { Rule, RuleTable } from './rule.js';

const shownAs = (shown: JsonSchema): Rule => ({ keywords: () => ({ type: 'string' }), shown: () => shown });
const described = (description: string): Rule => shownAs({ description });
const format = (name: string): Rule => shownAs({ format: name });

/**
 * Returns the rules for decorators that check a format, such as an email address. No schema keyword can express these
 * formats exactly. class-validator checks them; `format` in the schema only informs clients, because schema validators
 * disagree about the valid values.
 */
export const formatRules = (): RuleTable => ({
  isEmail: format('email'),
  isUrl: {
    keywords: () => ({ type: 'string' }),
    // A URL without its scheme is not a `uri`, but class-validator accepts it by default.
    shown: ([options]) =>
      (options as { require_protocol?: boolean } | undefined)?.require_protocol
        ? { format: 'uri' }
        : { description: 'URL; its scheme may be left out' },
  },
  isFqdn: format('hostname'),
  isDateString: described('ISO 8601 date, or date and time'),
  isIso8601: described('ISO 8601 date, or date and time'),
  isJson: shownAs({ contentMediaType: 'application/json' }),
  isIp: {
    keywords: () => ({ type: 'string' }),
    shown: ([version]) => {
      if (String(version) === '4') return { format: 'ipv4' };
      return String(version) === '6' ? { format: 'ipv6' } : { description: 'IP address' };
    },
  },
  isHSL: described('HSL colour, such as hsl(0,0%,0%)'),
  isDataURI: described('data: URI'),
  isMagnetURI: { ...described('magnet: URI'), keywords: () => ({ type: 'string', pattern: '^magnet:\\?' }) },
  isMacAddress: described('MAC address'),
  isTimeZone: described('IANA time zone'),
  isLocale: described('Locale, such as en-GB'),
  isLatLong: described('latitude,longitude'),
  isPhoneNumber: described('Phone number'),
  isMobilePhone: described('Mobile phone number'),
  isPostalCode: described('Postal code'),
  isCreditCard: described('Credit card number'),
  isCurrency: described('Amount of money'),
  isIBAN: described('IBAN'),
  isIsbn: {
    keywords: () => ({ type: 'string' }),
    shown: ([version]) => ({ description: isbn(version) }),
    expects: ([version]) => `an ${isbn(version)}`,
  },
  isISO31661Alpha2: described('ISO 3166-1 alpha-2 country code'),
  isISO31661Alpha3: described('ISO 3166-1 alpha-3 country code'),
  isISO4217CurrencyCode: described('ISO 4217 currency code'),
  isIdentityCard: described('Identity card number'),
  isPassportNumber: described('Passport number'),
  isTaxId: described('Tax id'),
  isStrongPassword: { keywords: () => ({ type: 'string' }), shown: ([options]) => password(options) },
});

/** Names the check digit, because models invent numbers without a valid one. */
function isbn(version: unknown): string {
  const number = typeof version === 'string' || typeof version === 'number' ? `-${version}` : '';
  return `ISBN${number} with a right check digit`;
}

const DEMANDS = [
  ['minLowercase', 'lowercase letter'],
  ['minUppercase', 'uppercase letter'],
  ['minNumbers', 'digit'],
  ['minSymbols', 'symbol'],
] as const;

function password(options: unknown): JsonSchema {
  const given = (options ?? {}) as Readonly<Record<string, number | undefined>>;
  const counts = DEMANDS.map(([name, what]) => [given[name] ?? 1, what] as const)
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`);
  const parts = [`${given['minLength'] ?? 8} characters`, ...counts];
  return { description: `Strong password: at least ${parts.join(', ')}` };
}

/** @param how the required relation of the date to the argument of the decorator, if it has one. */
const date = (how?: string): Rule => ({
  date: true,
  keywords: () => ({ type: 'string' }),
  shown: ([limit]) => {
    // A limit that is a function is evaluated at each check.
    const text = how === undefined || typeof limit === 'function' ? undefined : timeOf(limit);
    return { format: 'date-time', ...(text !== undefined && { description: `${how} ${text}` }) };
  },
  expects: ([limit]) => {
    const text =
      how === undefined
        ? undefined
        : timeOf(typeof limit === 'function' ? (limit as () => unknown)() : limit);
    return text === undefined ? DATE_TEXT : `${DATE_TEXT}, ${how} ${text}`;
  },
});

/**
 * Returns the rules of decorators for a `Date`. The received string is converted to a `Date` before the rule runs.
 */
export const dateRules = (): RuleTable => ({
  isDate: date(),
  minDate: date('not before'),
  maxDate: date('not after'),
});

function timeOf(limit: unknown): string | undefined {
  const time = Number(limit);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
