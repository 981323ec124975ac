import type { App } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import { endpointPath, fetchHandler } from '@sigil/http/fetch';
import type { Context, MiddlewareHandler } from 'hono';
import { cloneRawRequest } from 'hono/request';

/** The path of an app within a Hono application, and the options of its transport. */
export interface HonoOptions extends HttpOptions {
  /**
   * Path of the MCP endpoint, below the path of the Hono application that the app is mounted into.
   *
   * @default '/mcp'
   */
  readonly path?: string;
}

/** Middleware that serves an app, and passes other requests on. */
export interface HonoHandler extends MiddlewareHandler {
  /**
   * Serves only documents, such as protected resource metadata. Mount it at the root if the endpoint is within another
   * application.
   */
  readonly documents: MiddlewareHandler;
  /**
   * Lets requests in flight finish, then ends every session.
   *
   * @param graceMs how long the requests may take, in milliseconds.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves an app within a Hono application: its endpoint, and the documents of its authorization, whose paths begin at
 * the root. Middleware before it may read the body through Hono.
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
