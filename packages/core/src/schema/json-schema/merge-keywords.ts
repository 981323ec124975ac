import type { JsonSchema } from '../../protocol/json.js';

type Combine = (a: unknown, b: unknown) => unknown;

const largest: Combine = (a, b) => Math.max(Number(a), Number(b));
const smallest: Combine = (a, b) => Math.min(Number(a), Number(b));

/** Combines two values of the same keyword. */
const COMBINATIONS: ReadonlyMap<string, Combine> = new Map<string, Combine>([
  ...['minimum', 'exclusiveMinimum', 'minLength', 'sigilMinCharacters', 'minItems', 'minProperties'].map(
    (key) => [key, largest] as const,
  ),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'sigilMaxCharacters', 'maxItems', 'maxProperties'].map(
    (key) => [key, smallest] as const,
  ),
  ['type', narrowest],
  ['description', (a, b) => `${String(a)}; ${String(b)}`],
]);

/**
 * Returns a schema that accepts the values that both schemas accept. Keywords that cannot be combined are
 * added to `allOf`.
 */
export function mergeKeywords(first: JsonSchema, second: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...first };
  const apart: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(second)) {
    const present = merged[key];
    if (present === undefined) merged[key] = value;
    else if (JSON.stringify(present) !== JSON.stringify(value)) {
      const combined = COMBINATIONS.get(key)?.(present, value);
      if (combined === undefined) apart[key] = value;
      else merged[key] = combined;
    }
  }
  if (Object.keys(apart).length > 0)
    merged['allOf'] = [...((merged['allOf'] as unknown[] | undefined) ?? []), apart];
  return merged;
}

/** Removes redundant keywords, so that clients get shorter schemas. */
export function tidyKeywords(merged: JsonSchema): JsonSchema {
  const schema = withoutIdlePattern(merged);
  const { not, ...rest } = schema;
  const type = rest['type'];
  const canBeNull =
    (type === undefined && !('$ref' in rest)) || (Array.isArray(type) && type.includes('null'));
  if (not === undefined || canBeNull) return schema;
  const said = JSON.stringify(not);
  if (said === '{"type":"null"}') return rest;
  if (said !== '{"enum":["",null]}') return schema;
  return type === 'string' ? mergeKeywords(rest, { minLength: 1 }) : rest;
}

/** Removes a pattern from a schema that accepts no string. */
function withoutIdlePattern(schema: JsonSchema): JsonSchema {
  const { pattern, ...rest } = schema;
  const { type } = rest;
  return pattern === undefined || type === undefined || [type].flat().includes('string') ? schema : rest;
}

/** Simplifies the limits of an integer: `minimum: 1` instead of `exclusiveMinimum: 0`. */
export function wholeLimits(schema: JsonSchema): JsonSchema {
  if (schema['type'] !== 'integer') return schema;
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = schema;
  return mergeKeywords(rest, {
    ...(typeof above === 'number' && { minimum: Math.floor(above) + 1 }),
    ...(typeof below === 'number' && { maximum: Math.ceil(below) - 1 }),
  });
}

/** Returns a schema that accepts `null`, in addition to the values of another schema. */
export function orNull(schema: JsonSchema): JsonSchema {
  const [only, ...others] = Object.keys(schema);
  if (only === undefined) return schema;
  if (only === 'anyOf' && others.length === 0)
    return { anyOf: [...(schema[only] as unknown[]), { type: 'null' }] };
  return { anyOf: [schema, { type: 'null' }] };
}

function narrowest(a: unknown, b: unknown): unknown {
  const first = [a].flat() as string[];
  const second = [b].flat() as string[];
  const common = first.filter((type) => second.includes(type));
  if (common.length === 0 && [...first, ...second].includes('integer')) {
    if ([...first, ...second].includes('number')) return 'integer';
  }
  if (common.length === 0) return undefined;
  return common.length === 1 ? common[0] : common;
}
