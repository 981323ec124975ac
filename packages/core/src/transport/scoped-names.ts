import { fromBase64Url, toBase64Url } from '../protocol/base64.js';
import { isObject } from '../protocol/json.js';
import { isScope } from '../protocol/principal.js';

// The name of a call, as its client, its stream and its questions use it, contains the required scopes, so nothing else must be
// stored for a later process. With no scopes, or with others, it is a different, unknown name.

const SEPARATOR = '~';

/**
 * Appends scopes to a name, such as the id of a stream or a request. A client must have these scopes to use the name.
 *
 * @param name a name without `~`. It must be impossible to guess, or the server must accept it only together with its
 *   scopes.
 * @param scopes the scopes to append. Invalid scopes are left out.
 * @example
 * ```ts
 * const name = withScopes(crypto.randomUUID(), ['notes:read']);
 * ```
 */
export function withScopes(name: string, scopes: readonly string[] | undefined): string {
  const text = scopes?.filter(isScope).join(' ') ?? '';
  return text === '' ? name : name + SEPARATOR + toBase64Url(new TextEncoder().encode(text));
}

/**
 * Returns the scopes that `withScopes` added to a name. Does not check whether the name exists.
 *
 * @param name any value that a client sent.
 * @example
 * ```ts
 * const needed = scopesIn(stream);
 * if (lacksScopes(principal, needed)) throw new InsufficientScopeError(needed);
 * ```
 */
export function scopesIn(name: unknown): readonly string[] {
  const at = typeof name === 'string' ? name.indexOf(SEPARATOR) : -1;
  const bytes = at < 0 ? undefined : fromBase64Url(String(name).slice(at + 1));
  const scopes = bytes ? new TextDecoder().decode(bytes).split(' ') : [];
  return scopes.every(isScope) ? scopes : [];
}

/**
 * Returns the scopes that a client needs before the server accepts its answers to the server's questions. They are the
 * scopes of the calls whose handlers asked the questions.
 *
 * @param message any message. Only a response, or a batch that contains responses, needs scopes.
 * @example
 * ```ts
 * const needed = scopesToAnswer(message);
 * if (lacksScopes(principal, needed)) throw new InsufficientScopeError(needed);
 * ```
 */
export function scopesToAnswer(message: unknown): readonly string[] {
  // A batch contains no batches, so nested lists are not followed: a client could nest them to any depth.
  return Array.isArray(message) ? [...new Set(message.flatMap(scopesOfResponse))] : scopesOfResponse(message);
}

function scopesOfResponse(message: unknown): readonly string[] {
  return isObject(message) && message['method'] === undefined ? scopesIn(message['id']) : [];
}
