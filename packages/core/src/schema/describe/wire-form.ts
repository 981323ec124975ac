import { fromBase64 } from '../../protocol/base64.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { DeclaredType } from '../dto/declared-type.js';
import type { Instantiator } from '../instantiate/instantiators.js';

/** How a value that JSON has no type for travels. */
export interface WireForm {
  readonly shown: JsonSchema;
  readonly enforced: JsonSchema;
  /** Makes the value from what travelled. What has another form already is left alone. */
  readonly instantiator: Instantiator;
}

const textForm = (shown: JsonSchema, format: OwnFormat, read: (text: string) => unknown): WireForm => ({
  shown: { type: 'string', ...shown },
  enforced: { type: 'string', format },
  instantiator: { make: (value) => (typeof value === 'string' ? read(value) : value) },
});

/** A Date, as text in ISO 8601. */
export const DATE_FORM: WireForm = textForm({ format: 'date-time' }, 'sigil-date', (text) => new Date(text));

const URL_FORM: WireForm = textForm({ format: 'uri' }, 'sigil-url', (text) => new URL(text));

// Text keeps every digit; JSON numbers of other peers may not.
const BIGINT: JsonSchema = { type: ['string', 'integer'], pattern: '^-?[0-9]+$' };

const BIGINT_FORM: WireForm = {
  shown: BIGINT,
  enforced: BIGINT,
  instantiator: {
    make: (value) => (typeof value === 'string' || typeof value === 'number' ? BigInt(value) : value),
  },
};

/** The forms that need nothing but their name. */
const FORMS: Readonly<Record<FormName, WireForm>> = {
  date: DATE_FORM,
  url: URL_FORM,
  bigint: BIGINT_FORM,
};

/** The name of a form. */
export type FormName = 'date' | 'url' | 'bigint';

/** The form of that name. */
export function formCalled(name: FormName): WireForm {
  return FORMS[name];
}

/** The name of a form; `undefined` for one that needs more. */
export function nameOfForm(form: WireForm): FormName | undefined {
  return (Object.keys(FORMS) as FormName[]).find((name) => FORMS[name] === form);
}

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
      return textForm({ contentEncoding: 'base64' }, 'sigil-base64', (text) =>
        type.cls.from(fromBase64(text)),
      );
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

/** A string that stands for a value JSON has no type for. */
interface TextFormat {
  /** What to send, such as `an absolute URL`. */
  readonly expects: string;
  readonly accepts: (text: string) => boolean;
}

/** How a Date is asked for. */
export const DATE_TEXT = 'an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"';

/**
 * The values of `format` in enforced schemas, which say what JavaScript reads. Those of the standard are annotations only: schema
 * validators disagree about them.
 */
export const FORMATS: Readonly<Record<OwnFormat, TextFormat>> = {
  'sigil-date': { expects: DATE_TEXT, accepts: (text) => !Number.isNaN(Date.parse(text)) },
  'sigil-url': {
    expects: 'an absolute URL such as "https://example.com/"',
    accepts: (text) => URL.canParse(text),
  },
  'sigil-base64': {
    expects: 'base64, with padding',
    accepts: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  },
};

/** The name of a format. */
type OwnFormat = 'sigil-date' | 'sigil-url' | 'sigil-base64';

/** The format of that name, if it is one of ours. */
export function formatNamed(name: unknown): TextFormat | undefined {
  return typeof name === 'string' && Object.hasOwn(FORMATS, name) ? FORMATS[name as OwnFormat] : undefined;
}
