import { EventStream, type StreamRules } from './event-stream.js';
import { refuse, respondJson } from './refusals.js';
import type { HttpExchange, ResponseHeaders } from './http-exchange.js';
import { ERROR_CODES, type Logger, type Outlet } from '@sigil/core/transport';

/** Serves an exchange so that whatever goes wrong is an answer and a line in the log, never an exception. */
export function guarded(http: HttpExchange, logger: Logger, serve: () => void): void {
  try {
    serve();
  } catch (error) {
    logger.error({ err: error }, 'an HTTP request could not be served');
    refuse(http, 500, ERROR_CODES.internalError, 'Internal error');
  }
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
    respondJson(this.http, status, message, this.rules.headers?.());
  }

  abandon(): void {
    if (this.#stream) this.#stream.end();
    else this.http.respond(202, {});
  }
}
