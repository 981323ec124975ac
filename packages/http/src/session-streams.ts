import {
  after,
  ERROR_CODES,
  type EventStore,
  isPromise,
  type Logger,
  type MaybePromise,
  type Principal,
  type StoredEvent,
  type StreamName,
} from '@sigil/core/transport';
import { refuse } from './answers.js';
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
  /** The id of the principal the session belongs to. */
  readonly owner: string | undefined;
  /** Told of its principal, whose scopes and claims may be others by now. */
  readonly renewed: (principal: Principal) => void;
}

/** The streams of one session: one for each request that needs one, and one for what belongs to no request. */
export class SessionStreams {
  readonly #running = new Map<string, SessionStream>();
  #standalone: SessionStream | undefined;

  constructor(private readonly parts: StreamParts) {}

  /** Whether a client is connected to the stream for what belongs to no request. */
  get listening(): boolean {
    return this.#standalone?.connected === true;
  }

  /** Answers a request with a stream of its own. @param refused called when the request is not authenticated any more. */
  open(http: HttpExchange, refused: () => void): SessionStream {
    const stream = this.#add(refused);
    stream.connect(http);
    return stream;
  }

  /** Ends the stream of a request: from now on it is in the store only. */
  end(stream: SessionStream): void {
    stream.end(() => this.#running.delete(stream.id));
  }

  /** Answers a request with the stream for what belongs to no request. */
  listen(http: HttpExchange): void {
    this.#standalone ??= this.#add();
    this.#standalone.connect(http);
  }

  /** Goes on with a stream where its client lost it. Event ids of other sessions lead to nothing. */
  resume(http: HttpExchange, lastEventId: string): void {
    const { stream, id } = readEventId(lastEventId);
    const resumed = this.#running.get(stream) ?? new SessionStream(stream, this.parts, { ended: true });
    resumed.resume(http, id);
  }

  /** Sends what belongs to no request. It is kept from the first listener on: before that no client has an id to ask by. */
  send(message: string): void {
    this.#standalone?.send(message);
  }

  /** Ends all streams and drops what has been kept of them. */
  close(): void {
    for (const stream of this.#running.values()) this.end(stream);
    this.#standalone = undefined;
    void askStore(this.parts, (store) => store.forget(this.parts.session));
  }

  #add(refused?: () => void): SessionStream {
    const stream = new SessionStream(crypto.randomUUID(), this.parts, { refused });
    this.#running.set(stream.id, stream);
    return stream;
  }
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
  #ended: boolean;
  readonly #refused: (() => void) | undefined;

  /**
   * @param id names the stream in event ids.
   * @param its.ended whether nothing more will be sent, so that all there is to it is in the store.
   * @param its.refused called when the request of a connection is not authenticated any more; the connection just ends where absent.
   */
  constructor(
    readonly id: string,
    private readonly parts: StreamParts,
    its: { readonly ended?: boolean; readonly refused?: (() => void) | undefined } = {},
  ) {
    this.#ended = its.ended ?? false;
    this.#refused = its.refused;
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
        if (this.#ended && missed.length === 0) return http.respond(204, {});
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
      this.#ended = true;
      this.#connection?.end();
      ended();
    });
  }

  /** Drops what has been kept of it. */
  forget(): void {
    this.#inTurn(() => askStore(this.parts, (store) => store.forget(this.#name.session, this.id)));
  }

  #attach(http: HttpExchange, last: string | undefined, missed: readonly StoredEvent[]): void {
    const { rules, resumable, retryMs, renewed } = this.parts;
    this.#connection?.end();
    const connection = (this.#connection = new EventStream(http, rules, { refused: this.#refused, renewed }));
    // Also on a stream that is resumed: clients forget the last id with each connection.
    if (resumable && !this.#ended) connection.prime(eventId(this.id, last), retryMs);
    for (const { id, message } of missed) connection.send(message, eventId(this.id, id));
    if (this.#ended) connection.end();
  }

  #inTurn(work: () => MaybePromise<void>): void {
    const turn = this.#turn ? this.#turn.then(work) : work();
    if (!isPromise(turn)) return;
    const settled: Promise<void> = turn
      .catch((error: unknown) =>
        this.parts.logger.error({ err: error, principal: this.parts.owner }, 'a stream could not be served'),
      )
      .then(() => {
        if (this.#turn === settled) this.#turn = undefined;
      });
    this.#turn = settled;
  }
}

/**
 * Asks an event store, if there is one. That it fails is reported, and is no reason to fail what it is asked for.
 *
 * @returns `undefined` when there is no store, or it failed.
 */
function askStore<T>(
  { store, logger, owner }: Pick<StreamParts, 'store' | 'logger' | 'owner'>,
  ask: (store: EventStore) => MaybePromise<T>,
): MaybePromise<T | undefined> {
  const failed = (error: unknown): undefined => {
    logger.error({ err: error, principal: owner }, 'the event store failed');
    return undefined;
  };
  try {
    const answer = store && ask(store);
    return isPromise(answer) ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

/** A place in a stream: behind one of its events, or at its beginning. */
interface EventCursor {
  readonly stream: string;
  /** The event by the id its store gave it; absent at the beginning. */
  readonly id?: string;
}

/** Writes a place down as clients are told it. The stream is part of it, so no store can mix streams up. */
function eventId(stream: string, id?: string): string {
  return id === undefined ? stream : `${stream}.${id}`;
}

/** Reads `Last-Event-ID`. Whether there is such a stream is another question. */
function readEventId(text: string): EventCursor {
  const dot = text.indexOf('.');
  return dot < 0 ? { stream: text } : { stream: text.slice(0, dot), id: text.slice(dot + 1) };
}
