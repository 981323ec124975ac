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

/**
 * Handles requests of a `node:http` or `node:http2` server, or of a framework that uses such a server: Express, Koa,
 * h3, or Fastify's raw mode.
 */
export interface NodeHandler extends AppMount {
  /**
   * @param body the body, if other code has read it: parsed JSON, text or bytes. You need not pass the `request.body`
   *   of Express: the handler uses it automatically. A function, such as the `next` of Express and h3, is ignored.
   * @param source the framework's request: `authenticate` and guards get it as `source`, in place of Node's request.
   */
  (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
    body?: unknown,
    source?: unknown,
  ): void;
}

/**
 * Creates a handler that serves an app in an existing Node server, for example `createServer(nodeHandler(app))` or
 * `express.all('/mcp', nodeHandler(app))`. Without the option `logger` of `createApp`, the app logs to standard error,
 * as with `http()`.
 *
 * @param app the result of `createApp`.
 * @param options the options of the handler. None of them sets an address or handles signals: the surrounding server
 *   does this.
 * @returns the handler. Its method `close` lets requests finish, and ends the sessions.
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
  // The function has three parameters. With two, h3 and Connect assume that the request is served when it returns; with
  // four, Express uses it for errors.
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
