import { compileSteps, normaliseUri } from './program.js';
import { scan } from './scan.js';
import type { UriTemplate } from './template.js';
import { readValues, type UriValues } from './values.js';

/** The longest URI that is matched, in UTF-16 code units. */
export const MAX_URI_LENGTH = 131_072;

/** Gives the values of a template's variables in a URI, or `undefined` when the URI does not match. */
export type UriMatcher = (uri: string) => UriValues | undefined;

const BAD_TRIPLET = /%(?![0-9A-Fa-f]{2})/;

/**
 * Compiles a template to the inverse of its expansion (RFC 6570 §1.5 leaves how to the application):
 *
 * - `{x}` takes one or more characters other than `/ ? #`; `{+x}` takes any.
 * - `{#x}`, `{.x}` and `{/x}` are optional; in `{x,y}` and `{/x,y}` the later variables are.
 * - `{?a,b}`, `{&a,b}` and `{;a,b}` take their pairs in any order and let unknown ones pass; none is required, none
 *   but an exploded one may be repeated.
 * - An exploded variable (`*`) gives an array, any other a string.
 * - A `:n` modifier refuses longer values; it does not help to tell where a value ends.
 *
 * Values are percent-decoded, so that one of `{x}` may hold a `/` that the URI has as `%2F`: whoever uses values as
 * paths has to check them. Takes time in proportion to the URI's length, whatever it holds.
 *
 * @returns a matcher whose results have no prototype. It does not match what is badly percent-encoded, nor URIs
 *   longer than `MAX_URI_LENGTH`.
 */
export function compileMatcher(template: UriTemplate): UriMatcher {
  const steps = compileSteps(template);
  const head = plainHead(template);
  return (uri) => {
    // The usual miss, another template's URI, costs no more than this.
    if (!uri.startsWith(head)) return undefined;
    if (uri.length > MAX_URI_LENGTH || BAD_TRIPLET.test(uri)) return undefined;
    const normal = tryNormalise(uri);
    if (normal === undefined || normal.length > MAX_URI_LENGTH) return undefined;
    const captured = scan(steps, normal);
    return captured && readValues(normal, captured);
  };
}

/** The start that every matching URI has letter by letter. */
function plainHead({ parts }: UriTemplate): string {
  const first = parts[0];
  return first?.kind === 'literal' ? (/^[A-Za-z0-9\-._~:/?#@!$&()*+,;=]*/.exec(first.text)?.[0] ?? '') : '';
}

function tryNormalise(uri: string): string | undefined {
  try {
    return normaliseUri(uri);
  } catch {
    return undefined;
  }
}
