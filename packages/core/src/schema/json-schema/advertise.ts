import { isObject, type JsonSchema } from '../../protocol/json.js';
import type { Direction } from './source.js';
import { mapSubschemas, resolveReference, subschemasOf } from './json-schema.js';

/**
 * Returns a schema in the form that clients get. Several clients convert schemas for their model. Those clients
 * refuse an `enum` or `const` without `type`; in inputs, they also refuse an object without `properties`, and an
 * array without `items`. This function adds the missing keywords, even to hand-written schemas. The added keywords
 * do not change the meaning of a schema.
 */
export function advertise(schema: JsonSchema, direction: Direction): JsonSchema {
  // `not` and `if` describe no value.
  const apart = Object.entries(schema).filter(([keyword]) => keyword === 'not' || keyword === 'if');
  const typed: JsonSchema = {
    ...mapSubschemas(schema, (one) => advertise(one, direction)),
    ...Object.fromEntries(apart),
  };
  const { type } = typed;
  if (type !== undefined) {
    const lacks = (kind: string, ...keywords: readonly string[]): boolean =>
      direction === 'input' && [type].flat().includes(kind) && !keywords.some((keyword) => keyword in typed);
    return {
      type,
      ...(lacks('object', 'properties') && { properties: {} }),
      ...(lacks('array', 'items', 'prefixItems') && { items: {} }),
      ...typed,
    };
  }
  const values = 'const' in typed ? [typed['const']] : typed['enum'];
  return Array.isArray(values) && values.length > 0 ? { type: typesOf(values), ...typed } : typed;
}

/** Returns the `type` keyword for the values of an `enum` or `const`. */
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

/** Maximum number of subschemas after inlining; a larger schema keeps its references. */
const MAX_SUBSCHEMAS = 1000;

/**
 * Replaces each `$ref` with the definition that it points to, because many models and hosts do not follow
 * references. Recursive definitions are kept.
 *
 * @returns the schema unchanged if the result would be too large.
 */
export function inlineReferences(root: JsonSchema): JsonSchema {
  if (!isObject(root['$defs'])) return root;
  const named = Object.entries(root['$defs'] as Readonly<Record<string, JsonSchema>>);
  const kept = named.filter(([, one]) => holdsItself(one, root));
  const inlining = { root, kept: new Set(kept.map(([, one]) => one)), left: MAX_SUBSCHEMAS };
  const rest = kept.map(([name, one]) => [name, inline(one, inlining)] as const);
  const inlined = {
    ...inline(root, inlining),
    ...(rest.length > 0 && { $defs: Object.fromEntries(rest) }),
  };
  // References other than ours need their definitions.
  const references = [...JSON.stringify(inlined).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to);
  const isWhole = references.every((to) => rest.some(([name]) => to === `#/$defs/${name}`));
  return inlining.left < 0 || !isWhole ? root : inlined;
}

interface Inlining {
  readonly root: JsonSchema;
  /** The definitions that are kept as references. */
  readonly kept: ReadonlySet<JsonSchema>;
  /** The number of subschemas that may still be inlined. */
  left: number;
}

function inline(schema: JsonSchema, inlining: Inlining): JsonSchema {
  inlining.left -= 1;
  if (inlining.left < 0) return schema;
  const target = resolveReference(schema, inlining.root);
  if (target === schema) {
    // Definitions are inlined.
    const { $defs: _, ...rest } = schema;
    return mapSubschemas(rest, (one) => inline(one, inlining));
  }
  if (inlining.kept.has(target)) return schema;
  const { $ref: _, ...beside } = schema;
  const written = inline(target, inlining);
  const contradicts = Object.keys(beside).some((key) => key in written && !ANNOTATIONS.has(key));
  return contradicts ? { allOf: [written, beside] } : { ...written, ...beside };
}

/** Annotations beside a reference, which override those of the definition. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
]);

function holdsItself(definition: JsonSchema, root: JsonSchema): boolean {
  const seen = new Set<JsonSchema>();
  const reaches = (schema: JsonSchema): boolean =>
    subschemasOf(schema).some((one) => {
      const target = resolveReference(one, root);
      if (target === definition) return true;
      if (seen.has(target)) return false;
      seen.add(target);
      return reaches(target);
    });
  return reaches(definition);
}
