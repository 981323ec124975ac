import { ERROR_CODES, errorResponse, type Logger, LogThrottle, type RequestId } from '@sigil/core/transport';
import type { HttpExchange, ResponseHeaders } from './http-exchange.js';

/** The headers of a JSON answer. */
export const JSON_HEADERS: ResponseHeaders = { 'Content-Type': 'application/json' };

/** When a client that was refused for want of room may try again, in seconds. */
export const RETRY_LATER: ResponseHeaders = { 'Retry-After': '10' };

/** Refuses a client for which there is no room. */
export function refuseForNow(http: HttpExchange, message: string, id: RequestId | null = null): void {
  refuse(http, 503, ERROR_CODES.internalError, message, id, RETRY_LATER);
}

/** Refuses clients for which there is no room, and says so in the log, now and then. */
export class NoRoom {
  readonly #told = new LogThrottle();

  constructor(private readonly logger: Logger) {}

  refuse(http: HttpExchange, message: string, id: RequestId | null = null): void {
    if (this.#told.allows(message))
      this.logger.warn({ reason: message, ...aboutRequest(http) }, 'requests are refused: there is no room');
    refuseForNow(http, message, id);
  }
}

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

/** How much of anything a client sent is logged, in characters. */
const MOST_LOGGED = 200;

/** What the log says of a request: what a client sent is cut short, and its query left out. */
export function aboutRequest({
  method,
  target,
  address,
  principal,
}: HttpExchange): Readonly<Record<string, string | undefined>> {
  return {
    httpMethod: cut(method),
    path: cut(target.replace(/\?.*$/s, '')),
    address,
    principal: principal?.id,
  };
}

/** Logs that a request was refused, with what of it was the reason, cut short. */
export function logRefusal(
  http: HttpExchange,
  logger: Logger,
  status: number,
  reason: Readonly<Record<string, string | undefined>> = {},
): void {
  const sent = Object.fromEntries(Object.entries(reason).map(([name, value]) => [name, cut(value)]));
  logger.info({ status, ...aboutRequest(http), ...sent }, 'a request was refused');
}

function cut(text: string | undefined): string | undefined {
  return text?.slice(0, MOST_LOGGED);
}
