import type { Logger, MaybePromise } from '@sigil/core';
import type { StateStore } from '@sigil/core/backend';
import { challengedScopes } from '@sigil/core/internal';
import type { Principal } from '@sigil/core/transport';
import type { HttpExchange, ResponseHeaders } from '../http-exchange.js';

/** A request before its body is read. */
export interface RequestHead {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /**
   * The request object of the server around the app: an `IncomingMessage` or a `Request`, or in Fastify, Hono and Nest
   * their request or context. Properties that middleware has set, such as `user`, are on it.
   */
  readonly source?: unknown;
  /**
   * The key of quotas until the principal is known: the same text for all requests from an address. Absent if many
   * clients may share the address, as behind a proxy on this machine.
   */
  readonly quotaKey?: string | undefined;
}

/** Returns the principal of a request; `undefined` refuses it. */
export type Authenticate = (request: RequestHead) => MaybePromise<Principal | undefined>;

/** The reason why a request is refused, and the answer to its client. */
export interface Refusal {
  /** 401 asks for another token, 403 for more scopes, 400 is for a malformed header, 503 for when the token cannot be checked now. */
  readonly status: 400 | 401 | 403 | 503;
  /** For the client's developer. */
  readonly message: string;
  /** `WWW-Authenticate`, `Retry-After` and others. */
  readonly headers: ResponseHeaders;
  /** The offending values, for the log alone. Must not hold secrets. */
  readonly details?: Readonly<Record<string, string>>;
}

/**
 * The decision about a request: refused, or served for a principal, or served for anonymous callers if there is none.
 * The principal is not validated again: create it with `requirePrincipal`.
 */
export type Decision =
  | { readonly refusal: Refusal; readonly principal?: undefined }
  | { readonly refusal?: undefined; readonly principal: Principal | undefined };

/** A document that everybody may read before anybody is authorized, such as protected resource metadata (RFC 9728). */
export interface PublicDocument {
  /** JSON, or a function that returns it for each request. If the function fails, the answer is 503. */
  readonly body: string | (() => Promise<string>);
  /** `ETag`, `Cache-Control` and others. */
  readonly headers: ResponseHeaders;
}

/** Authorizes the requests of one app. */
export interface Authorizer {
  /** The URL that tokens are for, if there is one: the log warns if the endpoint is elsewhere. */
  readonly resource?: string;
  /**
   * Decides about a request, before its body is read.
   *
   * @param isOpen whether the request was authorized before and its stream is still open. A one-time credential, such
   *   as a proof of possession, has been used by then.
   * @throws Error when it cannot decide: the client gets 500, and an open stream stays.
   */
  authorize(request: RequestHead, isOpen: boolean): MaybePromise<Decision>;
  /**
   * Says how a request is refused whose principal lacks scopes.
   *
   * @param scopes all that it needs.
   * @param principal `undefined` when it came without a token.
   */
  insufficientScope(scopes: readonly string[], principal: Principal | undefined): Refusal;
  /** Returns the document at a path; `undefined` if there is none. */
  document(path: string): PublicDocument | undefined;
}

/** The parts of the app that an authorization may use. */
export interface AuthorizationHost {
  readonly logger: Logger;
  /** Remembers values with a single use, in all processes with the app's backend. */
  readonly states: StateStore;
  /** Encrypts and authenticates data that clients carry, for any process of the app. */
  readonly seal: (value: unknown) => Promise<string>;
  /** Reads sealed data. @returns `undefined` for other text. */
  readonly unseal: (text: string) => Promise<unknown>;
}

/** Creates the authorizer of an app, as `oauth()` of `@sigil/auth` does. */
export type Authorization = (host: AuthorizationHost) => Authorizer;

/**
 * Challenges a client without the scopes, if the authorization has no challenge of its own (RFC 6750, section 3.1).
 *
 * @param scopes all that the request needs.
 * @returns a value for `Authorizer.insufficientScope`.
 * @example
 * ```ts
 * const refusal = scopeChallenge(['files:write']);
 * ```
 */
export function scopeChallenge(scopes: readonly string[]): Refusal {
  return {
    status: 403,
    message: `This needs the scopes ${scopes.join(' ')}`,
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${challengedScopes(scopes)}"` },
  };
}

/**
 * Warns if the resource is not the URL of the endpoint or a prefix of it, because clients then refuse it. It is not an
 * error: a proxy may have rewritten the path.
 */
export function checkResource(resource: string, path: string, logger: Logger): void {
  const { origin, pathname } = new URL(resource);
  const [named = '', served = ''] = [pathname, path].map((each) => each.replace(/\/$/, ''));
  // A proxy in front may have removed a prefix of the path.
  if (`${served}/`.startsWith(`${named}/`) || named.endsWith(served) || /[:*]/.test(path)) return;
  logger.warn(
    { resource, path },
    `the resource of the authorization is ${resource}, and the endpoint is at ${path}: clients refuse a resource that is another URL than ` +
      `the one they call; write resource: '${origin}${path}', or have the endpoint at ${pathname}`,
  );
}

const ONE_DAY_SECONDS = '86400';
/** When clients may ask again for a document that could not be got. */
const RETRY_SECONDS = '5';
/** Any page may read these documents: they are public. */
const OPEN_TO_PAGES = { 'Access-Control-Allow-Origin': '*' };

/** Answers a request for a document. */
export function serveDocument(http: HttpExchange, { body, headers }: PublicDocument): void {
  const { method } = http;
  if (method === 'OPTIONS') {
    return http.respond(204, {
      ...OPEN_TO_PAGES,
      'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
      'Access-Control-Allow-Headers': http.header('access-control-request-headers') ?? '*',
      'Access-Control-Max-Age': ONE_DAY_SECONDS,
    });
  }
  if (method !== 'GET' && method !== 'HEAD')
    return http.respond(405, { Allow: 'GET, HEAD, OPTIONS', ...OPEN_TO_PAGES });
  const sent = { ...headers, ...OPEN_TO_PAGES };
  const known = http
    .header('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (known && headers['ETag'] !== undefined && (known.includes(headers['ETag']) || known.includes('*')))
    return http.respond(304, sent);
  // Of an answer to HEAD, servers leave the body out.
  const give = (text: string): void =>
    http.respond(200, { 'Content-Type': 'application/json', ...sent }, text);
  if (typeof body === 'string') return give(body);
  body().then(give, () => http.respond(503, { 'Retry-After': RETRY_SECONDS, ...OPEN_TO_PAGES }));
}
