import type { SchemaViolation } from './ajv.js';
import { describeValue, listValues, shorten } from './describe-value.js';
import { expectationFrom, expectationOf } from './expectations.js';
import type { Issue } from './invalid-value-error.js';
import { nearest } from './nearest.js';
import { joinPath, pathOf } from './paths.js';
import { type RuleCheck, RULES_KEYWORD, WORDS_KEYWORD } from './rule-check.js';

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
