import { EventStream, type StreamRules } from './event-stream.js';
import type { HttpExchange, ResponseHeaders } from './http-exchange.js';
import {
  ERROR_CODES,
  errorResponse,
  type Logger,
  type Outlet,
  type RequestFacts,
  type RequestId,
} from '@sigil/core/transport';

/** The headers of a JSON answer. */
export const JSON_HEADERS: ResponseHeaders = { 'Content-Type': 'application/json' };

/** When a client that was refused for want of room may try again, in seconds. */
const RETRY_AFTER_SECONDS = '10';

/** Refuses a client for which there is no room. */
export function refuseForNow(http: HttpExchange, message: string, id: RequestId | null = null): void {
  refuse(http, 503, ERROR_CODES.internalError, message, id, { 'Retry-After': RETRY_AFTER_SECONDS });
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

const MOST_LOGGED = 200;

/** Logs that a request was refused, with what of it was the reason. What a client sent is cut short, and its query left out. */
export function logRefusal(
  { method, target, address }: HttpExchange,
  logger: Logger,
  status: number,
  reason: Readonly<Record<string, string | undefined>> = {},
): void {
  const cut = (text: string | undefined): string | undefined => text?.slice(0, MOST_LOGGED);
  const sent = Object.fromEntries(Object.entries(reason).map(([name, value]) => [name, cut(value)]));
  const path = cut(target.replace(/\?.*$/s, ''));
  logger.info({ status, method, path, address, ...sent }, 'a request was refused');
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
export function factsOf({ headers, address, principal }: HttpExchange): RequestFacts {
  if (address === undefined) return principal ? { headers, principal } : { headers };
  return principal ? { headers, address, principal } : { headers, address };
}

/** What the answer to one POST depends on, beside its message. */
export interface AnswerRules {
  readonly stream: StreamRules;
  /** The HTTP status for a request that was refused with a JSON-RPC error code. */
  readonly statusOf: (rejection: number) => number;
  /** Headers to add, asked for when the answer begins. */
  readonly headers?: () => ResponseHeaders;
}

/** Answers one POST: with one JSON object, or with a stream of events once something is sent before the response. */
export class PostOutlet implements Outlet {
  #stream: EventStream | undefined;

  constructor(
    private readonly http: HttpExchange,
    private readonly rules: AnswerRules,
  ) {}

  send(message: string): void {
    this.#stream ??= new EventStream(this.http, this.rules.stream, this.rules.headers?.());
    this.#stream.send(message);
  }

  end(message: string, rejection?: number): void {
    if (this.#stream) {
      this.#stream.send(message);
      this.#stream.end();
      return;
    }
    const status = rejection === undefined ? 200 : this.rules.statusOf(rejection);
    const { headers } = this.rules;
    this.http.respond(status, headers ? { ...JSON_HEADERS, ...headers() } : JSON_HEADERS, message);
  }

  abandon(): void {
    if (this.#stream) this.#stream.end();
    else this.http.respond(202, {});
  }
}
