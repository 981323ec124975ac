import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '@sigil/core';
import { type HttpOptions, nodeHandler } from '@sigil/http';
import { endpointPath } from '@sigil/http/fetch';

/** The path of an app within an Express application, and the options of its transport. */
export interface ExpressOptions extends HttpOptions {
  /**
   * Path of the MCP endpoint, below the path of the router that the app is mounted into.
   *
   * @default '/mcp'
   */
  readonly path?: string;
}

/** A request of any Express version. A request of Node lacks the two members. */
export type ExpressRequest = IncomingMessage & { readonly originalUrl?: string; readonly baseUrl?: string };

/** A middleware function for Express. */
export type Middleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Middleware that serves an app, and passes other requests on. */
export interface ExpressHandler extends Middleware {
  /**
   * Serves only documents, such as protected resource metadata. Mount it at the root if the endpoint is within a
   * `Router`.
   */
  readonly documents: Middleware;
  /**
   * Lets requests in flight finish, then ends every session.
   *
   * @param graceMs how long the requests may take, in milliseconds.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves an app within an Express application: its endpoint, and the documents of its authorization, whose paths begin
 * at the root.
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
