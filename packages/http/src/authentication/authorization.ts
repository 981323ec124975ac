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
   * The request object of the server or framework that calls the app: an `IncomingMessage`, a `Request`, or the request
   * or context of Fastify, Hono or Nest. It has the properties that middleware has set, such as `user`.
   */
  readonly source?: unknown;
  /**
   * The text that identifies the client in quotas until the principal is known. All requests from one address have the
   * same text. The value is `undefined` if many clients can share the address, as with a proxy on this machine.
   */
  readonly quotaKey?: string | undefined;
}

/** Returns the principal of a request, or `undefined` to refuse the request. */
export type Authenticate = (request: RequestHead) => MaybePromise<Principal | undefined>;

/** The reason why a request is refused, and the status and headers of its answer. */
export interface Refusal {
  /**
   * The HTTP status. 401 means that the client needs another token, and 403 that its token needs more scopes. 400 means
   * a malformed header. 503 means that the token cannot be checked at the moment.
   */
  readonly status: 400 | 401 | 403 | 503;
  /** The reason for the refusal, which the developer of the client sees. */
  readonly message: string;
  /** Headers of the response, such as `WWW-Authenticate` and `Retry-After`. */
  readonly headers: ResponseHeaders;
  /** The values that caused the refusal; only the log shows them. They must not contain secrets. */
  readonly details?: Readonly<Record<string, string>>;
}

/**
 * The decision about a request: either a refusal or the principal to serve. If both are `undefined`, the caller is
 * served anonymously. The principal is not validated again: create it with `requirePrincipal`.
 */
export type Decision =
  | { readonly refusal: Refusal; readonly principal?: undefined }
  | { readonly refusal?: undefined; readonly principal: Principal | undefined };

/** A document that every client can read without authorization, such as protected resource metadata (RFC 9728). */
export interface PublicDocument {
  /** The JSON text, or a function that returns it for each request. If the function fails, the answer is 503. */
  readonly body: string | (() => Promise<string>);
  /** Headers of the document, such as `ETag` and `Cache-Control`. */
  readonly headers: ResponseHeaders;
}

/** Authorizes the requests of one app. */
export interface Authorizer {
  /**
   * The URL that tokens are issued for. The log warns if the path of this URL does not match the path of the endpoint.
   */
  readonly resource?: string;
  /**
   * Decides about a request, before its body is read.
   *
   * @param isOpen `false` at the first check of a request, `true` at each later check while its stream is open. A later
   *   check must ignore one-time credentials, such as a proof of possession, because the first check has used them.
   * @throws Error when the request cannot be checked. The client then gets 500; an open stream stays open.
   */
  authorize(request: RequestHead, isOpen: boolean): MaybePromise<Decision>;
  /**
   * Returns the refusal of a request whose principal lacks scopes.
   *
   * @param scopes all scopes that the request needs.
   * @param principal `undefined` when the request came without a token.
   */
  insufficientScope(scopes: readonly string[], principal: Principal | undefined): Refusal;
  /** Returns the public document at a path; `undefined` if the authorization has no document there. */
  document(path: string): PublicDocument | undefined;
}

/** The services of the app that an authorization can use. */
export interface AuthorizationHost {
  readonly logger: Logger;
  /** Records which one-time values have been used, for all processes that share the app's backend. */
  readonly states: StateStore;
  /**
   * Encrypts and authenticates a value, so that clients can store it without reading or changing it. Every process of
   * the app can decrypt it.
   */
  readonly seal: (value: unknown) => Promise<string>;
  /** Decrypts text from `seal`. @returns the value; `undefined` if the text is not valid. */
  readonly unseal: (text: string) => Promise<unknown>;
}

/** Creates the authorizer of an app. `oauth()` of `@sigil/auth` returns such a function. */
export type Authorization = (host: AuthorizationHost) => Authorizer;

/**
 * Returns the default refusal of a request whose principal lacks scopes, with a `Bearer` challenge (RFC 6750, section
 * 3.1).
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
 * Logs a warning if the path of `resource` does not match the path of the endpoint, because clients then refuse the
 * resource. A parent path of the endpoint matches too. A mismatch is not an error, because a proxy can rewrite paths.
 */
export function checkResource(resource: string, path: string, logger: Logger): void {
  const { origin, pathname } = new URL(resource);
  const [named = '', served = ''] = [pathname, path].map((each) => each.replace(/\/$/, ''));
  // A proxy in front may have removed a prefix of the path.
  if (`${served}/`.startsWith(`${named}/`) || named.endsWith(served) || /[:*]/.test(path)) return;
  logger.warn(
    { resource, path },
    `the resource of the authorization is ${resource}, and the endpoint is at ${path}: clients refuse a resource that differs from ` +
      `the URL that they call; write resource: '${origin}${path}', or move the endpoint to ${pathname}`,
  );
}

const ONE_DAY_SECONDS = '86400';
/** Seconds after which clients may ask again for a document that could not be loaded. */
const RETRY_SECONDS = '5';
/** The documents are public: any page may read them. */
const OPEN_TO_PAGES = { 'Access-Control-Allow-Origin': '*' };

/** Answers a request for a public document. */
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
