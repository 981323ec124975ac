import {
  after,
  ERROR_CODES,
  type EventStore,
  isPromise,
  type Logger,
  type MaybePromise,
  type StoredEvent,
  type StreamName,
} from '@sigil/core/transport';
import { refuse } from './answers.js';
import { askStore } from './ask-store.js';
import { eventId } from './event-id.js';
import { EventStream, type StreamRules } from './event-stream.js';
import type { HttpExchange } from './http-exchange.js';

/** What the streams of a session have in common. */
export interface StreamParts {
  readonly session: string;
  /** Without one nothing is kept, and no client can resume. */
  readonly store: EventStore | undefined;
  readonly rules: StreamRules;
  /** Milliseconds a client is told to wait before it comes back. */
  readonly retryMs: number;
  /** Whether clients come back to a stream that stops before its response: only such ones are primed. */
  readonly resumable: boolean;
  readonly logger: Logger;
}

/**
 * The messages of one request, or those that belong to none: sent to whichever connection the client has for them, and
 * kept for the next one. What is done to a stream is done in order, also when the store takes its time.
 */
export class SessionStream {
  readonly #name: StreamName;
  #connection: EventStream | undefined;
  #last: string | undefined;
  #turn: Promise<void> | undefined;

  /**
   * @param id names the stream in event ids.
   * @param ended whether nothing more will be sent, so that all there is to it is in the store.
   */
  constructor(
    readonly id: string,
    private readonly parts: StreamParts,
    private ended = false,
  ) {
    this.#name = { session: parts.session, stream: id };
  }

  /** Whether a client is connected to it. */
  get connected(): boolean {
    return this.#connection !== undefined && !this.#connection.ended;
  }

  /** Goes on with the response of a request. An older connection, dead or alive, gives way. */
  connect(http: HttpExchange): void {
    this.#inTurn(() => this.#attach(http, this.#last, []));
  }

  /**
   * Sends what has been missed on the response of a request, and goes on there. When nothing was missed and nothing will
   * come, the status is 204, which tells a client not to come again.
   *
   * @param id that of the last event the client got; absent when it got none.
   */
  resume(http: HttpExchange, id: string | undefined): void {
    const read = (): MaybePromise<readonly StoredEvent[] | undefined> =>
      askStore(this.parts, (store) => store.after(this.#name, id));
    this.#inTurn(() =>
      after(read(), (missed) => {
        if (!missed) return refuse(http, 500, ERROR_CODES.internalError, 'Internal error');
        if (this.ended && missed.length === 0) return http.respond(204, {});
        return this.#attach(http, id, missed);
      }),
    );
  }

  send(message: string): void {
    this.#inTurn(() =>
      after(
        askStore(this.parts, (store) => store.append(this.#name, message)),
        (id) => {
          this.#last = id ?? this.#last;
          this.#connection?.send(message, id === undefined ? undefined : eventId(this.id, id));
        },
      ),
    );
  }

  /** Lets the connection go; what is sent from now on waits for the client to resume. */
  disconnect(retryMs: number = this.parts.retryMs): void {
    this.#inTurn(() => {
      this.#connection?.retry(retryMs);
      this.#connection?.end();
    });
  }

  /** Ends it, once all is sent. @param ended called when that is done: nothing is left but what is in the store. */
  end(ended: () => void): void {
    this.#inTurn(() => {
      this.ended = true;
      this.#connection?.end();
      ended();
    });
  }

  /** Drops what has been kept of it. */
  forget(): void {
    this.#inTurn(() => askStore(this.parts, (store) => store.forget(this.#name.session, this.id)));
  }

  #attach(http: HttpExchange, last: string | undefined, missed: readonly StoredEvent[]): void {
    const { rules, resumable, retryMs } = this.parts;
    this.#connection?.end();
    const connection = (this.#connection = new EventStream(http, rules));
    // Also on a stream that is resumed: clients forget the last id with each connection.
    if (resumable && !this.ended) connection.prime(eventId(this.id, last), retryMs);
    for (const { id, message } of missed) connection.send(message, eventId(this.id, id));
    if (this.ended) connection.end();
  }

  #inTurn(work: () => MaybePromise<void>): void {
    const turn = this.#turn ? this.#turn.then(work) : work();
    if (!isPromise(turn)) return;
    const settled: Promise<void> = turn
      .catch((error: unknown) => this.parts.logger.error({ err: error }, 'a stream could not be served'))
      .then(() => {
        if (this.#turn === settled) this.#turn = undefined;
      });
    this.#turn = settled;
  }
}
