import type { SchemaViolation } from './ajv.js';
import { listValues } from './describe-value.js';
import { type RuleCheck, RULES_KEYWORD } from './rule-check.js';

type Words = (params: Readonly<Record<string, unknown>>, violation: SchemaViolation) => string;

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const count =
  (unit: string, how: string): Words =>
  ({ limit }) =>
    `${how} ${String(limit)} ${unit}${limit === 1 ? '' : 's'}`;

const COMPARED: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

const limit: Words = (params) =>
  `a number ${COMPARED[String(params['comparison'])] ?? String(params['comparison'])} ${String(params['limit'])}`;

const WORDS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['type', ({ type }, { parentSchema }) => expectedBy(parentSchema) ?? nounOf(type)],
  ['enum', ({ allowedValues }) => `one of ${listValues([allowedValues].flat())}`],
  ['const', ({ allowedValue }) => listValues([allowedValue])],
  ['minimum', limit],
  ['maximum', limit],
  ['exclusiveMinimum', limit],
  ['exclusiveMaximum', limit],
  ['multipleOf', ({ multipleOf }) => `a multiple of ${String(multipleOf)}`],
  ['minLength', count('character', 'at least')],
  ['maxLength', count('character', 'at most')],
  ['minItems', count('item', 'at least')],
  ['maxItems', count('item', 'at most')],
  ['minProperties', count('property', 'at least')],
  ['maxProperties', count('property', 'at most')],
  ['pattern', ({ pattern, longest }, { data }) => matching(String(pattern), longest, data)],
  ['uniqueItems', () => 'no item twice'],
  ['not', (_, { parentSchema }) => `anything but ${exclusion(parentSchema)}`],
  ['anyOf', () => 'a value that fits one of the alternatives'],
  ['oneOf', () => 'a value that fits exactly one of the alternatives'],
]);

/** A text that is too long is not tried, so it is the length that must change. */
function matching(pattern: string, longest: unknown, data: unknown): string {
  const isTooLong = typeof longest === 'number' && typeof data === 'string' && data.length > longest;
  return isTooLong
    ? `a string of at most ${longest} characters, to be matched with ${pattern}`
    : `a string that matches ${pattern}`;
}

/** Says in words what a violated keyword wanted. */
export function expectationOf(violation: SchemaViolation): string {
  return WORDS.get(violation.keyword)?.(violation.params, violation) ?? violation.message ?? 'another value';
}

/** Says in words what a subschema wants, as far as one phrase can. */
export function expectationFrom(schema: unknown): string {
  const { type, enum: values, const: only, $ref } = (schema ?? {}) as Record<string, unknown>;
  const expected = expectedBy(schema);
  if (expected !== undefined) return expected;
  if (Array.isArray(values)) return `one of ${listValues(values)}`;
  if (only !== undefined) return listValues([only]);
  if (type !== undefined) return nounOf(type);
  return $ref === undefined ? 'a value' : 'an object';
}

/** What the rules of a schema say is to be sent. */
function expectedBy(schema: unknown): string | undefined {
  const rules = (schema as Record<string, unknown> | undefined)?.[RULES_KEYWORD];
  if (!Array.isArray(rules)) return undefined;
  return (rules as readonly RuleCheck[]).find(({ expects }) => expects !== undefined)?.expects?.();
}

function nounOf(type: unknown): string {
  return [type]
    .flat()
    .map((name) => NOUNS[String(name)] ?? String(name))
    .join(' or ');
}

function exclusion(parentSchema: unknown): string {
  const { not } = (parentSchema ?? {}) as { not?: Record<string, unknown> };
  if (Array.isArray(not?.['enum'])) return listValues(not['enum']);
  if (not !== undefined && 'const' in not) return listValues([not['const']]);
  return not?.['type'] === undefined ? 'this' : nounOf(not['type']);
}
