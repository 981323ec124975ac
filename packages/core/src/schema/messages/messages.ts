import { isObject, type JsonSchema, withoutUndefined } from '../../protocol/json.js';
import { joinPointer, pointerSteps } from '../json-schema/json-schema.js';
import { formatNamed } from '../json-schema/own-keywords.js';
import { describeValue, joinPath, listValues, placeAt, shorten, SHOWN_NAME } from './describe-value.js';
import { type Issue, issueAt } from './issues.js';
import { nearest } from '../../protocol/nearest.js';

/** A violation of a schema, in the shape of ajv's errors. */
export interface SchemaViolation {
  readonly keyword: string;
  /** The JSON pointer of the invalid value. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of a property, if the schema refuses the name of the property and not its value. */
  readonly propertyName?: string;
  /** The checked value. */
  readonly data?: unknown;
  /** The schema that contains the violated keyword. */
  readonly parentSchema?: unknown;
}

/**
 * A class-validator rule whose words are used in error messages, because they describe a requirement better than the
 * violated keyword of the schema.
 */
export interface RuleWords {
  /** Whether the message of the rule comes from the author, and not from class-validator. */
  readonly worded: boolean;
  /** Describes the expected value; `undefined` if the message of the rule already describes it. */
  readonly expects: string | undefined;
  /** Returns whether the enforced schema contains this keyword because of the rule. */
  became(keyword: string): boolean;
  accepts(value: unknown): boolean;
  /** Describes the requirement of the rule. @param holder the object that contains the value. */
  explain(value: unknown, holder?: object): string;
}

/**
 * Finds the class-validator rules for a value.
 *
 * @param pointer the JSON pointer of the value, such as `/warehouses/0/code`.
 * @param root the value where the pointer starts.
 */
export type FindRules = (pointer: string, root: unknown) => readonly RuleWords[];

/**
 * Converts violations of a schema to issues. Several violations with the same cause become one issue.
 *
 * @param rulesAt a function that finds the class-validator rules of the DTO class that the schema describes.
 */
export function issuesFrom(
  violations: readonly SchemaViolation[],
  value: unknown,
  rulesAt: FindRules = () => [],
): Issue[] {
  const ranked = telling(violations).flatMap((violation) => rankedIssues(violation, value, rulesAt));
  const best = new Map<string, number>();
  for (const { rank, issue } of ranked) best.set(issue.path, Math.min(rank, best.get(issue.path) ?? rank));
  const kept = ranked.filter(({ rank, issue }) => rank === best.get(issue.path)).map(({ issue }) => issue);
  return [...new Map(kept.map((issue) => [issue.message, issue])).values()];
}

interface RankedIssue {
  readonly issue: Issue;
  /**
   * The priority: messages of authors come first, then a wrong type, because it explains all other
   * violations.
   */
  readonly rank: number;
}

const ABOUT_OTHERS: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);
const ABOUT_MISSING: ReadonlySet<string> = new Set(['required', 'dependentRequired', 'dependencies']);

function rankedIssues(violation: SchemaViolation, value: unknown, rulesAt: FindRules): RankedIssue[] {
  const { keyword, instancePath, propertyName } = violation;
  const { path: at, holder } = placeAt(pointerSteps(instancePath), value);
  if (ABOUT_MISSING.has(keyword))
    return [{ rank: 1, issue: missing(violation, at, rulesAt(missingPointer(violation), value)) }];
  if (ABOUT_OTHERS.has(keyword)) return [{ rank: 1, issue: unknownProperty(violation, at) }];
  if (propertyName !== undefined) return [{ rank: 2, issue: wrongName(violation, propertyName, at) }];
  const rules = rulesAt(instancePath, value);
  const worded = ruleIssues(violation, at, holder, rules);
  if (worded.length > 0) return worded;
  return [{ rank: keyword === 'type' ? 1 : 2, issue: mismatch(violation, at, rules) }];
}

/** Returns the violations of rules, in the author's words or in words that replace a pattern. */
function ruleIssues(
  violation: SchemaViolation,
  path: string,
  holder: object | undefined,
  rules: readonly RuleWords[],
): RankedIssue[] {
  const { data } = violation;
  const keyword = unclear(violation);
  const failed = rules.filter(
    (rule) => (rule.worded || (keyword !== undefined && rule.became(keyword))) && !rule.accepts(data),
  );
  const received = describeValue(data);
  return failed.map((rule) => {
    const expected = rule.explain(data, holder);
    const issue = issueAt(path, expected, received, `${expected}; received ${received}`);
    return { rank: rule.worded ? 0 : 2, issue };
  });
}

const SUMS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if', 'propertyNames']);

/** Removes violations that add no information: totals, and failed alternatives such as "or null". */
function telling(violations: readonly SchemaViolation[]): readonly SchemaViolation[] {
  const leaves = violations.filter(({ keyword }) => !SUMS.has(keyword));
  const told = leaves.filter((one) => !wantsNull(one) || !leaves.some((other) => isBeside(other, one)));
  return told.length > 0 ? told : violations;
}

function wantsNull({ keyword, params }: SchemaViolation): boolean {
  return keyword === 'type' && params['type'] === 'null';
}

/** Whether another violation concerns the same value, or a value inside it. */
function isBeside(other: SchemaViolation, { instancePath }: SchemaViolation): boolean {
  return !wantsNull(other) && `${other.instancePath}/`.startsWith(`${instancePath}/`);
}

/** Keywords that are less clear than the message of a rule. */
const UNCLEAR: ReadonlySet<string> = new Set(['pattern', 'sigilMinCharacters', 'sigilMaxCharacters']);

/** Returns the keyword of a violation, if the message of a rule is clearer. */
function unclear({ keyword, parentSchema }: SchemaViolation): string | undefined {
  if (keyword === 'not') {
    const { not } = parentSchema as { readonly not?: unknown };
    return isObject(not) && 'pattern' in not ? 'pattern' : undefined;
  }
  return UNCLEAR.has(keyword) ? keyword : undefined;
}

function mismatch(violation: SchemaViolation, path: string, rules: readonly RuleWords[]): Issue {
  const expected = expectationOf(violation, rules);
  const received = describeValue(violation.data);
  const requirement = requirementOf(violation.keyword, expected);
  return issueAt(path, expected, received, `${requirement}; received ${received}${suggestion(violation)}`);
}

/** Returns the issue for an invalid property name. */
function wrongName(violation: SchemaViolation, name: string, at: string): Issue {
  const isNone = violation.keyword === FALSE;
  const expected = isNone ? 'no property' : expectationOf(violation, []);
  const shown = `the name ${JSON.stringify(shorten(name, SHOWN_NAME))}`;
  const text = isNone ? `expected ${expected}` : `the name of a property, expected ${expected}`;
  return issueAt(joinPath(at, name, false), expected, shown, `${text}; received ${shown}`);
}

function requirementOf(keyword: string, expected: string): string {
  if (keyword === 'uniqueItems') return 'must not have an element twice';
  return keyword === 'format' ? `must be ${expected}` : `expected ${expected}`;
}

function suggestion({ keyword, params, data }: SchemaViolation): string {
  if ((keyword !== 'enum' && keyword !== 'const') || typeof data !== 'string') return '';
  const allowed = [params['allowedValues'] ?? params['allowedValue']]
    .flat()
    .filter((allowedValue) => typeof allowedValue === 'string');
  const meant = nearest(data, allowed);
  return meant === undefined ? '' : `. Did you mean ${JSON.stringify(meant)}?`;
}

function missingPointer({ instancePath, params }: SchemaViolation): string {
  return joinPointer(instancePath, String(params['missingProperty']));
}

function missing({ params, parentSchema }: SchemaViolation, at: string, rules: readonly RuleWords[]): Issue {
  const name = String(params['missingProperty']);
  const path = joinPath(at, name, false);
  const { properties } = (parentSchema ?? {}) as { properties?: Record<string, unknown> };
  const schema = properties?.[name] as Record<string, unknown> | undefined;
  const worded = rules.filter((rule) => rule.worded).map((rule) => rule.explain(undefined));
  const expected = worded.join('; ') || expectationFrom(schema, rules);
  const { property } = params;
  const why = typeof property === 'string' ? ` beside ${quoted(property)}` : '';
  const text = worded.length > 0 ? expected : `required${why}, expected ${expected}; received nothing`;
  return issueAt(path, expected, 'nothing', text);
}

function unknownProperty({ params, parentSchema }: SchemaViolation, at: string): Issue {
  const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
  const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  const path = joinPath(at, name, false);
  const meant = nearest(name, known);
  const allowed = known.length > 0 ? ` Known properties: ${listValues(known)}.` : '';
  const hint = meant === undefined ? allowed : ` Did you mean ${JSON.stringify(meant)}?`;
  const received = `the property ${JSON.stringify(shorten(name, SHOWN_NAME))}`;
  return issueAt(path, 'no such property', received, `unknown property.${hint}`);
}

type Words = (
  params: Readonly<Record<string, unknown>>,
  violation: SchemaViolation,
  rules: readonly RuleWords[],
) => string;

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const PLURALS: Readonly<Record<string, string>> = {
  character: 'characters',
  item: 'items',
  property: 'properties',
};

function counted(limit: unknown, unit: string): string {
  return `${String(limit)} ${limit === 1 ? unit : PLURALS[unit]}`;
}

const count =
  (unit: string, how: string): Words =>
  ({ limit }) =>
    `${how} ${counted(limit, unit)}`;

/** ajv's keyword for a violation of the schema `false`. */
const FALSE = 'false schema';
const NOTHING = 'no value here';

const COMPARISONS: Readonly<Record<string, string>> = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
};

const COMPARED: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

const limit: Words = (params) =>
  `a number ${COMPARED[String(params['comparison'])] ?? String(params['comparison'])} ${String(params['limit'])}`;

const WORDS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['type', ({ type }, { parentSchema }, rules) => expectedBy(parentSchema, rules) ?? nounOf(type)],
  ['enum', ({ allowedValues }) => oneOf([allowedValues].flat())],
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
  ['contains', containing],
  ...['items', 'additionalItems', 'unevaluatedItems'].map((one) => [one, count('item', 'at most')] as const),
  ['format', ({ format }) => formatNamed(format)?.expects ?? 'another text'],
  ['not', (_, { parentSchema }) => allBut((parentSchema as { readonly not?: unknown } | undefined)?.not)],
  [FALSE, () => NOTHING],
  ['anyOf', () => 'a value that fits one of the alternatives'],
  ['oneOf', () => 'a value that fits exactly one of the alternatives'],
  ['if', () => 'a value that satisfies the conditional rules of the schema'],
  ['propertyNames', () => 'an object whose properties have other names'],
]);

const SHOWN_PATTERN = 120;

/** Keywords whose message does not need to repeat the invalid value. */
const SAID_ALONE: ReadonlySet<string> = new Set([
  'const',
  'pattern',
  'multipleOf',
  'minLength',
  'maxLength',
  ...Object.keys(COMPARISONS),
]);

function oneOf(values: readonly unknown[]): string {
  return values.length === 0 ? NOTHING : `one of ${listValues(values)}`;
}

function containing({ minContains: least = 1, maxContains: most }: SchemaViolation['params']): string {
  const items = (limit: unknown): string => `${counted(limit, 'item')} that ${limit === 1 ? 'fits' : 'fit'}`;
  if (most !== undefined)
    return least === most
      ? `an array with exactly ${items(least)}`
      : `an array with ${String(least)} to ${items(most)}`;
  return least === 1 ? 'an array with an item that fits' : `an array with at least ${items(least)}`;
}

/**
 * Returns the expectation of a pattern. Strings that are too long are not matched, so the message then names
 * the maximum length.
 */
function matching(source: string, longest: unknown, data: unknown): string {
  const pattern = shorten(source, SHOWN_PATTERN);
  const isTooLong = typeof longest === 'number' && typeof data === 'string' && data.length > longest;
  return isTooLong
    ? `a string of at most ${longest} characters, so that it can be matched with ${pattern}`
    : `a string that matches ${pattern}`;
}

/** Returns the requirement of a violated keyword, in words. */
function expectationOf(violation: SchemaViolation, rules: readonly RuleWords[]): string {
  const { keyword, params } = violation;
  // Keywords of one validator only have no words here: its own message is not for a model.
  return WORDS.get(keyword)?.(params, violation, rules) ?? 'another value';
}

/** Returns the requirement of a subschema in words, if one phrase can express it. */
function expectationFrom(schema: unknown, rules: readonly RuleWords[]): string {
  const { type, enum: values, const: only, $ref } = (schema ?? {}) as Record<string, unknown>;
  const expected = expectedBy(schema, rules);
  if (expected !== undefined) return expected;
  if (Array.isArray(values)) return oneOf(values);
  if (only !== undefined) return listValues([only]);
  if (type !== undefined) return nounOf(type);
  return $ref === undefined ? 'a value' : 'an object';
}

/** Returns the expected value according to the rules or the format of a schema. */
function expectedBy(schema: unknown, rules: readonly RuleWords[]): string | undefined {
  const format = formatNamed((schema as { format?: unknown } | undefined)?.format);
  return rules.find(({ expects }) => expects !== undefined)?.expects ?? format?.expects;
}

function nounOf(type: unknown): string {
  return [type]
    .flat()
    .map((name) => NOUNS[String(name)] ?? String(name))
    .join(' or ');
}

function quoted(name: string): string {
  return JSON.stringify(shorten(name, SHOWN_NAME));
}

/** Describes the values that `not` accepts, if one phrase can express them. */
function allBut(excluded: unknown): string {
  if (!isObject(excluded) || Object.keys(excluded).length === 0) return NOTHING;
  return `anything but ${exclusion(excluded) ?? 'the excluded values'}`;
}

function exclusion(excluded: JsonSchema): string | undefined {
  const [keyword, ...others] = Object.keys(excluded).filter((one) => one !== 'type');
  if (keyword === undefined) return nounOf(excluded['type']);
  if (others.length > 0) return undefined;
  const { [keyword]: held } = excluded;
  if (keyword === 'required' && Array.isArray(held)) return `an object with ${listValues(held)}`;
  if (keyword === 'contains') return `an array with ${expectationFrom(held, [])}`;
  if (keyword === 'enum' && Array.isArray(held)) return listValues(held);
  if (!SAID_ALONE.has(keyword)) return undefined;
  return expectationOf({ keyword, instancePath: '', params: paramsOf(keyword, excluded) }, []);
}

/** Returns ajv's `params` for a violated keyword: usually the value of the keyword. */
export function paramsOf(keyword: string, schema: JsonSchema): SchemaViolation['params'] {
  const { [keyword]: value } = schema;
  const comparison = COMPARISONS[keyword];
  if (comparison !== undefined) return { comparison, limit: value };
  if (keyword === 'enum') return { allowedValues: value };
  if (keyword === 'const') return { allowedValue: value };
  if (keyword === 'contains')
    return withoutUndefined({ minContains: schema['minContains'] ?? 1, maxContains: schema['maxContains'] });
  return ['type', 'multipleOf', 'pattern', 'format'].includes(keyword)
    ? { [keyword]: value }
    : { limit: value };
}
