import { type RuleCheck, RULES_KEYWORD, WORDS_KEYWORD } from '../dto/rule-check.js';
import type { SchemaViolation } from './ajv.js';
import { describeValue, joinPath, listValues, pathOf, shorten } from './describe-value.js';
import type { Issue } from './errors.js';
import { nearest } from './nearest.js';

const SHOWN_NAME = 60;

/** Turns what the schema validator found into issues, one for each thing that is wrong. */
export function issuesFrom(violations: readonly SchemaViolation[], value: unknown): Issue[] {
  const ranked = telling(violations).map((violation) => ({
    rank: rankOf(violation),
    issue: issueOf(violation, value),
  }));
  const best = new Map<string, number>();
  for (const { rank, issue } of ranked) best.set(issue.path, Math.min(rank, best.get(issue.path) ?? rank));
  const kept = ranked.filter(({ rank, issue }) => rank === best.get(issue.path)).map(({ issue }) => issue);
  return [...new Map(kept.map((issue) => [issue.message, issue])).values()];
}

/** What an author worded says it best; after that a wrong type explains everything else about a value. */
function rankOf({ keyword, params }: SchemaViolation): number {
  if (isRule(keyword)) return (params['rule'] as RuleCheck).worded ? 0 : 2;
  return keyword === 'type' || keyword === 'required' || keyword === 'additionalProperties' ? 1 : 2;
}

function isRule(keyword: string): boolean {
  return keyword === RULES_KEYWORD || keyword === WORDS_KEYWORD;
}

const SUMS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if']);

/** Leaves out what only says that an alternative failed ("or null"), sums of failures, and patterns put into words. */
function telling(violations: readonly SchemaViolation[]): readonly SchemaViolation[] {
  const worded = new Set(
    violations.filter(({ keyword }) => keyword === WORDS_KEYWORD).map(({ instancePath }) => instancePath),
  );
  const isUnsaid = ({ keyword, params, instancePath, parentSchema }: SchemaViolation): boolean =>
    (keyword === 'type' && params['type'] === 'null') ||
    (worded.has(instancePath) &&
      (keyword === 'pattern' || (keyword === 'not' && excludesPattern(parentSchema))));
  const rest = violations.filter((violation) => !isUnsaid(violation));
  const leaves = rest.filter(({ keyword }) => !SUMS.has(keyword));
  return leaves.length > 0 ? leaves : rest.length > 0 ? rest : violations;
}

function excludesPattern(parentSchema: unknown): boolean {
  const { not } = (parentSchema ?? {}) as { not?: { pattern?: unknown } };
  return not?.pattern !== undefined;
}

function issueOf(violation: SchemaViolation, value: unknown): Issue {
  const at = pathOf(violation.instancePath, value);
  switch (violation.keyword) {
    case 'required':
    case 'dependentRequired':
      return missing(violation, at);
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownProperty(violation, at);
    case RULES_KEYWORD:
    case WORDS_KEYWORD: {
      const expected = violation.message ?? 'another value';
      const received = describeValue(violation.data);
      return { path: at, expected, received, message: line(at, `${expected}; received ${received}`) };
    }
    default:
      return mismatch(violation, at);
  }
}

function mismatch(violation: SchemaViolation, path: string): Issue {
  const expected = expectationOf(violation);
  const received = describeValue(violation.data);
  const meant = suggestion(violation);
  return {
    path,
    expected,
    received,
    message: line(path, `expected ${expected}; received ${received}${meant}`),
  };
}

function suggestion({ keyword, params, data }: SchemaViolation): string {
  if ((keyword !== 'enum' && keyword !== 'const') || typeof data !== 'string') return '';
  const allowed = [params['allowedValues'] ?? params['allowedValue']]
    .flat()
    .filter((allowedValue) => typeof allowedValue === 'string');
  const meant = nearest(data, allowed);
  return meant === undefined ? '' : `. Did you mean ${JSON.stringify(meant)}?`;
}

function missing({ params, parentSchema }: SchemaViolation, at: string): Issue {
  const name = String(params['missingProperty']);
  const path = joinPath(at, name, false);
  const { properties } = (parentSchema ?? {}) as { properties?: Record<string, unknown> };
  const schema = properties?.[name] as Record<string, unknown> | undefined;
  const rules = [RULES_KEYWORD, WORDS_KEYWORD].flatMap(
    (keyword) => (schema?.[keyword] ?? []) as readonly RuleCheck[],
  );
  const worded = rules.filter((rule) => rule.worded).map((rule) => rule.explain(undefined));
  const expected = worded.join('; ') || expectationFrom(schema);
  const text = worded.length > 0 ? expected : `required, expected ${expected}; received nothing`;
  return { path, expected, received: 'nothing', message: line(path, text) };
}

function unknownProperty({ params, parentSchema }: SchemaViolation, at: string): Issue {
  const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
  const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  const path = joinPath(at, name, false);
  const meant = nearest(name, known);
  const allowed = known.length > 0 ? ` Known properties: ${listValues(known)}.` : '';
  const hint = meant === undefined ? allowed : ` Did you mean ${JSON.stringify(meant)}?`;
  return {
    path,
    expected: 'no such property',
    received: `the property ${JSON.stringify(shorten(name, SHOWN_NAME))}`,
    message: line(path, `unknown property.${hint}`),
  };
}

function line(path: string, text: string): string {
  return path === '' ? text : `${path}: ${text}`;
}

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
function expectationOf(violation: SchemaViolation): string {
  return WORDS.get(violation.keyword)?.(violation.params, violation) ?? violation.message ?? 'another value';
}

/** Says in words what a subschema wants, as far as one phrase can. */
function expectationFrom(schema: unknown): string {
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
