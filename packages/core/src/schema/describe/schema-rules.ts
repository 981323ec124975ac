import type { JsonSchema } from '../../protocol/json.js';
import type { BoundRule } from '../dto/rule.js';

/** A symbol, so that schema validators do not see it. */
const RULES: unique symbol = Symbol('rules');

/** A schema that knows the rules it was made of: their words say more than keywords do. */
export function knowing(schema: JsonSchema, rules: readonly BoundRule[]): JsonSchema {
  const known = rules.filter(({ authored, condition }) => !authored && condition === undefined);
  if (known.length === 0) return schema;
  const { allOf } = schema;
  const parts = Array.isArray(allOf)
    ? { allOf: allOf.map((part: JsonSchema) => ({ ...part, [RULES]: known })) }
    : {};
  return { ...schema, ...parts, [RULES]: known } as JsonSchema;
}

/** The rules of class-validator a schema was made of. */
export function rulesOf(schema: unknown): readonly BoundRule[] {
  return (schema as { [RULES]?: readonly BoundRule[] } | undefined)?.[RULES] ?? [];
}
