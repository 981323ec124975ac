import type { JsonSchema } from '../../../protocol/json.js';
import type { RuleTable } from './rule.js';
import { comparable, listed } from './value-rules.js';

const ARRAY: JsonSchema = { type: 'array' };

/** Decorators about arrays as a whole. */
export const ARRAY_RULES: RuleTable = {
  arrayNotEmpty: { keywords: () => ({ ...ARRAY, minItems: 1 }), exact: true },
  arrayMinSize: { keywords: ([min]) => ({ ...ARRAY, ...size('minItems', min) }), exact: isSize },
  arrayMaxSize: { keywords: ([max]) => ({ ...ARRAY, ...size('maxItems', max) }), exact: isSize },
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
};

function isSize([limit]: readonly unknown[]): boolean {
  return Number.isInteger(limit) && Number(limit) >= 0;
}

function size(keyword: string, limit: unknown): JsonSchema {
  return isSize([limit]) ? { [keyword]: limit } : {};
}

function containing(values: readonly unknown[]): JsonSchema {
  const wanted = comparable(values);
  if (wanted.length < new Set(values).size) return { not: {} };
  const each = wanted.map((value) => ({ contains: { const: value } }));
  if (each.length === 0) return {};
  // In an array of arrays ajv takes an empty one to contain what the one before it does.
  return { minItems: 1, ...(each.length > 1 ? { allOf: each } : each[0]) };
}
