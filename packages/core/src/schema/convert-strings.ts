import { isObject, type JsonSchema } from '../protocol/json.js';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Turns strings into what a schema wants where nothing is lost by it. What does not convert stays a string, for the
 * check to refuse with a clear message.
 * @param schema the advertised schema of an object.
 */
export function convertStrings(value: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const properties = schema['properties'];
  if (!isObject(properties)) return value;
  const converted: Record<string, unknown> = { ...value };
  for (const [name, wanted] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const given = value[name];
    if (typeof given === 'string' || Array.isArray(given))
      converted[name] = convertOne(given, resolve(wanted, schema), schema);
  }
  return converted;
}

function convertOne(given: unknown, wanted: JsonSchema, root: JsonSchema): unknown {
  if (Array.isArray(given)) {
    const items = resolve(wanted['items'], root);
    return given.map((element: unknown) => convertOne(element, items, root));
  }
  if (typeof given !== 'string') return given;
  const types = typesOf(wanted);
  if (types.includes('string')) return given;
  if (types.includes('integer') || types.includes('number')) {
    const number = toNumber(given);
    if (number !== undefined) return number;
  }
  if (types.includes('boolean') && (given === 'true' || given === 'false')) return given === 'true';
  if (types.includes('null') && given === 'null') return null;
  return types.includes('array') || types.includes('object') ? parsed(given) : given;
}

/** A number whose digits all survive; undefined otherwise. */
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

/** The types a schema asks for: said, or those of the values it lists. */
function typesOf(schema: JsonSchema): readonly unknown[] {
  if (schema['type'] !== undefined) return [schema['type']].flat();
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(values)) return values.map((value) => (value === null ? 'null' : typeof value));
  if (Array.isArray(schema['anyOf']))
    return schema['anyOf'].flatMap((branch) => typesOf(branch as JsonSchema));
  return [];
}

function resolve(schema: unknown, root: JsonSchema): JsonSchema {
  if (!isObject(schema)) return {};
  const reference = typeof schema['$ref'] === 'string' ? schema['$ref'] : '';
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  const definitions = root['$defs'];
  const found = name !== undefined && isObject(definitions) ? definitions[name] : undefined;
  return isObject(found) ? found : schema;
}
