import type { App, MaybePromise } from '@sigil/core';
import { type HostHandler, hostHandler, type HostOptions } from '@sigil/http/fetch';

/** What Workers give with a request, as far as it is used. */
export interface ExecutionContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** What a module of a worker exports as `default`. */
export interface Worker<Env> {
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response>;
  /** Lets requests in flight finish, then ends every session, and the app: for tests of your own. */
  readonly close: HostHandler<Env>['close'];
}

/**
 * Serves an app as a worker. It is made once an isolate, when the first request brings the bindings.
 *
 * @param app makes the app from the bindings; called once, and again after it has failed.
 * @param options `path` of the endpoint, `/mcp` by default, and those of `fetchHandler`; a function makes them from the bindings.
 * @returns what the module exports.
 * @example
 * ```ts
 * export default worker<Env>((env) => createShop(env.DATABASE), (env) => ({ allowedHosts: [env.HOST] }));
 * ```
 */
export function worker<Env>(
  app: (env: Env) => MaybePromise<App>,
  options: HostOptions | ((env: Env) => HostOptions) = {},
): Worker<Env> {
  const handler = hostHandler<Env>({
    app,
    options: (env) => ({ path: '/mcp', ...(typeof options === 'function' ? options(env) : options) }),
  });
  return {
    fetch(request, env, context) {
      const response = handler(request, env);
      // The first request makes the app for all of them: its client may go away, and the app must be made all the same.
      context.waitUntil(response.catch(() => undefined));
      return response;
    },
    close: (graceMs) => handler.close(graceMs),
  };
}
