import { isObject, type JsonObject, objectOf } from '../json.js';

/** Maximum number of shown values of an enumeration. */
const MOST_VALUES = 8;

/** Returns a short text for the type of a schema, such as `"a" | "b"`, `string[]` or `integer`. */
export function typeText(schema: unknown): string {
  if (!isObject(schema)) return 'anything';
  const { type, const: only, enum: values, anyOf, oneOf, $ref: ref, items, format } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) {
    const more = values.length > MOST_VALUES ? ' | …' : '';
    return `${values
      .slice(0, MOST_VALUES)
      .map((value) => JSON.stringify(value))
      .join(' | ')}${more}`;
  }
  if (typeof ref === 'string') return ref.split('/').at(-1) ?? ref;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return [...new Set(choices.map(typeText))].join(' | ');
  if (Array.isArray(type)) return type.map((one: unknown) => typeText({ ...schema, type: one })).join(' | ');
  if (type === 'array') {
    const entry = typeText(items);
    return entry.includes(' ') ? `(${entry})[]` : `${entry}[]`;
  }
  if (typeof type !== 'string') return 'anything';
  return typeof format === 'string' ? `${type} (${format})` : type;
}

/** Returns the arguments in a schema as table rows: name, type, whether it is required, and description. */
export function argumentRows({ properties, required }: JsonObject): string[][] {
  return Object.entries(objectOf(properties)).map(([name, schema]) => {
    const { description, default: usual } = objectOf(schema);
    const isRequired = Array.isArray(required) && required.includes(name);
    const about = [
      ...(typeof description === 'string' ? [description] : []),
      ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ].join('; ');
    return [name, typeText(schema), isRequired ? 'required' : '', about];
  });
}
