import type { App } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import { endpointPath, fetchHandler } from '@sigil/http/fetch';
import type { Context, MiddlewareHandler } from 'hono';
import { cloneRawRequest } from 'hono/request';

/** The path of the MCP endpoint within a Hono application, and the options of the HTTP transport. */
export interface HonoOptions extends HttpOptions {
  /**
   * Path of the MCP endpoint, relative to the Hono application that uses the middleware.
   *
   * @default '/mcp'
   */
  readonly path?: string;
}

/** Middleware that serves an MCP app, and passes requests for other paths to the next middleware. */
export interface HonoHandler extends MiddlewareHandler {
  /**
   * Middleware that serves only the public documents of the option `authorization`, such as protected resource
   * metadata. Clients expect them at the root. If the endpoint is within a nested Hono application, use this middleware
   * in the outer application.
   */
  readonly documents: MiddlewareHandler;
  /**
   * Waits for requests in flight to finish, then ends every session.
   *
   * @param graceMs maximum time to wait for the requests, in milliseconds.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves an MCP app within a Hono application. If you use the middleware at the root of the application, it also serves
 * the public documents of the option `authorization`. Earlier middleware can read the body of a request with the
 * methods of Hono, such as `context.req.json()`.
 *
 * @param app the result of `createApp`.
 * @param options `path`, and the options of `fetchHandler`.
 * @returns the middleware.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * server.use(honoHandler(app, { path: '/mcp', allowedHosts: ['mcp.example.com'] }));
 * ```
 */
export function honoHandler(app: App, { path = '/mcp', ...options }: HonoOptions = {}): HonoHandler {
  const handler = fetchHandler(app, options);
  handler.mountedAt(endpointPath('honoHandler', path));
  const serveAt = (at?: string): MiddlewareHandler => {
    return async (context, next) => {
      const { req } = context;
      const { pathname, search } = new URL(req.url);
      if (!handler.serves(pathname + search, at, baseOf(context, pathname))) return next();
      // A body that was read without Hono is lost: the handler reports it.
      const isKept = req.raw.bodyUsed && Object.keys(req.bodyCache).length > 0;
      return handler.handle(isKept ? await cloneRawRequest(req) : req.raw, context);
    };
  };
  return Object.assign(serveAt(path), {
    documents: serveAt(),
    close: (graceMs?: number) => handler.close(graceMs),
  });
}

/**
 * Returns the part of a path that the surrounding Hono applications have matched. Their paths may have
 * parameters.
 */
function baseOf({ req }: Context, pathname: string): string {
  // basePath() of hono/route reads a symbol. Requests from the other copy of Hono (CommonJS or ES module) do not have
  // it.
  const { basePath = '' } = req.matchedRoutes[req.routeIndex] ?? {};
  const segments = basePath.replace(/\{[^}]*\}|\/$/g, '').split('/');
  return pathname.split('/', segments.length).join('/');
}
