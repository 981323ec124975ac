import { isObject, type JsonSchema } from '../../protocol/json.js';
import type { Direction } from '../source.js';
import { mapSubschemas, resolveReference, subschemasOf } from './json-schema.js';

/**
 * A schema as clients get it. Several clients convert schemas for their model, and refuse an `enum` or `const` without `type`, and in
 * inputs an object without `properties` or an array without `items`. Adding them changes no meaning, so it is done to schemas written by
 * hand as well.
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

/** How schemas are written for clients that choke on legal ones. What is said changes, never what is enforced. */
export interface SchemaShape {
  /** Write `$ref` out in place, for clients that do not follow references. */
  readonly inlineReferences?: boolean;
  /**
   * How "or null" is written: as alternatives (`any-of`), as a list of types (`type-list`), as the `nullable` of OpenAPI
   * (`nullable`), or not at all (`omit`). By default as it stands.
   */
  readonly nulls?: 'any-of' | 'type-list' | 'nullable' | 'omit';
  /** The only values of `format` that are said, for clients that refuse those they do not know; `[]` for none. */
  readonly formats?: readonly string[];
  /** Keywords that are left out, such as `$schema`, `default` or `examples`. */
  readonly omit?: readonly string[];
}

/** Writes a schema the way a client can take it. */
export function shapeSchema(schema: JsonSchema, shape: SchemaShape): JsonSchema {
  const whole = shape.inlineReferences === true ? inlineReferences(schema, 'open') : schema;
  return shapeOne(whole, shape);
}

function shapeOne(schema: JsonSchema, shape: SchemaShape): JsonSchema {
  const { nulls, formats, omit = [] } = shape;
  const within = mapSubschemas(schema, (one) => shapeOne(one, shape));
  const kept = Object.entries(within).filter(
    ([keyword, value]) =>
      !omit.includes(keyword) &&
      !(keyword === 'format' && formats !== undefined && !formats.includes(String(value))),
  );
  const shaped = Object.fromEntries(kept) as JsonSchema;
  const bare = nulls === undefined ? undefined : withoutNull(shaped);
  return bare === undefined || nulls === undefined ? shaped : withNull(bare, nulls);
}

/** What a schema says beside "or null"; `undefined` when it does not say that. */
function withoutNull(schema: JsonSchema): JsonSchema | undefined {
  const { type, anyOf, enum: values, ...rest } = schema;
  if (Array.isArray(type) && type.includes('null')) {
    const types = type.filter((one) => one !== 'null') as unknown[];
    const remaining = Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {};
    return {
      ...rest,
      ...remaining,
      ...(anyOf === undefined ? {} : { anyOf }),
      type: types.length === 1 ? types[0] : types,
    };
  }
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return undefined;
  const others = anyOf.filter((branch) => !isNull(branch)) as JsonSchema[];
  const outer = {
    ...(type === undefined ? {} : { type }),
    ...(values === undefined ? {} : { enum: values }),
    ...rest,
  };
  return others.length === 1 ? { ...others[0], ...outer } : { ...outer, anyOf: others };
}

function withNull(bare: JsonSchema, nulls: NonNullable<SchemaShape['nulls']>): JsonSchema {
  switch (nulls) {
    case 'omit':
      return bare;
    case 'nullable':
      return { ...bare, nullable: true };
    case 'any-of':
      return eitherOrNull(bare);
    case 'type-list': {
      const { type, enum: values } = bare;
      // A list of types says nothing about values that are named one by one, or stand behind a reference.
      if (type === undefined || bare['const'] !== undefined) return eitherOrNull(bare);
      const withValue = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
      return { ...bare, ...withValue, type: [...[type].flat(), 'null'] };
    }
  }
}

function eitherOrNull(bare: JsonSchema): JsonSchema {
  const [about, said] = [true, false].map((isAbout) =>
    Object.fromEntries(Object.entries(bare).filter(([keyword]) => ANNOTATIONS.has(keyword) === isAbout)),
  );
  return { anyOf: [said, { type: 'null' }], ...about };
}

function isNull(branch: unknown): boolean {
  return isObject(branch) && branch['type'] === 'null' && Object.keys(branch).length === 1;
}

/** Most schemas that writing out may end in; what would take more keeps its references. */
const MAX_SUBSCHEMAS = 1000;

/**
 * Writes references to definitions out where they stand, because many models and their hosts do not follow them.
 *
 * @param recursion what becomes of definitions that hold themselves: they stay definitions (`keep`), or they are written out once, and
 *   within themselves only their type is said (`open`), which allows more and never less.
 * @returns the schema as it was when writing it out would make it too large.
 */
export function inlineReferences(root: JsonSchema, recursion: 'keep' | 'open'): JsonSchema {
  if (!isObject(root['$defs'])) return root;
  const named = Object.entries(root['$defs'] as Readonly<Record<string, JsonSchema>>);
  const kept = named.filter(([, one]) => recursion === 'keep' && holdsItself(one, root));
  const inlining = { root, kept: new Set(kept.map(([, one]) => one)), left: MAX_SUBSCHEMAS };
  const rest = kept.map(([name, one]) => [name, inline(one, inlining, [])] as const);
  const inlined = {
    ...inline(root, inlining, []),
    ...(rest.length > 0 && { $defs: Object.fromEntries(rest) }),
  };
  // What is referred to in another way than ours needs its definitions.
  const references = [...JSON.stringify(inlined).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = '']) => to);
  const isWhole = references.every((to) => rest.some(([name]) => to === `#/$defs/${name}`));
  return inlining.left < 0 || !isWhole ? root : inlined;
}

interface Inlining {
  readonly root: JsonSchema;
  /** Definitions that are not written out. */
  readonly kept: ReadonlySet<JsonSchema>;
  /** How many schemas may still be written. */
  left: number;
}

function inline(schema: JsonSchema, inlining: Inlining, within: readonly JsonSchema[]): JsonSchema {
  inlining.left -= 1;
  if (inlining.left < 0) return schema;
  const target = resolveReference(schema, inlining.root);
  if (target === schema) {
    // Definitions are written out where they are used.
    const { $defs: _, ...rest } = schema;
    return mapSubschemas(rest, (one) => inline(one, inlining, within));
  }
  if (inlining.kept.has(target)) return schema;
  const { $ref: _, ...beside } = schema;
  if (within.includes(target)) return { ...('type' in target && { type: target['type'] }), ...beside };
  const written = inline(target, inlining, [...within, target]);
  const contradicts = Object.keys(beside).some((key) => key in written && !ANNOTATIONS.has(key));
  return contradicts ? { allOf: [written, beside] } : { ...written, ...beside };
}

/** What is said of a value beside a reference is more specific than what its definition says. */
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
