import type { JsonSchema } from '../protocol/json.js';
import { mapSubschemas } from './map-subschemas.js';
import { resolveReference } from './resolve-reference.js';

/** Most schemas that writing out may end in; what would take more keeps its references. */
const MAX_SUBSCHEMAS = 5000;

/**
 * Writes references to definitions out where they stand. A definition that holds itself is written out once; within itself only its
 * type is said, which allows more and never less.
 *
 * @returns the schema as it was when writing it out would make it too large.
 */
export function inlineReferences(root: JsonSchema): JsonSchema {
  const budget = { left: MAX_SUBSCHEMAS };
  const inlined = inline(root, root, [], budget);
  // What is referred to in another way than ours needs its definitions.
  return budget.left < 0 || JSON.stringify(inlined).includes('"$ref"') ? root : inlined;
}

interface Budget {
  left: number;
}

function inline(
  schema: JsonSchema,
  root: JsonSchema,
  within: readonly JsonSchema[],
  budget: Budget,
): JsonSchema {
  budget.left -= 1;
  if (budget.left < 0) return schema;
  const target = resolveReference(schema, root);
  if (target === schema)
    return mapSubschemas(withoutDefinitions(schema), (one) => inline(one, root, within, budget));
  const { $ref: _, ...beside } = schema;
  const { type } = target;
  if (within.includes(target)) return { ...(type === undefined ? {} : { type }), ...beside };
  return { ...inline(target, root, [...within, target], budget), ...beside };
}

/** Definitions are written out where they are used. */
function withoutDefinitions(schema: JsonSchema): JsonSchema {
  const { $defs: _, ...rest } = schema;
  return rest;
}
