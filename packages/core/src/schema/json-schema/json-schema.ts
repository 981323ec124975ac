import { isObject, type JsonSchema } from '../../protocol/json.js';

/** The dialects a hand-written schema may be in. */
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
 * The direct subschemas of a schema. Unknown keywords are searched as well, because a `$ref` may lead there.
 *
 * @returns values that are schemas if the schema is well-formed; lists of names in `dependencies` are left out.
 */
export function subschemasOf(schema: JsonSchema): unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (typeof value !== 'object' || value === null || DATA.has(keyword)) return [];
    if (NAMED.has(keyword)) return Object.values(value as JsonSchema).filter((one) => !Array.isArray(one));
    const members: readonly unknown[] = Array.isArray(value) ? value : [value];
    return members.filter((member) => typeof member === 'object');
  });
}

/** A schema with every schema directly in it replaced; data such as `const` and `default` is left alone. */
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

/** The author's names of direct members of a schema, such as properties and definitions. */
export function namesIn(schema: JsonSchema): string[] {
  return [...NAMED, 'dependentRequired'].flatMap((keyword) => Object.keys(schema[keyword] ?? {}));
}

/** The steps of a JSON pointer, such as `/a/0`. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/** The value at a JSON pointer; `undefined` if the value has no own member there. */
export function valueAt(root: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined,
    root,
  );
}

/** The place of a number that JSON cannot carry, such as `NaN at /minimum`; `undefined` if there is none. */
export function nonFiniteIn(value: unknown, pointer = ''): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value} at ${pointer || 'its root'}`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = nonFiniteIn(member, joinPointer(pointer, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A JSON pointer that goes one step further. */
export function joinPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

/** The target of a reference to a definition of its document; other schemas are returned unchanged. */
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

/** A schema, and the schemas in it at every depth. */
export function schemasIn(schema: JsonSchema): JsonSchema[] {
  return [schema, ...subschemasOf(schema).filter(isObject).flatMap(schemasIn)];
}

/** Whether a keyword stands in a schema, at any depth. */
export function hasKeyword(schema: JsonSchema, keyword: string): boolean {
  return schemasIn(schema).some((one) => keyword in one);
}

/** The regular expressions of a schema that was found to be well-formed, at every depth, each once. */
export function patternsIn(schema: JsonSchema): ReadonlySet<string> {
  const sources = schemasIn(schema).flatMap(({ pattern, patternProperties }) => [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ]);
  return new Set(sources);
}
