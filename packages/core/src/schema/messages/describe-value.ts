import { isObject } from '../../protocol/json.js';

const SHOWN_CHARACTERS = 60;

/**
 * Describes a value for an error message. The description contains at most a short part of the value, because a
 * model reads the message.
 */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the string ${JSON.stringify(shorten(value, SHOWN_CHARACTERS))}`;
    case 'undefined':
      return 'nothing';
    case 'object':
      if (value === null) return 'null';
      if (value instanceof Date)
        return Number.isNaN(value.getTime()) ? 'an invalid date' : `the date ${value.toISOString()}`;
      return Array.isArray(value) ? `an array of ${value.length}` : 'an object';
    case 'number':
    case 'boolean':
    case 'bigint':
      return shorten(String(value), SHOWN_CHARACTERS);
    default:
      return `a ${typeof value}`;
  }
}

/** Lists allowed values as JSON. */
export function listValues(values: readonly unknown[], shown = 20): string {
  const texts = values
    .slice(0, shown)
    .map((value) => shorten(JSON.stringify(value) ?? String(value), SHOWN_CHARACTERS));
  if (values.length > shown) texts.push(`… (${values.length} in all)`);
  return texts.join(', ');
}

/**
 * Shortens a string to a maximum length in UTF-16 code units, and ends a shortened string with `…`. Never splits a
 * surrogate pair.
 */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * Shortens every occurrence of a long string in a text.
 * @param value the string to shorten. If it is not a string, or has at most 60 characters, the text stays unchanged.
 */
export function shortenWithin(text: string, value: unknown): string {
  if (typeof value !== 'string' || value.length <= SHOWN_CHARACTERS) return text;
  return text.replaceAll(value, () => shorten(value, SHOWN_CHARACTERS));
}

/** Maximum length of a property name in a message, in UTF-16 code units. Longer names are shortened. */
export const SHOWN_NAME = 60;

/**
 * Adds a step to a path such as `warehouses[0].code`. An ambiguous name, such as one with a dot or a line
 * break, is quoted. A long name is shortened.
 */
export function joinPath(parent: string, step: string, isIndex: boolean): string {
  if (isIndex) return `${parent}[${step}]`;
  if (step.length > SHOWN_NAME || !/^[\p{L}\p{M}\p{N}_$-]+$/u.test(step))
    return `${parent}[${JSON.stringify(shorten(step, SHOWN_NAME))}]`;
  return parent === '' ? step : `${parent}.${step}`;
}

/** A place in a value. */
interface Place {
  /** Such as `warehouses[0].code`. */
  readonly path: string;
  /** The value at this place. */
  readonly value: unknown;
  /** The object that has the value as a property; for an element of a list, the object that has the list. */
  readonly holder: object | undefined;
}

/**
 * Follows steps from a root value, and returns the place where the last step ends.
 * @param root the value where the steps start. A step into an array is an index; a step into an object is the name of a
 *   property.
 */
export function placeAt(steps: readonly PropertyKey[], root: unknown): Place {
  let path = '';
  let value = root;
  let holder: object | undefined;
  for (const step of steps) {
    if (isObject(value)) holder = value;
    path = joinPath(path, String(step), Array.isArray(value));
    value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  }
  return { path, value, holder };
}
