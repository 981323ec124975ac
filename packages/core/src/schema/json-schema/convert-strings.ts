import { isObject, type JsonSchema, MAX_DEPTH } from '../../protocol/json.js';
import { resolveReference } from './json-schema.js';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Converts strings to the types of a schema if the conversion is exact: "42" to 42, "true" to true. Used for
 * prompts and resource variables, whose values are always strings. Other strings stay unchanged, and
 * validation reports them.
 * @param schema the advertised schema of an object.
 */
export function convertStrings(value: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  return convertProperties(value, schema, { root: schema, levels: MAX_DEPTH });
}

interface Position {
  readonly root: JsonSchema;
  /** The remaining depth. Deeper values are not converted. */
  readonly levels: number;
}

function convertProperties(
  value: Record<string, unknown>,
  { properties }: JsonSchema,
  at: Position,
): Record<string, unknown> {
  if (!isObject(properties)) return value;
  const within = { ...at, levels: at.levels - 1 };
  const converted: Record<string, unknown> = { ...value };
  for (const [name, wanted] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const given = value[name];
    if (typeof given === 'string' || (typeof given === 'object' && given !== null))
      converted[name] = convertOne(given, resolveReference(wanted, at.root), within);
  }
  return converted;
}

function convertOne(given: unknown, wanted: JsonSchema, at: Position): unknown {
  if (at.levels < 0) return given;
  if (Array.isArray(given)) {
    const items = resolveReference(branchWith('items', wanted, at.root)['items'], at.root);
    const within = { ...at, levels: at.levels - 1 };
    return given.map((element: unknown) => convertOne(element, items, within));
  }
  if (isObject(given)) return convertProperties(given, branchWith('properties', wanted, at.root), at);
  if (typeof given !== 'string') return given;
  const types = typesOf(wanted, at.root);
  if (types.includes('string')) return given;
  if (types.includes('integer') || types.includes('number')) {
    const number = toNumber(given);
    if (number !== undefined) return number;
  }
  if (types.includes('boolean') && (given === 'true' || given === 'false')) return given === 'true';
  if (types.includes('null') && given === 'null') return null;
  // Models sometimes write objects and lists as JSON in a string. Their content is converted as well.
  const isNested = types.includes('array') || types.includes('object');
  const read = isNested ? parsed(given) : given;
  return typeof read === 'string' ? read : convertOne(read, wanted, at);
}

/** Returns the schema itself, or its only alternative that describes members. */
function branchWith(keyword: 'items' | 'properties', schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (keyword in schema) return schema;
  const branches = alternativesOf(schema).map((branch) => resolveReference(branch, root));
  const telling = branches.filter((branch) => keyword in branch);
  return telling.length === 1 ? (telling[0] ?? schema) : schema;
}

function alternativesOf(schema: JsonSchema): readonly unknown[] {
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(alternatives) ? (alternatives as unknown[]) : [];
}

/** Converts a string to a number. @returns `undefined` if the number would lose digits. */
function toNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number) || (INTEGER.test(text) && !Number.isSafeInteger(number))) return undefined;
  return number;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the types of a schema. `advertise()` has added the types of enumerated values. */
function typesOf(schema: JsonSchema, root: JsonSchema): readonly unknown[] {
  if (schema['type'] !== undefined) return [schema['type']].flat();
  return alternativesOf(schema).flatMap((branch) => typesOf(resolveReference(branch, root), root));
}
