import { EventStream, type StreamRules } from './event-stream.js';
import { respondJson } from './refusals.js';
import type { HttpExchange, ResponseHeaders } from './http-exchange.js';
import type { ActiveRequest, Outlet } from '@sigil/core/transport';

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
