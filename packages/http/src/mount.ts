import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { App } from '@sigil/core';
import { stderrLogger } from '@sigil/node';
import { DEFAULT_GRACE_MS, type FetchHandler, fetchHandler as bareFetchHandler } from './fetch-handler.js';
import { createHandler } from './handler.js';
import { Http2Exchange } from './http2-exchange.js';
import { NodeExchange } from './node-exchange.js';
import { endpointOf, mountOptions } from './check-options.js';
import type { HttpOptions } from './options.js';

/** Handles requests of a `node:http` or `node:http2` server, or of anything built on one: Express, Fastify's raw mode, Koa, h3. */
export interface NodeHandler {
  /**
   * @param body the body, when something before has read it: parsed JSON, text or bytes. `request.body`, where Express has it, is
   *   found without. A function, as the `next` of Express and h3, is not a body.
   */
  (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
    body?: unknown,
  ): void;
  /**
   * Whether a request is for the app, where a framework asks it about all requests: for its endpoint, or for a document of its
   * authorization, such as protected resource metadata (RFC 9728), whose path begins at the root.
   *
   * @param target path and query, from the root of the server.
   * @param path where the endpoint is, from the root; without it, documents alone are meant.
   */
  serves(target: string, path?: string): boolean;
  /** Lets requests in flight finish, then ends every session. @param graceMs how long they may take. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Mounts an app into an existing Node server: `createServer(nodeHandler(app))`, `express.all('/mcp', nodeHandler(app))`.
 * Unless `createApp` was given a logger, the app logs on standard error from then on, as it does with `http()`.
 *
 * @param app what `createApp` made.
 * @param options those of the handler; address and signals are those of its surroundings.
 * @returns the handler, with `close` to end what it serves.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * const handler = nodeHandler(app);
 * fastify.all('/mcp', (request, reply) => {
 *   reply.hijack();
 *   handler(request.raw, reply.raw, request.body); // Fastify has read the body
 * });
 * ```
 */
export function nodeHandler(app: App, options: HttpOptions = {}): NodeHandler {
  const resolved = mountOptions('nodeHandler', options);
  const endpoint = endpointOf('nodeHandler', app);
  endpoint.logTo?.(stderrLogger());
  const handler = createHandler(endpoint, resolved);
  // Three parameters, used or not: to h3 and Connect a handler of two has served a request once it returns.
  const serve: (...parameters: Parameters<NodeHandler>) => void = (request, response, body) => {
    const given = typeof body === 'function' ? undefined : body;
    handler.handle(
      'stream' in response
        ? new Http2Exchange(request as Http2ServerRequest, response, handler.output, given)
        : new NodeExchange(request as IncomingMessage, response, handler.output, given),
    );
  };
  return Object.assign(serve, {
    serves: (target: string, path?: string) => handler.serves(target, path),
    close: (graceMs = DEFAULT_GRACE_MS) => handler.drain(graceMs),
  });
}

/**
 * Mounts an app where requests and responses are the web's: `export default { fetch: fetchHandler(app) }`.
 * Unless `createApp` was given a logger, the app logs on standard error from then on, as it does with `http()`. Where there is no Node,
 * as on Workers, it is imported from `@sigil/http/fetch`.
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
  const handler = bareFetchHandler(app, options);
  app.endpoint.logTo?.(stderrLogger());
  return handler;
}
