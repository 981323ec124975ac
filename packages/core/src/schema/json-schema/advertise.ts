import type { JsonSchema } from '../../protocol/json.js';
import type { Direction } from '../source.js';
import { mapSubschemas } from './walk.js';

/**
 * A schema as clients get it. Several clients convert schemas for their model, and refuse an `enum` or `const` without `type` and an
 * input without `properties`. Adding them changes no meaning, so it is done to schemas written by hand as well.
 */
export function advertise(schema: JsonSchema, direction: Direction): JsonSchema {
  const typed = withTypes(schema);
  const isBare = direction === 'input' && typed['properties'] === undefined;
  return isBare ? { type: 'object', properties: {}, ...typed } : typed;
}

function withTypes(schema: JsonSchema): JsonSchema {
  // `not` and `if` describe no value.
  const apart = Object.entries(schema).filter(([keyword]) => keyword === 'not' || keyword === 'if');
  const typed = { ...mapSubschemas(schema, withTypes), ...Object.fromEntries(apart) };
  if (typed['type'] !== undefined) return typed;
  const values = 'const' in typed ? [typed['const']] : typed['enum'];
  return Array.isArray(values) && values.length > 0 ? { type: typesOf(values), ...typed } : typed;
}

/** The `type` of values that are listed one by one. */
function typesOf(values: readonly unknown[]): string | string[] {
  const types = new Set(values.map(typeOf));
  // An integer is a number, so a schema need not say both.
  if (types.has('number')) types.delete('integer');
  const [only, ...others] = types;
  return only !== undefined && others.length === 0 ? only : [...types];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
