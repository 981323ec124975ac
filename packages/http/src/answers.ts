import { EventStream, type StreamRules } from './event-stream.js';
import { aboutRequest, JSON_HEADERS, refuse, RETRY_LATER } from './refusals.js';
import type { HttpExchange, ResponseHeaders } from './http-exchange.js';
import { type ActiveRequest, ERROR_CODES, type Logger, type Outlet } from '@sigil/core/transport';

/** Serves an exchange so that whatever goes wrong is an answer and a line in the log, never an exception. */
export function guarded(http: HttpExchange, logger: Logger, serve: () => void): void {
  try {
    serve();
  } catch (error) {
    failed(http, logger, error);
  }
}

/** Answers a request that could not be served, and logs why. */
export function failed(http: HttpExchange, logger: Logger, error: unknown): void {
  logger.error({ err: error, ...aboutRequest(http) }, 'an HTTP request could not be served');
  refuse(http, 500, ERROR_CODES.internalError, 'Internal error');
}

/**
 * Answers a request in one piece.
 *
 * @param message the response, serialised.
 * @param status 503 says that there is no room for now.
 */
export function respondJson(
  http: HttpExchange,
  status: number,
  message: string,
  headers?: ResponseHeaders,
): void {
  if (status === 503) http.respond(status, { ...JSON_HEADERS, ...RETRY_LATER, ...headers }, message);
  else http.respond(status, headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS, message);
}

/** Why what goes on for a request ends before its answer. */
export const NOT_AUTHENTICATED = 'The request is not authenticated any more';

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
  /** What is being answered, where it is not answered at once. */
  request: ActiveRequest | undefined;

  constructor(
    private readonly http: HttpExchange,
    private readonly rules: AnswerRules,
  ) {}

  send(message: string): void {
    this.#stream ??= new EventStream(this.http, this.rules.stream, {
      headers: this.rules.headers?.(),
      refused: () => this.request?.cancel(NOT_AUTHENTICATED),
    });
    this.#stream.send(message);
  }

  end(message: string, rejection?: number): void {
    if (this.#stream) {
      this.#stream.send(message);
      this.#stream.end();
      return;
    }
    const status = rejection === undefined ? 200 : this.rules.statusOf(rejection);
    respondJson(this.http, status, message, this.rules.headers?.());
  }

  abandon(): void {
    if (this.#stream) this.#stream.end();
    else this.http.respond(202, {});
  }
}
