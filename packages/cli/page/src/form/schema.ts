import { cannotBacktrack } from '@sigil/core/internal';
import { isObject, type JsonObject } from '../../../src/json.js';
import { objectsOf } from '../mcp/messages.js';

/** Escapes a name as a step of a JSON pointer. */
export function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A JSON Schema document, which resolves references. */
export class SchemaDocument {
  readonly #anchors = new Map<string, unknown>();

  constructor(readonly root: unknown) {
    this.#collect(root, 0);
  }

  #collect(schema: unknown, depth: number): void {
    if (depth > MOST_DEPTH) return;
    if (Array.isArray(schema)) for (const one of schema) this.#collect(one, depth + 1);
    if (!isObject(schema)) return;
    if (typeof schema['$anchor'] === 'string') this.#anchors.set(`#${schema['$anchor']}`, schema);
    for (const one of Object.values(schema)) this.#collect(one, depth + 1);
  }

  /**
   * Returns a schema with its references and `allOf` merged, as far as forms use them.
   *
   * @returns the schema; `undefined` if it allows any value, or if its reference is broken.
   */
  resolve(schema: unknown, depth = 0): JsonObject | undefined {
    if (!isObject(schema) || depth > MOST_REFERENCES) return undefined;
    const { $ref, allOf, ...own } = schema;
    let resolved: JsonObject = own;
    if (typeof $ref === 'string')
      resolved = merged(this.resolve(this.#find($ref), depth + 1) ?? {}, resolved);
    for (const part of objectsOf(allOf)) resolved = merged(resolved, this.resolve(part, depth + 1) ?? {});
    return Object.keys(resolved).length === 0 ? undefined : resolved;
  }

  #find(ref: string): unknown {
    if (this.#anchors.has(ref)) return this.#anchors.get(ref);
    if (ref !== '#' && !ref.startsWith('#/')) return undefined;
    let found = this.root;
    for (const step of ref.split('/').slice(1)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(found)) found = found[Number(key)] as unknown;
      else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    return found;
  }
}

const MOST_DEPTH = 64;
const MOST_REFERENCES = 16;

/**
 * Merges two schemas. Combines `properties` and `required`. For any other keyword in both schemas, usually keeps the
 * value from the second schema.
 */
export function merged(first: JsonObject, second: JsonObject): JsonObject {
  const both: Record<string, unknown> = { ...first, ...second };
  if (isObject(first['properties']) && isObject(second['properties'])) {
    const properties = new Map(Object.entries(first['properties']));
    for (const [name, schema] of Object.entries(second['properties'])) {
      const before = properties.get(name);
      properties.set(name, isObject(before) && isObject(schema) ? { allOf: [before, schema] } : schema);
    }
    both['properties'] = Object.fromEntries(properties);
  }
  if (Array.isArray(first['required']) && Array.isArray(second['required']))
    both['required'] = [...new Set(first['required'].concat(second['required']) as unknown[])];
  for (const key of ['anyOf', 'oneOf'])
    // Two choices at once have no chooser of their own: the one that says more about the shape is shown.
    if (Array.isArray(first[key]) && Array.isArray(second[key]) && !shapes(second[key]))
      both[key] = first[key];
  return both;
}

/** Whether any of several schemas determines the kind of value. */
function shapes(schemas: readonly unknown[]): boolean {
  return schemas.some((one) => isObject(one) && SHAPING.some((key) => key in one));
}

const SHAPING = ['type', 'properties', 'const', 'enum', '$ref', 'items', 'anyOf', 'oneOf', 'allOf'];

/** One allowed value: an entry of an `enum`, or the `const` of one alternative. */
export interface Choice {
  readonly value: unknown;
  readonly title: string;
}

/** The kind of form field for a schema. */
export type Shape =
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  | { readonly kind: 'union'; readonly options: readonly UnionOption[] }
  | { readonly kind: 'text'; readonly input: TextInput }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'file' }
  | { readonly kind: 'object'; readonly properties: readonly Property[]; readonly extras: Extras | undefined }
  | { readonly kind: 'array'; readonly prefix: readonly unknown[]; readonly items: unknown }
  | { readonly kind: 'several'; readonly choices: readonly Choice[] }
  | { readonly kind: 'json' };

/** The type of input for a text. */
export type TextInput = 'text' | 'date' | 'date-time' | 'time' | 'email' | 'url' | 'password';

/** One option of a union. */
export interface UnionOption {
  readonly title: string;
  readonly schema: JsonObject;
}

/** A property that a schema declares. */
export interface Property {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** The schemas of properties whose names are not fixed. */
export interface Extras {
  schemaOf(name: string): unknown;
}

/** Returns the kind of form field for a schema. */
export function shapeOf(schema: unknown, document: SchemaDocument): Shape {
  const resolved = document.resolve(schema);
  if (!resolved) return { kind: 'json' };
  const choices = choicesOf(resolved);
  if (choices) return { kind: 'choice', choices };
  const options = unionOf(resolved, document);
  if (options) return { kind: 'union', options };
  switch (typeOf(resolved)) {
    case 'string':
      return isFile(resolved) ? { kind: 'file' } : { kind: 'text', input: inputOf(resolved) };
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'null':
      return { kind: 'choice', choices: [{ value: null, title: 'null' }] };
    case 'object':
      return objectShape(resolved);
    case 'array':
      return arrayShape(resolved, document);
    default:
      return { kind: 'json' };
  }
}

function typeOf(schema: JsonObject): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type.length === 1 ? type[0] : undefined;
  if (type !== undefined) return type;
  if (isObject(schema['properties'])) return 'object';
  return 'prefixItems' in schema || 'items' in schema ? 'array' : undefined;
}

function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  if ('const' in schema) return [choiceOf(schema['const'], schema['title'])];
  const { enumNames } = schema;
  const values = schema['enum'];
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value: unknown, index) => choiceOf(value, names[index]));
  }
  for (const key of ['oneOf', 'anyOf']) {
    const options = schema[key];
    if (!Array.isArray(options) || options.length === 0) continue;
    if (options.every((one) => isObject(one) && 'const' in one))
      return objectsOf(options).map((one) => choiceOf(one['const'], one['title']));
  }
  return undefined;
}

function choiceOf(value: unknown, title: unknown): Choice {
  return { value, title: typeof title === 'string' ? title : titleOfValue(value) };
}

/** Returns the label of an allowed value. */
export function titleOfValue(value: unknown): string {
  return typeof value === 'string' && value !== '' && value.trim() === value ? value : JSON.stringify(value);
}

/**
 * Returns the options of a union: those of `oneOf` or `anyOf`, each merged with its parent, or one for each
 * type.
 */
function unionOf(schema: JsonObject, document: SchemaDocument): readonly UnionOption[] | undefined {
  for (const key of ['oneOf', 'anyOf']) {
    const { [key]: given, title: _title, description: _text, default: _default, ...base } = schema;
    if (!Array.isArray(given) || !shapes(given)) continue;
    const options = given.map((one) => merged(base, document.resolve(one) ?? {}));
    // Options that only add a condition to the same object are no choice.
    if (isObject(base['properties']) && !given.some((one) => addsShape(document.resolve(one))))
      return undefined;
    return options.map((one, index) => ({
      schema: one,
      title: titleOf(one, document) ?? `Option ${index + 1}`,
    }));
  }
  const { type, ...rest } = schema;
  if (!Array.isArray(type) || type.length < 2) return undefined;
  return type.map((one: unknown) => ({ title: String(one), schema: { ...rest, type: one } }));
}

function addsShape(schema: JsonObject | undefined): boolean {
  return (
    schema !== undefined && ['type', 'properties', 'items', 'const', 'enum'].some((key) => key in schema)
  );
}

/** Returns the label of a union's option: its title, its required constants, or its type. */
function titleOf(schema: JsonObject, document: SchemaDocument): string | undefined {
  if (typeof schema['title'] === 'string') return schema['title'];
  const constants = Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).flatMap(
    ([name, property]) => {
      const { const: value } = document.resolve(property) ?? {};
      return value === undefined ? [] : [`${name}: ${titleOfValue(value)}`];
    },
  );
  if (constants.length > 0) return constants.join(', ');
  if ('const' in schema) return titleOfValue(schema['const']);
  if (typeof schema['description'] === 'string') return schema['description'];
  const type = typeOf(schema);
  return typeof type === 'string' ? type : undefined;
}

function isFile({ format, contentEncoding }: JsonObject): boolean {
  return format === 'byte' || contentEncoding === 'base64';
}

const INPUTS: Readonly<Record<string, TextInput>> = {
  date: 'date',
  'date-time': 'date-time',
  time: 'time',
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  iri: 'url',
  password: 'password',
};

function inputOf({ format }: JsonObject): TextInput {
  return (typeof format === 'string' && Object.hasOwn(INPUTS, format) && INPUTS[format]) || 'text';
}

function objectShape(schema: JsonObject): Shape {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const named = Object.entries(properties).map(([name, one]) => ({
    name,
    schema: one,
    isRequired: required.includes(name),
  }));
  const demanded = required.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
  const extras = extrasOf(schema, named.length > 0);
  const unnamed = demanded.map((name) => ({
    name: String(name),
    schema: extras?.schemaOf(String(name)) ?? true,
    isRequired: true,
  }));
  return { kind: 'object', properties: [...named, ...unnamed], extras };
}

function extrasOf(schema: JsonObject, hasNamed: boolean): Extras | undefined {
  const { additionalProperties, patternProperties } = schema;
  const patterns = Object.entries(isObject(patternProperties) ? patternProperties : {});
  if (additionalProperties === false && patterns.length === 0) return undefined;
  // Nothing is said of others: an object without any named property is a map, one with some is as it stands.
  if (additionalProperties === undefined && patterns.length === 0 && hasNamed) return undefined;
  return {
    schemaOf: (name) =>
      patterns.find(([pattern]) => matches(pattern, name))?.[1] ??
      (additionalProperties === false ? true : additionalProperties),
  };
}

/** Whether a quick scan shows that a regular expression cannot backtrack, so that it matches every text quickly. */
export function isFast(pattern: string): boolean {
  return cannotBacktrack(pattern, 'u');
}

function matches(pattern: string, name: string): boolean {
  try {
    return isFast(pattern) && new RegExp(pattern, 'u').test(name);
  } catch {
    return false;
  }
}

function arrayShape(schema: JsonObject, document: SchemaDocument): Shape {
  const { prefixItems, items, uniqueItems } = schema;
  // Up to draft 2019-09, a list under `items` has the meaning of `prefixItems`.
  const prefix: readonly unknown[] = Array.isArray(prefixItems)
    ? prefixItems
    : Array.isArray(items)
      ? items
      : [];
  const rest: unknown = Array.isArray(items) ? schema['additionalItems'] : items;
  if (prefix.length === 0) {
    const inner = shapeOf(rest, document);
    const fits =
      inner.kind === 'choice' && inner.choices.length > 1 && inner.choices.length <= MOST_CHECKBOXES;
    if (fits && (uniqueItems === true || schema['maxItems'] === inner.choices.length))
      return { kind: 'several', choices: inner.choices };
  }
  return { kind: 'array', prefix, items: rest };
}

const MOST_CHECKBOXES = 16;
