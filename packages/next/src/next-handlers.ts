import type { App, MaybePromise } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import { type HostHandler, hostHandler } from '@sigil/http/fetch';

/**
 * The Next.js route handlers of an endpoint, one for each HTTP method, and a function that closes them. Next.js refuses
 * requests with other methods.
 */
export interface NextHandlers {
  /** Opens the stream of a session, or returns a document of the authorization. */
  readonly GET: RouteHandler;
  /** Receives messages. */
  readonly POST: RouteHandler;
  /** Ends a session. */
  readonly DELETE: RouteHandler;
  /** Answers preflight requests (CORS) from web pages. */
  readonly OPTIONS: RouteHandler;
  /**
   * Waits for requests in flight to finish, then ends every session and closes the app. Next.js does not call this
   * function: call it in tests, or when your own server stops.
   */
  readonly close: HostHandler<undefined>['close'];
}

/** A Next.js route handler. */
export type RouteHandler = (request: Request) => Promise<Response>;

/**
 * Serves an app with Next.js route handlers. Use them in the `route.ts` of the endpoint. If you set the option
 * `authorization`, also use them in the `route.ts` of `.well-known/oauth-protected-resource`. The app is created only
 * at the first request, because Next.js also loads the module during a build.
 *
 * @param app a function that creates the app. It is called at the first request, and again only after a failure.
 * @param options the options of `fetchHandler`.
 * @returns a handler for each method.
 * @example
 * ```ts
 * const handlers = nextHandlers(() => createApp({ name: 'shop', version: '1.0.0', services: [Shop] }), {
 *   allowedHosts: ['shop.example.com'],
 * });
 * export const { GET, POST, DELETE, OPTIONS } = handlers;
 * ```
 */
export function nextHandlers(app: () => MaybePromise<App>, options: HttpOptions = {}): NextHandlers {
  // The options are read later: while routes are built, settings of the production host may be missing.
  const handler = hostHandler<undefined>({ of: 'nextHandlers', app, options: () => options });
  const serve: RouteHandler = (request) => handler(request, undefined);
  return {
    GET: serve,
    POST: serve,
    DELETE: serve,
    OPTIONS: serve,
    close: (graceMs) => handler.close(graceMs),
  };
}
