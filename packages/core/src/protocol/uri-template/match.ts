import type { TemplateVariable, UriTemplate } from './parse.js';
import { compileSteps, normaliseUri } from './compiled-template.js';
import { type Captured, scan } from './scan.js';

/** The maximum length of a URI to match, in UTF-16 code units. */
export const MAX_URI_LENGTH = 131_072;

/** Gives the values of a template's variables in a URI, or `undefined` when the URI does not match. */
type UriMatcher = (uri: string) => UriValues | undefined;

const BAD_TRIPLET = /%(?![0-9A-Fa-f]{2})/;

/**
 * Compiles a template to a matcher, which finds the values of the variables in a URI. RFC 6570 (§1.5) does not define
 * how to match a URI. Sigil has these rules:
 *
 * - `{x}` matches one or more characters, except `/`, `?` and `#`; `{+x}` matches one or more characters of any kind.
 * - `{#x}`, `{.x}` and `{/x}` are optional. In `{x,y}` and `{/x,y}`, the variables after the first one are optional.
 * - `{?a,b}`, `{&a,b}` and `{;a,b}` match `name=value` pairs in any order, and ignore unknown names. No pair is
 *   required. Only the pair of an exploded variable may occur more than once.
 * - The value of an exploded variable (`*`) is an array. The value of any other variable is a string.
 * - The modifier `:n` does not determine where a value ends. A URI whose value is longer than `n` characters does not
 *   match.
 *
 * Values are percent-decoded. The value of `{x}` can therefore contain a `/`, if the URI contains `%2F`. Code that uses
 * values as paths must check them. The time to match a URI is proportional to its length.
 *
 * @returns a matcher whose results have no prototype. The matcher refuses URIs with invalid percent-encoding, and URIs
 *   that are longer than `MAX_URI_LENGTH`.
 */
export function compileMatcher(template: UriTemplate): UriMatcher {
  const steps = compileSteps(template);
  const head = plainHead(template);
  return (uri) => {
    // The usual miss, another template's URI, costs no more than this.
    if (!uri.startsWith(head)) return undefined;
    if (uri.length > MAX_URI_LENGTH || BAD_TRIPLET.test(uri)) return undefined;
    const normal = ifPossible(normaliseUri, uri);
    if (normal === undefined || normal.length > MAX_URI_LENGTH) return undefined;
    const captured = scan(steps, normal);
    return captured && readValues(normal, captured);
  };
}

/** Returns literal text that every matching URI begins with, exactly as it is written in the template. */
export function plainHead({ parts }: UriTemplate): string {
  const first = parts[0];
  return first?.kind === 'literal' ? (/^[A-Za-z0-9\-._~:/?#@!$&()*+,;=]*/.exec(first.text)?.[0] ?? '') : '';
}

/** The result of a conversion; `undefined` if it throws. */
function ifPossible(convert: (text: string) => string, text: string): string | undefined {
  try {
    return convert(text);
  } catch {
    return undefined;
  }
}

/** The decoded values of a match, by variable name; has no prototype. */
type UriValues = Record<string, string | string[]>;

/**
 * Splits and decodes the captures of a scan.
 *
 * @returns `undefined` when a value is not UTF-8, is longer than its prefix, or is given twice.
 */
function readValues(uri: string, captured: readonly Captured[]): UriValues | undefined {
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
  const value = raw.includes('%') ? ifPossible(decodeURIComponent, raw) : raw;
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
