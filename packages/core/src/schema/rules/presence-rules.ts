import type { JsonSchema } from '../../protocol/json.js';
import { comparable, listed } from './comparable.js';
import type { RuleTable } from './rule.js';

/** Decorators about being there, and about being one of some values. */
export const PRESENCE_RULES: RuleTable = {
  isDefined: { keywords: () => ({ not: { type: 'null' } }), exact: true },
  isNotEmpty: { keywords: () => ({ not: { enum: ['', null] } }), exact: true },
  isEmpty: { keywords: () => ({ enum: ['', null] }), exact: true, acceptsMissing: true },
  equals: {
    keywords: ([value]) => oneOf([value]),
    exact: true,
    acceptsMissing: ([value]) => value === undefined,
  },
  notEquals: {
    keywords: ([value]) => noneOf([value]),
    exact: true,
    acceptsMissing: ([value]) => value !== undefined,
  },
  isIn: {
    keywords: ([values]) => oneOf(listed(values)),
    exact: true,
    acceptsMissing: ([values]) => listed(values).includes(undefined),
  },
  isNotIn: {
    keywords: ([values]) => noneOf(listed(values)),
    exact: true,
    acceptsMissing: ([values]) => !listed(values).includes(undefined),
  },
};

function oneOf(values: readonly unknown[]): JsonSchema {
  const possible = comparable(values);
  if (possible.length === 0) return { not: {} };
  return possible.length === 1 ? { const: possible[0] } : { enum: possible };
}

function noneOf(values: readonly unknown[]): JsonSchema {
  const possible = comparable(values);
  if (possible.length === 0) return {};
  return { not: possible.length === 1 ? { const: possible[0] } : { enum: possible } };
}
