import { isObject, type JsonSchema } from '../../protocol/json.js';
import type { Direction } from '../source.js';
import { mapSubschemas, resolveReference } from './json-schema.js';

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
  const whole = shape.inlineReferences === true ? inlineReferences(schema) : schema;
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
  const { description, title, default: fallback, deprecated, examples, ...said } = bare;
  const about = Object.entries({ title, description, default: fallback, deprecated, examples });
  return {
    anyOf: [said, { type: 'null' }],
    ...Object.fromEntries(about.filter(([, value]) => value !== undefined)),
  };
}

function isNull(branch: unknown): boolean {
  return isObject(branch) && branch['type'] === 'null' && Object.keys(branch).length === 1;
}

/** Most schemas that writing out may end in; what would take more keeps its references. */
const MAX_SUBSCHEMAS = 5000;

/**
 * Writes references to definitions out where they stand. A definition that holds itself is written out once; within itself only its
 * type is said, which allows more and never less.
 *
 * @returns the schema as it was when writing it out would make it too large.
 */
function inlineReferences(root: JsonSchema): JsonSchema {
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
