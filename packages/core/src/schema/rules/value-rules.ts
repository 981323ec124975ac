import type { JsonSchema } from '../../protocol/json.js';
import { bound, isCount, type RuleTable } from './rule.js';

/** Returns the rules of decorators that check the type of a value. */
export const typeRules = (): RuleTable => ({
  isString: { keywords: () => ({ type: 'string' }), exact: true },
  isBoolean: { keywords: () => ({ type: 'boolean' }), exact: true },
  isInt: { keywords: () => ({ type: 'integer' }), exact: true },
  isNumber: {
    keywords: () => ({ type: 'number' }),
    exact: ([options]) => decimalPlaces(options) === undefined,
    // Not `multipleOf`: 0.07 is no multiple of 0.01 in binary fractions.
    shown: ([options]) => {
      const places = decimalPlaces(options);
      return places === undefined ? {} : { description: `at most ${places} decimal places` };
    },
    expects: ([options]) => {
      const places = decimalPlaces(options);
      return places === undefined ? undefined : `a number with at most ${places} decimal places`;
    },
  },
  isArray: { keywords: () => ({ type: 'array' }), exact: true },
  isObject: { keywords: () => ({ type: 'object' }), exact: true },
  isNotEmptyObject: {
    keywords: ([options]) =>
      (options as { nullable?: boolean } | undefined)?.nullable === false
        ? { type: 'object', not: { additionalProperties: { type: 'null' } } }
        : { type: 'object', minProperties: 1 },
    exact: true,
  },
  // Stricter than class-validator on purpose: it also takes the names of a numeric enum as values.
  isEnum: {
    keywords: ([entity]) => oneOfEnum(entity),
    exact: true,
    constraints: ([entity, ...rest]) => [members(entity), ...rest],
  },
  isInstance: { made: true },
});

function decimalPlaces(options: unknown): number | undefined {
  return (options as { maxDecimalPlaces?: number } | undefined)?.maxDecimalPlaces;
}

function oneOfEnum(entity: unknown): JsonSchema {
  const values = comparable(members(entity));
  return values.length > 0 ? { enum: values } : { not: {} };
}

/** Returns the values of an enum object, without the reverse mapping of numeric enums. */
export function enumMembers(entity: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Object.entries(entity)
    .filter(([key, value]) => !(typeof value === 'string' && entity[value] === Number(key)))
    .map(([, value]) => value);
}

function members(entity: unknown): readonly unknown[] {
  return enumMembers(Object(entity) as Record<string, unknown>);
}

/** Returns the rules of decorators that check for missing values, or compare a value with given values. */
export const presenceRules = (): RuleTable => ({
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
});

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

const degrees = (limit: number): string => `degrees from -${limit} to ${limit}`;

/** Returns the rules of decorators that check numbers. */
export const numberRules = (): RuleTable => ({
  min: { keywords: ([limit]) => ({ type: 'number', minimum: limit }), exact: isLimit },
  max: { keywords: ([limit]) => ({ type: 'number', maximum: limit }), exact: isLimit },
  isPositive: { keywords: () => ({ type: 'number', exclusiveMinimum: 0 }), exact: true },
  isNegative: { keywords: () => ({ type: 'number', exclusiveMaximum: 0 }), exact: true },
  isDivisibleBy: {
    keywords: () => ({ type: 'number' }),
    shown: ([divisor]) => (Number.isInteger(divisor) && Number(divisor) > 0 ? { multipleOf: divisor } : {}),
  },
  isLatitude: {
    keywords: () => ({ type: ['number', 'string'] }),
    shown: () => ({ description: degrees(90) }),
  },
  isLongitude: {
    keywords: () => ({ type: ['number', 'string'] }),
    shown: () => ({ description: degrees(180) }),
  },
});

function isLimit([limit]: readonly unknown[]): boolean {
  return typeof limit === 'number' && Number.isFinite(limit);
}

/** Returns the list that a decorator got; an empty list if the argument is not a list. */
function listed(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

/** Returns the different values that can equal a JSON value. class-validator compares by identity. */
function comparable(values: readonly unknown[]): readonly unknown[] {
  return [...new Set(values.filter(isComparable))];
}

function isComparable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

const ARRAY: JsonSchema = { type: 'array' };

/** Returns the rules of decorators that check an array as a whole, and not its elements. */
export const arrayRules = (): RuleTable => ({
  arrayNotEmpty: { keywords: () => ({ ...ARRAY, minItems: 1 }), exact: true },
  arrayMinSize: {
    keywords: ([min]) => ({ ...ARRAY, ...bound('minItems', min) }),
    exact: ([min]) => isCount(min),
  },
  arrayMaxSize: {
    keywords: ([max]) => ({ ...ARRAY, ...bound('maxItems', max) }),
    exact: ([max]) => isCount(max),
  },
  // Objects are compared by identity, and an identifier function is not in the metadata.
  arrayUnique: {
    keywords: () => ARRAY,
    shown: () => ({ uniqueItems: true }),
    searches: true,
  },
  arrayContains: { keywords: ([values]) => ({ ...ARRAY, ...containing(listed(values)) }), exact: true },
  arrayNotContains: {
    keywords: ([values]) => {
      const unwanted = comparable(listed(values));
      return unwanted.length === 0 ? ARRAY : { ...ARRAY, not: { contains: { enum: unwanted } } };
    },
    exact: true,
  },
});

function containing(values: readonly unknown[]): JsonSchema {
  const wanted = comparable(values);
  if (wanted.length < new Set(values).size) return { not: {} };
  const each = wanted.map((value) => ({ contains: { const: value } }));
  if (each.length === 0) return {};
  // For nested arrays, ajv's `contains` is wrong about an empty one.
  return { minItems: 1, ...(each.length > 1 ? { allOf: each } : each[0]) };
}
