import { isObject, type JsonSchema } from '../../protocol/json.js';

/** The JSON Schema dialects that a hand-written schema can use. */
export type SchemaDialect = '2020-12' | '2019-09' | 'draft-07';

/** Keywords whose value is one schema. `items` may also be a list of them. */
const SINGLE: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
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

/** Keywords whose value is a list of schemas. */
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']);

/** Keywords whose members are named by the author: such a name is not a keyword. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Keywords whose value is data or annotation, not a schema to look into. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example']);

/**
 * Returns the direct subschemas of a schema. The search includes unknown keywords, because a `$ref` may point into
 * them.
 *
 * @returns the values of the keywords that contain schemas. If the given schema is malformed, these values are not
 *   always schemas. Lists of property names in `dependencies` are left out.
 */
export function subschemasOf(schema: JsonSchema): unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (typeof value !== 'object' || value === null || DATA.has(keyword)) return [];
    if (NAMED.has(keyword)) return Object.values(value as JsonSchema).filter((one) => !Array.isArray(one));
    const members: readonly unknown[] = Array.isArray(value) ? value : [value];
    return members.filter((member) => typeof member === 'object');
  });
}

/** Replaces each direct subschema of a schema. Data, such as `const` and `default`, stays unchanged. */
export function mapSubschemas(
  schema: JsonSchema,
  replace: (subschema: JsonSchema) => JsonSchema,
): JsonSchema {
  const one = (value: unknown): unknown => (isObject(value) ? replace(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (LISTS.has(keyword) && Array.isArray(value)) return [keyword, value.map(one)];
    if (SINGLE.has(keyword)) return [keyword, one(value)];
    if (NAMED.has(keyword) && isObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, to]) => [name, one(to)]))];
    return [keyword, value];
  });
  return Object.fromEntries(entries) as JsonSchema;
}

/** Returns the names that an author chose in a schema, such as the names of properties and definitions. */
export function namesIn(schema: JsonSchema): string[] {
  return [...NAMED, 'dependentRequired'].flatMap((keyword) => Object.keys(schema[keyword] ?? {}));
}

/** Splits a JSON pointer, such as `/a/0`, into its steps. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/** Returns the value at a JSON pointer; `undefined` if the pointer leads to no own property or element. */
export function valueAt(root: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined,
    root,
  );
}

/**
 * Returns the first number that JSON cannot represent, with its place, such as `NaN at /minimum`; `undefined` if
 * the value contains no such number.
 */
export function nonFiniteIn(value: unknown, pointer = ''): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value} at ${pointer || 'its root'}`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = nonFiniteIn(member, joinPointer(pointer, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a JSON pointer with a further step at its end. */
export function joinPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

/** Returns the definition that a schema with `$ref` points to. Schemas without `$ref` are returned unchanged. */
export function resolveReference(schema: unknown, root: JsonSchema): JsonSchema {
  if (!isObject(schema)) return {};
  const reference = typeof schema['$ref'] === 'string' ? schema['$ref'] : '';
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const definitions = root['$defs'];
  const found =
    name !== undefined && isObject(definitions) && Object.hasOwn(definitions, name)
      ? definitions[name]
      : undefined;
  return isObject(found) ? found : schema;
}

/** Returns a schema and all its subschemas, at every depth. */
export function schemasIn(schema: JsonSchema): JsonSchema[] {
  return [schema, ...subschemasOf(schema).filter(isObject).flatMap(schemasIn)];
}

/** Whether a schema has a keyword, at any depth. */
export function hasKeyword(schema: JsonSchema, keyword: string): boolean {
  return schemasIn(schema).some((one) => keyword in one);
}

/** Returns the different regular expressions in a well-formed schema, at every depth. */
export function patternsIn(schema: JsonSchema): ReadonlySet<string> {
  const sources = schemasIn(schema).flatMap(({ pattern, patternProperties }) => [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ]);
  return new Set(sources);
}
