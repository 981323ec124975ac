import { isObject, type JsonSchema } from '../protocol/json.js';

const SINGLE: ReadonlySet<string> = new Set([
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** A schema with every schema directly in it replaced; data such as `const` and `default` is left alone. */
export function mapSubschemas(
  schema: JsonSchema,
  replace: (subschema: JsonSchema) => JsonSchema,
): JsonSchema {
  const one = (value: unknown): unknown => (isObject(value) ? replace(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (SINGLE.has(keyword)) return [keyword, one(value)];
    if (LISTS.has(keyword) && Array.isArray(value)) return [keyword, value.map(one)];
    if (NAMED.has(keyword) && isObject(value))
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, member]) => [name, one(member)])),
      ];
    return [keyword, value];
  });
  return Object.fromEntries(entries) as JsonSchema;
}
