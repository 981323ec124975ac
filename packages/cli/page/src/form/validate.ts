import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { isObject } from '../../../src/json.js';
import { isFast, pointerStep, type SchemaDocument } from './schema.js';

/** A violation of a schema. */
export interface Violation {
  /** The JSON pointer of the invalid value; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** Returns the violations of a schema; none if the schema itself is invalid. */
export function violationsOf(
  schema: unknown,
  value: unknown,
  document: SchemaDocument,
): readonly Violation[] {
  try {
    const { valid, errors } = validatorOf(schema, document).validate(value);
    if (valid) return [];
    // The deepest errors have the cause; those above only repeat that there is one.
    return ofOneWay(errors)
      .filter(({ keyword }) => !CONTAINERS.includes(keyword))
      .map(violationOf);
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
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentSchemas',
  'if',
  '$ref',
  'allOf',
];

/**
 * Returns, for each union, the errors of the option that the value was probably meant for. If that is
 * unclear, only says that no option fits.
 */
function ofOneWay(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  let left = errors;
  for (const choice of errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const { keywordLocation, instanceLocation } = choice;
    const wayOf = (one: OutputUnit): string | undefined =>
      one.keywordLocation.startsWith(`${keywordLocation}/`) &&
      one.instanceLocation.startsWith(instanceLocation)
        ? one.keywordLocation.slice(keywordLocation.length + 1).split('/')[0]
        : undefined;
    const ways = new Set(errors.map(wayOf).filter((way) => way !== undefined));
    for (const one of errors) {
      const way = wayOf(one);
      const steps = one.instanceLocation.slice(instanceLocation.length).split('/').length - 1;
      const isOther =
        (one.keyword === 'type' && steps === 0) || (DISTINCT.includes(one.keyword) && steps <= 1);
      if (way !== undefined && isOther) ways.delete(way);
    }
    const [meant] = ways.size === 1 ? ways : [];
    left = left.filter((one) => {
      if (one === choice) return meant === undefined;
      const way = wayOf(one);
      return way === undefined || way === meant;
    });
  }
  return left;
}

/** The keywords that distinguish the options of a union. */
const DISTINCT = ['const', 'enum'];

/** Converts an error of the validator to plain words, at the place of the invalid value. */
function violationOf({ keyword, instanceLocation, error }: OutputUnit): Violation {
  const path = decodeURI(instanceLocation.slice(1));
  const [first = '', second = ''] = [...error.matchAll(/"([^"]*)"/g)].map(([, quoted]) => quoted);
  if (keyword === 'required') return { path: `${path}/${pointerStep(first)}`, message: 'is required' };
  if (keyword === 'dependentRequired')
    return { path: `${path}/${pointerStep(second)}`, message: `is required together with ${first}` };
  return { path, message: MESSAGES[keyword]?.(error) ?? error };
}

/** Returns the number at the end of an error message. */
const limitIn = (error: string): string => /(-?[\d.]+(?:e[+-]?\d+)?)\)?\.$/i.exec(error)?.[1] ?? '';

const MESSAGES: Readonly<Record<string, (error: string) => string>> = {
  false: () => 'is unknown: the schema does not have it',
  type: (error) => {
    const [, expected = ''] = /Expected (.*)\.$/.exec(error) ?? [];
    const types = expected.replaceAll('"', '').split(', ');
    return `must be ${types.map((type) => ARTICLES[type] ?? type).join(' or ')}`;
  },
  const: (error) => `must be ${error.slice('Instance does not match '.length, -1)}`,
  enum: (error) => `must be one of ${error.slice('Instance does not match any of ['.length, -2)}`,
  not: () => 'has a value that the schema excludes',
  anyOf: () => 'fits none of the options of the schema',
  oneOf: (error) =>
    error.includes('(0 ')
      ? 'fits none of the options of the schema'
      : 'fits more than one of the options; the schema allows exactly one',
  minimum: (error) => `must be at least ${limitIn(error)}`,
  maximum: (error) => `must be at most ${limitIn(error)}`,
  exclusiveMinimum: (error) => `must be more than ${limitIn(error)}`,
  exclusiveMaximum: (error) => `must be less than ${limitIn(error)}`,
  multipleOf: (error) => `must be a multiple of ${limitIn(error)}`,
  minLength: (error) => `must have at least ${limitIn(error)} characters`,
  maxLength: (error) => `must have at most ${limitIn(error)} characters`,
  minItems: (error) => `must have at least ${limitIn(error)} items`,
  maxItems: (error) => `must have at most ${limitIn(error)} items`,
  uniqueItems: () => 'must not have the same item twice',
  pattern: () => 'does not match the pattern',
  format: (error) => `must be of the format ${/"(.*)"/.exec(error)?.[1] ?? ''}`,
};

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** Whether a value satisfies a schema. */
export function isValid(schema: unknown, value: unknown, document: SchemaDocument): boolean {
  try {
    return validatorOf(schema, document).validate(value).valid;
  } catch {
    return false;
  }
}

/** The validators of schemas that were used before. */
const known = new WeakMap<SchemaDocument, Map<unknown, Validator>>();
/** The base URI of a partial schema, so that its references resolve within the whole document. */
const ROOT = 'https://root.invalid/';

function validatorOf(schema: unknown, document: SchemaDocument): Validator {
  const validators = known.get(document) ?? new Map<unknown, Validator>();
  known.set(document, validators);
  const found = validators.get(schema);
  if (found) return found;
  const root = withoutSlowPatterns(document.root);
  const dialect = isObject(root) ? String(root['$schema']) : '';
  const draft: SchemaDraft =
    DRAFTS.find((one) => dialect.includes(one === '7' ? 'draft-07' : one)) ?? '2020-12';
  const whole = { ...(isObject(root) ? root : {}), $id: ROOT };
  const part = isObject(schema)
    ? (rooted(withoutSlowPatterns(schema)) as Schema)
    : { not: schema === false ? {} : { not: {} } };
  const validator = new Validator(schema === document.root ? whole : part, draft, false);
  if (schema !== document.root) validator.addSchema(whole);
  validators.set(schema, validator);
  return validator;
}

const DRAFTS = ['2019-09', '7'] as const;

/** Removes patterns that could keep the page busy for hours. The server checks them. */
function withoutSlowPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutSlowPatterns);
  if (!isObject(schema)) return schema;
  const { patternProperties } = schema;
  const areNamesSlow = isObject(patternProperties) && !Object.keys(patternProperties).every(isFast);
  const entries = Object.entries(schema).filter(
    ([key, value]) =>
      !(key === 'pattern' && typeof value === 'string' && !isFast(value)) &&
      !(areNamesSlow && BY_PATTERN.includes(key)),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutSlowPatterns(value)]));
}

/** Keywords whose meaning depends on patterns for names. */
const BY_PATTERN = ['patternProperties', 'additionalProperties', 'unevaluatedProperties'];

/** Returns a partial schema whose references resolve within the whole document. */
function rooted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rooted);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    const isLocal = key === '$ref' && typeof value === 'string' && value.startsWith('#');
    return [key, isLocal ? `${ROOT}${value}` : rooted(value)] as const;
  });
  return Object.fromEntries(entries);
}
