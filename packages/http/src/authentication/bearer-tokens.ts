import { frozenCopy, OptionChecks } from '@sigil/core/internal';
import { type Principal, requirePrincipal } from '@sigil/core/transport';
import type { RequestHead } from './authorization.js';

/** The syntax of a token (RFC 6750, section 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const CREDENTIALS = /^Bearer +(\S+) *$/i;

/**
 * Reads the token from `Authorization: Bearer …` (RFC 6750, section 2.1).
 *
 * @param headers the headers of a request, with names in lower case.
 * @returns the token; `undefined` if the header is missing or does not contain a bearer token.
 * @example
 * ```ts
 * const authenticate: Authenticate = ({ headers }) => {
 *   const token = bearerToken(headers);
 *   return token === undefined ? undefined : users.byToken(token);
 * };
 * ```
 */
export function bearerToken(headers: RequestHead['headers']): string | undefined {
  const { authorization } = headers;
  if (typeof authorization !== 'string') return undefined;
  const token = CREDENTIALS.exec(authorization)?.[1];
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/**
 * Creates an `authenticate` function that accepts requests with one of the given tokens as `Authorization: Bearer …`.
 * Tokens are compared in constant time, so that the response time reveals nothing about them.
 *
 * @param tokens an object with the tokens as keys, and the principals as values.
 * @returns a value for `authenticate`.
 * @throws DefinitionError if `tokens` is empty, or if a token is empty or contains characters that are not allowed in
 *   bearer tokens. The message does not contain the token.
 * @throws TypeError if the value for a token is not a principal.
 * @example
 * ```ts
 * const authenticate = tokenAuthenticator({ [process.env['ADA_TOKEN'] ?? '']: { id: 'ada' } });
 * await app.run(http({ host: '0.0.0.0', authenticate }));
 * ```
 */
export function tokenAuthenticator(
  tokens: Readonly<Record<string, Principal>>,
): (request: Pick<RequestHead, 'headers'>) => Principal | undefined {
  const checks = new OptionChecks('tokenAuthenticator');
  const entries = Object.entries(tokens);
  if (entries.length === 0) checks.refuse('tokens', 'it needs at least one token');
  if (!entries.every(([token]) => TOKEN.test(token)))
    checks.refuse('tokens', 'a token must be letters, digits and -._~+/ only, and must not be empty');
  // In a template or a computed key, an unset variable becomes this text, which anyone can guess.
  if (entries.some(([token]) => token === 'undefined' || token === 'null'))
    checks.refuse('tokens', "a token is 'undefined' or 'null'", 'set its environment variable');
  checks.throwIfAny();
  const known = entries.map(([token, principal]) => ({
    bytes: bytesOf(token),
    // All requests share this object, so none must change it.
    principal: frozenCopy({ ...requirePrincipal(principal) }),
  }));
  return ({ headers }) => {
    const token = bearerToken(headers);
    if (token === undefined) return undefined;
    const sent = bytesOf(token);
    const matching = known.filter(({ bytes }) => equals(sent, bytes));
    return matching[0]?.principal;
  };
}

function bytesOf(token: string): Uint8Array {
  return new TextEncoder().encode(token);
}

/** Compares without stopping at the first difference. No function for this is available on all platforms. */
function equals(sent: Uint8Array, known: Uint8Array): boolean {
  let differing = sent.length ^ known.length;
  for (let at = 0; at < sent.length; at++) differing |= (sent[at] ?? 0) ^ (known[at % known.length] ?? 0);
  return differing === 0;
}
