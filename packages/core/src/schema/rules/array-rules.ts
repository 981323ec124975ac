import type { JsonSchema } from '../../protocol/json.js';
import type { RuleTable } from './rule.js';

const ARRAY: JsonSchema = { type: 'array' };

/** Decorators about arrays as a whole. */
export const ARRAY_RULES: RuleTable = {
  arrayNotEmpty: { keywords: () => ({ ...ARRAY, minItems: 1 }), exact: true },
  arrayMinSize: { keywords: ([min]) => ({ ...ARRAY, ...size('minItems', min) }), exact: isSize },
  arrayMaxSize: { keywords: ([max]) => ({ ...ARRAY, ...size('maxItems', max) }), exact: isSize },
  // Objects are compared by identity, and an identifier function is not in the metadata.
  arrayUnique: { keywords: () => ARRAY, shown: () => ({ uniqueItems: true }) },
  arrayContains: { keywords: () => ARRAY },
  arrayNotContains: { keywords: () => ARRAY },
};

function isSize([limit]: readonly unknown[]): boolean {
  return Number.isInteger(limit) && Number(limit) >= 0;
}

function size(keyword: string, limit: unknown): JsonSchema {
  return isSize([limit]) ? { [keyword]: limit } : {};
}
