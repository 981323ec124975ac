import { ERROR_CODES, errorResponse, afterMs } from '@sigil/core/transport';
import { refuse } from './answers.js';
import { EventStream } from './event-stream.js';
import type { HttpExchange } from './http-exchange.js';
import { ANSWERS_WITHIN_MS, GONE_AFTER_MS, readStreamName, type SharedStreams } from './shared-streams.js';
import { askStore, eventId, type StreamParts } from './stream-parts.js';

/**
 * Sends a client the stream of a request that another process runs. That process keeps what it sends, and says that there is more; what
 * is kept is read from the place where the client lost the stream. A process that says nothing is gone, and the request with it.
 */
export class StreamFollower {
  readonly #unfollow: () => void;
  #cancelWait: () => void;
  #connection: EventStream | undefined;
  #last: string | undefined;
  #reading: Promise<void> | undefined;
  #hasMore = false;
  #done = false;

  /**
   * @param stream its name.
   * @param last the id of the last event that the client got; absent when it got none.
   * @param ended called when the client is connected no more.
   */
  constructor(
    private readonly http: HttpExchange,
    private readonly stream: string,
    last: string | undefined,
    private readonly parts: StreamParts & { readonly shared: SharedStreams },
    private readonly ended: () => void,
  ) {
    const { shared } = parts;
    this.#last = last;
    this.#cancelWait = afterMs(ANSWERS_WITHIN_MS, () => this.#askAgain());
    this.#unfollow = shared.follow(stream, (isServed) => {
      if (isServed) this.#cancelWait();
      void this.#read();
    });
  }

  /** Tells the process that runs the request, and begins to read: it says of all that it sends from then on that there is more. */
  begin(): void {
    this.http.onGone(() => this.#finish());
    void this.parts.shared.resumed(this.parts.session, this.stream);
    void this.#read();
  }

  /** Ends the connection: the client goes on elsewhere, or comes back. @param retryMs when it is to come back, in milliseconds. */
  async letGo(retryMs?: number): Promise<void> {
    if (retryMs !== undefined) {
      await this.#read();
      if (!this.#done) this.#connection?.retry(retryMs);
    }
    this.#finish();
  }

  /** Sends what there is by now. What is added while this reads is read after it. */
  #read(): Promise<void> {
    this.#hasMore = true;
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#hasMore && !this.#done) {
      this.#hasMore = false;
      await this.#readOnce();
    }
    // At once: what is added from now on begins to be read anew.
    this.#reading = undefined;
  }

  async #readOnce(): Promise<void> {
    const { session } = this.parts;
    const name = { session, stream: this.stream };
    const rest = await askStore(this.parts, (store) => store.after(name, this.#last));
    if (this.#done) return;
    if (!rest) {
      if (this.#connection) return;
      refuse(this.http, 500, ERROR_CODES.internalError, 'Internal error');
      return this.#finish();
    }
    const { events, ended } = rest;
    if (!this.#connection && ended && events.length === 0) {
      this.http.respond(204, {});
      return this.#finish();
    }
    const connection = (this.#connection ??= this.#connect(ended));
    for (const { id, message } of events) {
      this.#last = id;
      connection.send(message, eventId(this.stream, id));
    }
    if (ended) this.#finish();
  }

  #connect(hasEnded: boolean): EventStream {
    const { rules, renewed, resumable, retryMs } = this.parts;
    const connection = new EventStream(this.http, rules, { refused: () => this.#finish(), renewed });
    if (resumable && !hasEnded) connection.prime(eventId(this.stream, this.#last), retryMs);
    return connection;
  }

  #askAgain(): void {
    this.#cancelWait = afterMs(GONE_AFTER_MS - ANSWERS_WITHIN_MS, () => void this.#replace());
    void this.parts.shared.resumed(this.parts.session, this.stream);
  }

  /** Answers in the place of a process that is gone. Where it is not, and has answered meanwhile, nothing is added. */
  async #replace(): Promise<void> {
    // It may have come to the end before it could hear of this client.
    await this.#read();
    if (this.#done) return;
    const { session, shared } = this.parts;
    const name = { session, stream: this.stream };
    const found = readStreamName(this.stream);
    if (found?.kind === 'request' && found.id !== undefined) {
      const message = 'The process that served the request has ended';
      const answer = errorResponse(found.id, { code: ERROR_CODES.internalError, message });
      await askStore(this.parts, (store) => store.append(name, answer, true));
    } else await askStore(this.parts, (store) => store.end(name));
    shared.grown(this.stream);
    await this.#read();
    this.#finish();
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#cancelWait();
    this.#unfollow();
    this.#connection?.end();
    this.ended();
  }
}
