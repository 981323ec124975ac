import type { TemplateVariable, UriTemplate } from './parse.js';
import { compileSteps, normaliseUri } from './compiled-template.js';
import { type Captured, scan } from './scan.js';

/** The longest URI that is matched, in UTF-16 code units. */
export const MAX_URI_LENGTH = 131_072;

/** Gives the values of a template's variables in a URI, or `undefined` when the URI does not match. */
type UriMatcher = (uri: string) => UriValues | undefined;

const BAD_TRIPLET = /%(?![0-9A-Fa-f]{2})/;

/**
 * Compiles a template to the inverse of its expansion (RFC 6570 §1.5 leaves how to the application):
 *
 * - `{x}` takes one or more characters other than `/ ? #`; `{+x}` takes any.
 * - `{#x}`, `{.x}` and `{/x}` are optional; in `{x,y}` and `{/x,y}` the later variables are.
 * - `{?a,b}`, `{&a,b}` and `{;a,b}` take their pairs in any order and let unknown ones pass; none is required, none but
 *   an exploded one may be repeated.
 * - An exploded variable (`*`) gives an array, any other a string.
 * - A `:n` modifier refuses longer values; it does not determine where a value ends.
 *
 * Values are percent-decoded, so that one of `{x}` may contain a `/` from `%2F`: code that uses values as paths must
 * check them. The time is proportional to the URI's length.
 *
 * @returns a matcher whose results have no prototype. It does not match invalid percent-encoding, nor URIs longer than
 *   `MAX_URI_LENGTH`.
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

/** The start that every matching URI has letter by letter. */
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
