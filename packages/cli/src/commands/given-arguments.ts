import { readFileSync } from 'node:fs';
import { messageOf } from '@sigil/core/internal';
import { inexactProblem } from '../exact-numbers.js';
import { UsageError } from '../failures.js';
import { isObject, type JsonObject, objectOf, parseJson } from '../json.js';

/**
 * Reads the arguments of a call from the command line: one JSON object, `@file.json`, `-` for standard input, or pairs
 * `name=value`. The schema determines the type of each value in a pair.
 *
 * @param schema the schema of the arguments.
 * @throws UsageError if the arguments have another form.
 */
export function readGiven(given: readonly string[], schema: JsonObject): JsonObject {
  const [first, second] = given;
  if (first === undefined) return {};
  if (first !== '-' && !/^[@{]/.test(first)) {
    const properties = objectOf(schema['properties']);
    return readPairs(given, (name) =>
      objectOf(Object.hasOwn(properties, name) ? properties[name] : undefined),
    );
  }
  if (second !== undefined)
    throw new UsageError(
      `'${second}' is not allowed after a JSON object with all arguments; to choose the server, use --main <main.js>, --url <url> or -- <command>`,
    );
  if (first === '-') return readObject('standard input', readText(0, first));
  if (first.startsWith('{')) return readObject('the arguments', first);
  const file = first.slice(1);
  return readObject(file, readText(file, file));
}

function readText(source: string | 0, name: string): string {
  try {
    return readFileSync(source, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${messageOf(error)}`);
  }
}

function readObject(name: string, text: string): JsonObject {
  const value = parseJson(text);
  if (isObject(value)) {
    refuseInexact(name, text);
    return value;
  }
  throw new UsageError(
    `${name} must be a JSON object, such as '{"sku":"TNT-1002"}', not ${text.slice(0, 80)}`,
  );
}

/** Refuses JSON with numbers that JavaScript would round. @throws UsageError if there is one. */
function refuseInexact(name: string, text: string): void {
  const problem = inexactProblem(text);
  if (problem !== undefined) throw new UsageError(`${name}: ${problem}`);
}

/**
 * Reads pairs `name=value`. The name of a list argument can occur several times, once for each entry of the list. Every
 * other name can occur once.
 *
 * @param schemaOf a function that returns the schema of an argument.
 */
export function readPairs(given: readonly string[], schemaOf: (name: string) => JsonObject): JsonObject {
  // Not an object, so that `__proto__` is a name like others.
  const read = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  for (const pair of given) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new UsageError(
        `'${pair}' is not an argument: write name=value, or pass all arguments as one JSON object; to choose the server, use --main <main.js>, --url <url> or -- <command>`,
      );
    const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
    const { type, items } = schemaOf(name);
    if (type === 'array' && !text.startsWith('[')) {
      const list = lists.get(name) ?? [];
      lists.set(name, list);
      list.push(typed(name, text, objectOf(items)));
      read.set(name, list);
      continue;
    }
    if (read.has(name)) throw new UsageError(`${name} is used twice, but is not a list`);
    read.set(name, typed(name, text, schemaOf(name)));
  }
  return Object.fromEntries(read);
}

/** Converts a text to the first type in its schema that it fits. @throws UsageError if it fits no type. */
function typed(name: string, text: string, schema: JsonObject): unknown {
  const { type } = schema;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes('string')) return types.includes('null') && text === 'null' ? null : text;
  const value = parseJson(text);
  if (value !== undefined) refuseInexact(name, text);
  // A schema that names no type also accepts a text.
  if (type === undefined) return value === undefined ? text : value;
  const fits = types.some((one) => hasType(value, one));
  if (fits) return value;
  throw new UsageError(
    `${name} must be ${types.map((one) => NAMES[String(one)] ?? String(one)).join(' or ')}, not '${text}'`,
  );
}

const NAMES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list as JSON',
  object: 'an object as JSON',
};

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return isObject(value);
  return typeof value === type;
}

/** Whether arguments probably fit a schema. Only checks names and types at the top level. */
export function seemsToFit(
  given: JsonObject,
  { properties, required, additionalProperties }: JsonObject,
): boolean {
  const known = objectOf(properties);
  const names = Object.keys(given);
  if (Array.isArray(required) && required.some((name) => !names.includes(String(name)))) return false;
  if (additionalProperties === false && names.some((name) => !(name in known))) return false;
  return Object.entries(given).every(([name, value]) => {
    const { type } = objectOf(known[name]);
    return type === undefined || [type].flat().some((one) => hasType(value, one));
  });
}
