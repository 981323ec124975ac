import { fromBase64 } from '../../protocol/base64.js';
import type { JsonSchema } from '../../protocol/json.js';
import { dateOf, type OwnFormat } from '../json-schema/own-keywords.js';
import type { DeclaredType } from './declared-type.js';

/** Converts a validated JSON value to the value that a handler gets. */
export type Instantiator = (value: unknown) => unknown;

/** The JSON form of a JavaScript type that JSON does not have, such as `Date`. */
export interface WireForm {
  readonly shown: JsonSchema;
  readonly enforced: JsonSchema;
  /**
   * Converts the received JSON value to the JavaScript value. Values that do not have this JSON form are returned
   * unchanged.
   */
  readonly instantiator: Instantiator;
}

const textForm = (shown: JsonSchema, format: OwnFormat, read: (text: string) => unknown): WireForm => ({
  shown: { type: 'string', ...shown },
  enforced: { type: 'string', format },
  instantiator: (value) => (typeof value === 'string' ? read(value) : value),
});

/** A `Date` as a string in ISO 8601. */
export const DATE_FORM: WireForm = textForm({ format: 'date-time' }, 'sigil-date', dateOf);

const URL_FORM: WireForm = textForm({ format: 'uri' }, 'sigil-url', (text) => new URL(text));

// Text keeps every digit; JSON numbers of other peers may not.
const BIGINT: JsonSchema = { type: ['string', 'integer'], pattern: '^-?[0-9]+$' };

const BIGINT_FORM: WireForm = {
  shown: BIGINT,
  enforced: BIGINT,
  instantiator: (value) => (typeof value === 'string' || typeof value === 'number' ? BigInt(value) : value),
};

/** Returns the JSON form of a declared type; `undefined` if the type exists in JSON. */
export function wireForm(type: DeclaredType): WireForm | undefined {
  switch (type.kind) {
    case 'date':
      return DATE_FORM;
    case 'url':
      return URL_FORM;
    case 'bigint':
      return BIGINT_FORM;
    case 'bytes':
      return textForm({ contentEncoding: 'base64' }, 'sigil-base64', (text) =>
        type.cls.from(fromBase64(text)),
      );
    default:
      return undefined;
  }
}

/**
 * Returns the JSON Schema keywords of a declared type. The result is empty for a DTO class, because a `$ref`
 * describes it.
 */
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
