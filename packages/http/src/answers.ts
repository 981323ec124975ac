import { errorResponse, type RequestId } from '@sigil/core/transport';
import type { HttpExchange, ResponseHeaders } from './http-exchange.js';

/** The headers of a JSON answer. */
export const JSON_HEADERS: ResponseHeaders = { 'Content-Type': 'application/json' };

/** Refuses a request with an HTTP status and a JSON-RPC error. */
export function refuse(
  http: HttpExchange,
  status: number,
  code: number,
  message: string,
  id: RequestId | null = null,
  headers: ResponseHeaders = {},
): void {
  http.respond(status, { ...JSON_HEADERS, ...headers }, errorResponse(id, { code, message }));
}
