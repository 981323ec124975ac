import type { App } from '@sigil/core';
import { mountOptions } from './check-options.js';
import { createHandler } from './handler.js';
import type { HttpOptions } from './options.js';
import { WebExchange } from './web-exchange.js';

/** Handles requests the web's way. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Lets requests in flight finish, then ends every session. @param graceMs how long they may take. */
  close(graceMs?: number): Promise<void>;
}

/** How long requests in flight may take when a handler is closed, unless it is told. */
export const DEFAULT_GRACE_MS = 5_000;

/**
 * Mounts an app where requests and responses are the web's: `export default { fetch: fetchHandler(app) }`.
 * It needs nothing of Node. Unless `createApp` was given a logger, the app prints warnings and errors on the console.
 *
 * @param app what `createApp` made.
 * @param options those of the handler; address and signals are those of its surroundings.
 * @returns the handler, with `close` to end what it serves.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * const handler = fetchHandler(app, { allowedHosts: ['mcp.example.com'] });
 * const response = await handler(request);
 * ```
 */
export function fetchHandler(app: App, options: HttpOptions = {}): FetchHandler {
  const handler = createHandler(app.endpoint, mountOptions('fetchHandler', options));
  const serve = (request: Request): Promise<Response> => {
    const exchange = new WebExchange(request, handler.output);
    handler.handle(exchange);
    return exchange.response;
  };
  return Object.assign(serve, { close: (graceMs = DEFAULT_GRACE_MS) => handler.drain(graceMs) });
}
