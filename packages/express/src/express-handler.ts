import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '@sigil/core';
import { type HttpOptions, nodeHandler } from '@sigil/http';
import { endpointPath } from '@sigil/http/fetch';

/** The path of the MCP endpoint within an Express application, and the options of the HTTP transport. */
export interface ExpressOptions extends HttpOptions {
  /**
   * Path of the MCP endpoint, relative to the Express application or `Router` that uses the middleware.
   *
   * @default '/mcp'
   */
  readonly path?: string;
}

/** A request of any Express version. Only Express sets `originalUrl` and `baseUrl`, not Node. */
export type ExpressRequest = IncomingMessage & { readonly originalUrl?: string; readonly baseUrl?: string };

/** A middleware function for Express. */
export type Middleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Middleware that serves an MCP app, and passes requests for other paths to the next middleware. */
export interface ExpressHandler extends Middleware {
  /**
   * Middleware that serves only the public documents of the option `authorization`, such as protected resource
   * metadata. Clients expect them at the root. If the endpoint is within a `Router`, use this middleware in the Express
   * application itself.
   */
  readonly documents: Middleware;
  /**
   * Waits for requests in flight to finish, then ends every session.
   *
   * @param graceMs maximum time to wait for the requests, in milliseconds.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves an MCP app within an Express application. If you use the middleware at the root of the application, it also
 * serves the public documents of the option `authorization`.
 *
 * @param app the result of `createApp`.
 * @param options `path`, and the options of `nodeHandler`.
 * @returns the middleware.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * server.use(expressHandler(app, { path: '/mcp', allowedHosts: ['mcp.example.com'] }));
 * ```
 */
export function expressHandler(app: App, { path = '/mcp', ...options }: ExpressOptions = {}): ExpressHandler {
  const handler = nodeHandler(app, options);
  handler.mountedAt(endpointPath('expressHandler', path));
  const serveAt = (at?: string): Middleware => {
    return (request, response, next) => {
      const { originalUrl = request.url ?? '/', baseUrl } = request;
      if (handler.serves(originalUrl, at, baseUrl)) handler(request, response);
      else next();
    };
  };
  return Object.assign(serveAt(path), {
    documents: serveAt(),
    close: (graceMs?: number) => handler.close(graceMs),
  });
}
