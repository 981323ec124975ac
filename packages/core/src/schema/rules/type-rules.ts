import type { JsonSchema } from '../../protocol/json.js';
import { enumValues } from '../declared-type.js';
import type { RuleTable } from './rule.js';

/** Decorators that say what kind of value is wanted. */
export const TYPE_RULES: RuleTable = {
  isString: { keywords: () => ({ type: 'string' }), exact: true },
  isBoolean: { keywords: () => ({ type: 'boolean' }), exact: true },
  isInt: { keywords: () => ({ type: 'integer' }), exact: true },
  isNumber: {
    keywords: () => ({ type: 'number' }),
    exact: ([options]) =>
      (options as { maxDecimalPlaces?: number } | undefined)?.maxDecimalPlaces === undefined,
  },
  isArray: { keywords: () => ({ type: 'array' }), exact: true },
  isObject: { keywords: () => ({ type: 'object' }), exact: true },
  isNotEmptyObject: { keywords: () => ({ type: 'object' }), shown: () => ({ minProperties: 1 }) },
  // Stricter than class-validator on purpose: it also takes the names of a numeric enum as values.
  isEnum: { keywords: ([entity]) => oneOfEnum(entity), exact: true },
};

function oneOfEnum(entity: unknown): JsonSchema {
  const values = enumValues(Object(entity) as Record<string, unknown>);
  return values.length > 0 ? { enum: values } : { not: {} };
}
