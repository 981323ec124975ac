import { fromBase64 } from '../../protocol/base64.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { DeclaredType } from '../dto/declared-type.js';
import { type RuleCheck, RULES_KEYWORD, textCheck } from '../dto/rule-check.js';
import type { Maker } from '../instantiate/makers.js';

/** How a value that JSON has no type for travels. */
export interface WireForm {
  readonly shown: JsonSchema;
  readonly enforced: JsonSchema;
  /** Makes the value from what travelled. What has another form already is left alone. */
  readonly maker: Maker;
}

const textForm = (shown: JsonSchema, check: RuleCheck, read: (text: string) => unknown): WireForm => ({
  shown: { type: 'string', ...shown },
  enforced: { type: 'string', [RULES_KEYWORD]: [check] },
  maker: { make: (value) => (typeof value === 'string' ? read(value) : value) },
});

/** How a Date is asked for. */
export const DATE_TEXT = 'an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"';

/** A Date, as text in ISO 8601. */
export const DATE_FORM: WireForm = textForm(
  { format: 'date-time' },
  textCheck(DATE_TEXT, (text) => !Number.isNaN(Date.parse(text))),
  (text) => new Date(text),
);

const URL_FORM: WireForm = textForm(
  { format: 'uri' },
  textCheck('an absolute URL such as "https://example.com/"', (text) => URL.canParse(text)),
  (text) => new URL(text),
);

// Text keeps every digit; JSON numbers of other peers may not.
const BIGINT: JsonSchema = { type: ['string', 'integer'], pattern: '^-?[0-9]+$' };

const BIGINT_FORM: WireForm = {
  shown: BIGINT,
  enforced: BIGINT,
  maker: {
    make: (value) => (typeof value === 'string' || typeof value === 'number' ? BigInt(value) : value),
  },
};

const IS_BASE64 = textCheck(
  'base64, with padding',
  (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
);

/** How values of a declared type travel, when JSON has no type for them. */
export function wireForm(type: DeclaredType): WireForm | undefined {
  switch (type.kind) {
    case 'date':
      return DATE_FORM;
    case 'url':
      return URL_FORM;
    case 'bigint':
      return BIGINT_FORM;
    case 'bytes':
      return textForm({ contentEncoding: 'base64' }, IS_BASE64, (text) => type.cls.from(fromBase64(text)));
    default:
      return undefined;
  }
}

/** The keywords of a declared type. A class says nothing here: its schema is a reference. */
export function typeKeywords(type: DeclaredType): JsonSchema {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'array':
      return { type: type.kind };
    case 'set':
      return { type: 'array' };
    case 'map':
      return { type: 'object' };
    case 'enum':
      return { enum: type.values };
    default:
      return wireForm(type)?.shown ?? {};
  }
}
