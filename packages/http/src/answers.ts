import {
  ERROR_CODES,
  errorResponse,
  type Logger,
  type RequestFacts,
  type RequestId,
} from '@sigil/core/transport';
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

/** Serves an exchange so that whatever goes wrong is an answer and a line in the log, never an exception. */
export function guarded(http: HttpExchange, logger: Logger, serve: () => void): void {
  try {
    serve();
  } catch (error) {
    logger.error({ err: error }, 'an HTTP request could not be served');
    refuse(http, 500, ERROR_CODES.internalError, 'Internal error');
  }
}

/** What is known of a request beside its message. */
export function factsOf({ headers, principal }: HttpExchange): RequestFacts {
  return principal ? { headers, principal } : { headers };
}
