import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { App } from '@sigil/core';
import { stderrLogger } from '@sigil/node';
import { type AppMount, mountOf } from './fetch-handler.js';
import { createHandler } from './handler.js';
import { Http2Exchange } from './http2-exchange.js';
import { NodeExchange } from './node-exchange.js';
import { endpointOf, mountOptions } from './check-options.js';
import type { HttpOptions } from './options.js';

/** Handles requests of a `node:http` or `node:http2` server, or of anything built on one: Express, Fastify's raw mode, Koa, h3. */
export interface NodeHandler extends AppMount {
  /**
   * @param body the body, if it was read before: parsed JSON, text or bytes. The handler finds Express's `request.body`
   *   itself. A function, such as the `next` of Express and h3, is not a body.
   * @param source the framework's request: `authenticate` and guards get it in place of Node's.
   */
  (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
    body?: unknown,
    source?: unknown,
  ): void;
}

/**
 * Mounts an app into an existing Node server: `createServer(nodeHandler(app))`,
 * `express.all('/mcp', nodeHandler(app))`. Unless `createApp` was given a logger, the app logs on standard error from
 * then on, as it does with `http()`.
 *
 * @param app the result of `createApp`.
 * @param options the handler's options; its surroundings determine address and signals.
 * @returns the handler, with `close` to end its service.
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
  // Its length is three: to h3 and Connect a handler of two has served a request once it returns, to Express one of four takes errors.
  const serve: (...parameters: Parameters<NodeHandler>) => void = (
    request,
    response,
    body,
    source = undefined,
  ) => {
    const given = typeof body === 'function' ? undefined : body;
    handler.handle(
      'stream' in response
        ? new Http2Exchange(request as Http2ServerRequest, response, handler.output, given, source)
        : new NodeExchange(request as IncomingMessage, response, handler.output, given, source),
    );
  };
  return Object.assign(serve, mountOf(handler));
}
