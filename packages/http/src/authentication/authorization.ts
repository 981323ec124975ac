import type { Logger, MaybePromise } from '@sigil/core';
import type { StateStore } from '@sigil/core/backend';
import { challengedScopes } from '@sigil/core/internal';
import type { Principal } from '@sigil/core/transport';
import type { HttpExchange, ResponseHeaders } from '../http-exchange.js';

/** A request before its body is read. */
export interface RequestHead {
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method: string;
  /** The path and query of the request. */
  readonly url: string;
  /**
   * The request object of the server or framework around the app: an `IncomingMessage`, a `Request`, or the request or
   * context of Fastify, Hono or Nest. It has the properties that middleware has set, such as `user`.
   */
  readonly source?: unknown;
  /**
   * The key for quotas until the principal is known: the same text for all requests from one address. Absent if many
   * clients may share the address, as behind a proxy on this machine.
   */
  readonly quotaKey?: string | undefined;
}

/** Returns the principal of a request, or `undefined` to refuse the request. */
export type Authenticate = (request: RequestHead) => MaybePromise<Principal | undefined>;

/** Why a request is refused, and the answer to its client. */
export interface Refusal {
  /**
   * 401 asks for another token, and 403 for more scopes. 400 means a malformed header, and 503 that the token cannot be
   * checked now.
   */
  readonly status: 400 | 401 | 403 | 503;
  /** The reason, for the client's developer. */
  readonly message: string;
  /** Headers of the response, such as `WWW-Authenticate` and `Retry-After`. */
  readonly headers: ResponseHeaders;
  /** The offending values; only the log shows them. They must not contain secrets. */
  readonly details?: Readonly<Record<string, string>>;
}

/**
 * The decision about a request: to refuse it, or to serve it for a principal. Without a principal, it is served for an
 * anonymous caller. The principal is not validated again: create it with `requirePrincipal`.
 */
export type Decision =
  | { readonly refusal: Refusal; readonly principal?: undefined }
  | { readonly refusal?: undefined; readonly principal: Principal | undefined };

/** A document that everybody may read without authorization, such as protected resource metadata (RFC 9728). */
export interface PublicDocument {
  /** The JSON text, or a function that returns it for each request. If the function fails, the answer is 503. */
  readonly body: string | (() => Promise<string>);
  /** Headers of the document, such as `ETag` and `Cache-Control`. */
  readonly headers: ResponseHeaders;
}

/** Authorizes the requests of one app. */
export interface Authorizer {
  /** The URL that tokens are issued for; the log warns if it is not the URL of the endpoint. */
  readonly resource?: string;
  /**
   * Decides about a request, before its body is read.
   *
   * @param isOpen whether the request was authorized before and its stream is still open. Its one-time credential, such
   *   as a proof of possession, has then been used already.
   * @throws Error when it cannot decide. The client then gets 500; an open stream stays open.
   */
  authorize(request: RequestHead, isOpen: boolean): MaybePromise<Decision>;
  /**
   * Returns the refusal of a request whose principal lacks scopes.
   *
   * @param scopes all scopes that the request needs.
   * @param principal `undefined` when the request came without a token.
   */
  insufficientScope(scopes: readonly string[], principal: Principal | undefined): Refusal;
  /** Returns the document at a path; `undefined` if there is none. */
  document(path: string): PublicDocument | undefined;
}

/** The services of the app that an authorization may use. */
export interface AuthorizationHost {
  readonly logger: Logger;
  /** Remembers values that must be used only once, in all processes that share the app's backend. */
  readonly states: StateStore;
  /** Encrypts and authenticates data that clients carry. Any process of the app can read it. */
  readonly seal: (value: unknown) => Promise<string>;
  /** Reads sealed data. @returns `undefined` for other text. */
  readonly unseal: (text: string) => Promise<unknown>;
}

/** Creates the authorizer of an app. `oauth()` of `@sigil/auth` returns such a function. */
export type Authorization = (host: AuthorizationHost) => Authorizer;

/**
 * The challenge for a client that lacks scopes, if the authorization does not have its own (RFC 6750, section 3.1).
 *
 * @param scopes all scopes that the request needs.
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
 * Warns if the resource is neither the URL of the endpoint nor a prefix of it, because clients then refuse the
 * resource. This is not an error: a proxy may have rewritten the path.
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
/** Seconds after which clients may ask again for a document that could not be loaded. */
const RETRY_SECONDS = '5';
/** The documents are public: any page may read them. */
const OPEN_TO_PAGES = { 'Access-Control-Allow-Origin': '*' };

/** Responds to a request for a document. */
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
  // Servers leave out the body of an answer to HEAD.
  const give = (text: string): void =>
    http.respond(200, { 'Content-Type': 'application/json', ...sent }, text);
  if (typeof body === 'string') return give(body);
  body().then(give, () => http.respond(503, { 'Retry-After': RETRY_SECONDS, ...OPEN_TO_PAGES }));
}
