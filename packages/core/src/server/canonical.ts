import { isObject } from '../protocol/json.js';

/** Keywords whose values are data, not schemas: in them, lists keep their order whatever their keys are called. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose values are lists of strings without an order. */
const SETS: ReadonlySet<string> = new Set(['required', 'type']);
/** Keywords whose values are schemas by names of the author's, which are no keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** A value whose objects have their keys in alphabetical order. */
export function canonicalValue(value: unknown): unknown {
  return sortKeys(value, (_, inner) => canonicalValue(inner));
}

/** A JSON Schema as text should show it: keywords in alphabetical order, and names in lists without an order too. */
export function canonicalSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(canonicalSchema);
  return sortKeys(schema, (keyword, value) => {
    if (DATA.has(keyword)) return canonicalValue(value);
    if (SETS.has(keyword) && isListOfStrings(value)) return [...value].sort(byCodeUnits);
    if (BY_NAME.has(keyword)) return sortKeys(value, (_, inner) => canonicalSchema(inner));
    return canonicalSchema(value);
  });
}

/** An order that is the same wherever it is asked for, unlike that of a locale. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortKeys(value: unknown, inner: (key: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inner('', item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => byCodeUnits(a, b)).map(([key, member]) => [key, inner(key, member)]),
  );
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
