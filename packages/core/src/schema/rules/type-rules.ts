import type { JsonSchema } from '../../protocol/json.js';
import { comparable } from './comparable.js';
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
    accepts: (value, [entity]) => members(entity).includes(value),
  },
  isInstance: { made: true },
};

function oneOfEnum(entity: unknown): JsonSchema {
  const values = comparable(members(entity));
  return values.length > 0 ? { enum: values } : { not: {} };
}

/** The values of an enum object, without the names that numeric enums keep for looking up backwards. */
function members(entity: unknown): readonly unknown[] {
  const found = Object(entity) as Record<string, unknown>;
  return Object.keys(found)
    .filter((key) => !(typeof found[key] === 'string' && found[found[key]] === Number(key)))
    .map((key) => found[key]);
}
