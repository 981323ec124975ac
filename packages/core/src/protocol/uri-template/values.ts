import type { Captured } from './scan.js';
import type { TemplateVariable } from './template.js';

/** The decoded values of a match, by variable name; has no prototype. */
export type UriValues = Record<string, string | string[]>;

/**
 * Splits and decodes what a scan captured.
 *
 * @returns `undefined` when a value is not UTF-8, is longer than its prefix, or is given twice.
 */
export function readValues(uri: string, captured: readonly Captured[]): UriValues | undefined {
  const values = Object.create(null) as UriValues;
  for (const { capture, start, end } of captured) {
    const text = uri.slice(start, end);
    if (capture.kind === 'pairs') {
      if (!readPairs(text, capture.variables, capture.separator, values)) return undefined;
    } else {
      const raw = capture.kind === 'list' ? text.split(capture.separator) : [text];
      if (!raw.every((member) => put(values, capture.variable, member))) return undefined;
    }
  }
  return values;
}

function readPairs(
  text: string,
  variables: ReadonlyMap<string, TemplateVariable>,
  separator: string,
  values: UriValues,
): boolean {
  for (const pair of text.split(separator)) {
    const equals = pair.indexOf('=');
    const variable = variables.get(equals < 0 ? pair : pair.slice(0, equals));
    // Parameters of others, such as a tracking parameter, do not make a URI another resource.
    if (variable && !put(values, variable, equals < 0 ? '' : pair.slice(equals + 1))) return false;
  }
  return true;
}

function put(values: UriValues, { name, explode, prefix }: TemplateVariable, raw: string): boolean {
  const value = decode(raw);
  if (value === undefined) return false;
  const known = values[name];
  if (Array.isArray(known)) {
    known.push(value);
    return true;
  }
  // Of two values for one variable either could be the one that was meant.
  if (known !== undefined) return false;
  if (prefix !== undefined && value.length > prefix && [...value].length > prefix) return false;
  values[name] = explode ? [value] : value;
  return true;
}

function decode(raw: string): string | undefined {
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
