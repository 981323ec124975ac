import type { JsonSchema } from '../../protocol/json.js';
import type { Rule, RuleTable } from './rule.js';

const shownAs = (schema: JsonSchema): Rule => ({ keywords: () => ({ type: 'string' }), shown: () => schema });
const described = (description: string): Rule => shownAs({ description });
const format = (name: string): Rule => shownAs({ format: name });

/**
 * Decorators that name a format of strings. class-validator decides; what is shown tells clients what it looks for.
 * Formats are annotations: schema validators disagree with class-validator, and with each other, on what they accept.
 */
export const FORMAT_RULES: RuleTable = {
  isEmail: format('email'),
  isUrl: format('uri'),
  isUuid: format('uuid'),
  isFqdn: format('hostname'),
  isDateString: described('ISO 8601 date, or date and time'),
  isIso8601: described('ISO 8601 date, or date and time'),
  isRFC3339: format('date-time'),
  isJson: shownAs({ contentMediaType: 'application/json' }),
  isIp: {
    keywords: () => ({ type: 'string' }),
    shown: ([version]) => {
      if (String(version) === '4') return { format: 'ipv4' };
      return String(version) === '6' ? { format: 'ipv6' } : { description: 'IP address' };
    },
  },
  isBooleanString: shownAs({ enum: ['true', 'false', '1', '0'] }),
  isNumberString: described('Number, written as text'),
  isDecimal: described('Decimal number, written as text'),
  isHexadecimal: described('Hexadecimal number'),
  isOctal: described('Octal number'),
  isHexColor: described('Hexadecimal colour'),
  isRgbColor: described('RGB colour, such as rgb(0,0,0)'),
  isHSL: described('HSL colour'),
  isBase32: described('Base32'),
  isBase58: described('Base58'),
  isBase64: shownAs({ contentEncoding: 'base64' }),
  isDataURI: described('data: URI'),
  isMagnetURI: described('magnet: URI'),
  isMimeType: described('Media type, such as text/plain'),
  isMongoId: shownAs({ pattern: '^[0-9a-fA-F]{24}$' }),
  IsFirebasePushId: described('Firebase push id'),
  isJwt: described('JSON Web Token'),
  isHash: described('Hash'),
  isEthereumAddress: shownAs({ pattern: '^(0x)[0-9a-fA-F]{40}$' }),
  isBtcAddress: described('Bitcoin address'),
  isMacAddress: described('MAC address'),
  isPort: described('Port number, written as text'),
  isSemVer: described('Semantic version'),
  isMilitaryTime: described('Time of day as HH:MM'),
  isTimeZone: described('IANA time zone'),
  isLocale: described('Locale, such as en-GB'),
  isLatLong: described('latitude,longitude'),
  isPhoneNumber: described('Phone number'),
  isMobilePhone: described('Mobile phone number'),
  isPostalCode: described('Postal code'),
  isCreditCard: described('Credit card number'),
  isCurrency: described('Amount of money'),
  isIBAN: described('IBAN'),
  isBIC: described('BIC'),
  isIsin: described('ISIN'),
  isEAN: described('EAN'),
  isIsbn: described('ISBN'),
  isISSN: described('ISSN'),
  isISRC: described('ISRC'),
  isISO31661Alpha2: described('ISO 3166-1 alpha-2 country code'),
  isISO31661Alpha3: described('ISO 3166-1 alpha-3 country code'),
  isISO31661Numeric: described('ISO 3166-1 numeric country code'),
  isISO4217CurrencyCode: described('ISO 4217 currency code'),
  isISO6391: described('ISO 639-1 language code'),
  isIdentityCard: described('Identity card number'),
  isPassportNumber: described('Passport number'),
  isTaxId: described('Tax id'),
  isStrongPassword: described('Strong password'),
  isFullWidth: described('Text with full-width characters'),
  isHalfWidth: described('Text with half-width characters'),
  isVariableWidth: described('Text with full-width and half-width characters'),
  isMultibyte: described('Text with multibyte characters'),
  isSurrogatePair: described('Text with surrogate pairs'),
};
