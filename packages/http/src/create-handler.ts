import type { Endpoint } from '@sigil/core/transport';
import { EndpointHandler } from './endpoint-handler.js';
import type { HttpExchange } from './http-exchange.js';
import type { ResolvedOptions } from './options.js';
import type { OutputRoom } from './output-room.js';
import { partsOf } from './parts.js';
import { SseEndpoint, sseTarget } from './sse-endpoint.js';

/** What serves the exchanges of a server, whatever bridge they come over. */
export interface HttpHandler {
  /** What its exchanges may leave unread. */
  readonly output: OutputRoom;
  /** Serves one HTTP request. Whatever goes wrong is an answer, never an exception. */
  handle(http: HttpExchange): void;
  /** Lets requests in flight finish, then ends everything. @param graceMs how long they may take. */
  drain(graceMs: number): Promise<void>;
}

/** Makes the handler of an app: its MCP endpoint, and HTTP+SSE beside it where that is wanted. */
export function createHandler(endpoint: Endpoint, options: ResolvedOptions): HttpHandler {
  const parts = partsOf(endpoint, options);
  const mcp = new EndpointHandler(parts);
  if (!options.sse) return mcp;
  const sse = new SseEndpoint(parts);
  return {
    output: parts.output,
    handle(http) {
      const target = sseTarget(http.target);
      if (target) sse.handle(http, target);
      else mcp.handle(http);
    },
    async drain(graceMs) {
      await Promise.all([mcp.drain(graceMs), sse.drain(graceMs)]);
    },
  };
}
