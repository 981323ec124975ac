import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { isObject } from '../mcp/messages.js';
import type { SchemaDocument } from './schema.js';

/** What a value does not satisfy. */
export interface Violation {
  /** JSON pointer of the value; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** What a schema has against a value; nothing where the schema itself cannot be read. */
export function violationsOf(
  schema: unknown,
  value: unknown,
  document: SchemaDocument,
): readonly Violation[] {
  try {
    const { valid, errors } = validatorOf(schema, document).validate(value);
    if (valid) return [];
    // The deepest say what is wrong; those above say that something below is.
    return errors
      .filter(({ keyword }) => !CONTAINERS.includes(keyword))
      .map(({ instanceLocation, error }) => ({ path: decodeURI(instanceLocation.slice(1)), message: error }));
  } catch {
    return [];
  }
}

const CONTAINERS = [
  'properties',
  'items',
  'prefixItems',
  'additionalProperties',
  'patternProperties',
  '$ref',
  'allOf',
];

/** Whether a value satisfies a schema. */
export function isValid(schema: unknown, value: unknown, document: SchemaDocument): boolean {
  try {
    return validatorOf(schema, document).validate(value).valid;
  } catch {
    return false;
  }
}

/** Validators of schemas that were asked for before. */
const known = new WeakMap<SchemaDocument, Map<unknown, Validator>>();
/** Where references in a part of a document lead: to places in the whole of it. */
const ROOT = 'https://root.invalid/';

function validatorOf(schema: unknown, document: SchemaDocument): Validator {
  const validators = known.get(document) ?? new Map<unknown, Validator>();
  known.set(document, validators);
  const found = validators.get(schema);
  if (found) return found;
  const { root } = document;
  const dialect = isObject(root) ? String(root['$schema']) : '';
  const draft: SchemaDraft =
    DRAFTS.find((one) => dialect.includes(one === '7' ? 'draft-07' : one)) ?? '2020-12';
  const whole = { ...(isObject(root) ? root : {}), $id: ROOT };
  const part = isObject(schema) ? (rooted(schema) as Schema) : { not: schema === false ? {} : { not: {} } };
  const validator = new Validator(schema === root ? whole : part, draft, false);
  if (schema !== root) validator.addSchema(whole);
  validators.set(schema, validator);
  return validator;
}

const DRAFTS = ['2019-09', '7'] as const;

/** A schema whose references lead to the whole document. */
function rooted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rooted);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    const isLocal = key === '$ref' && typeof value === 'string' && value.startsWith('#');
    return [key, isLocal ? `${ROOT}${value}` : rooted(value)] as const;
  });
  return Object.fromEntries(entries);
}
