import { askStore } from './ask-store.js';
import { readEventId } from './event-id.js';
import type { HttpExchange } from './http-exchange.js';
import { SessionStream, type StreamParts } from './session-stream.js';

/** The streams of one session: one for each request that needs one, and one for what belongs to no request. */
export class SessionStreams {
  readonly #running = new Map<string, SessionStream>();
  #standalone: SessionStream | undefined;

  constructor(private readonly parts: StreamParts) {}

  /** Whether a client is connected to the stream for what belongs to no request. */
  get listening(): boolean {
    return this.#standalone?.connected === true;
  }

  /** Answers a request with a stream of its own. */
  open(http: HttpExchange): SessionStream {
    const stream = this.#add();
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
    const resumed = this.#running.get(stream) ?? new SessionStream(stream, this.parts, true);
    resumed.resume(http, id);
  }

  /** Sends what belongs to no request. It is kept from the first listener on: nobody else has an id to ask by. */
  send(message: string): void {
    this.#standalone?.send(message);
  }

  /** Ends all streams and drops what has been kept of them. */
  close(): void {
    for (const stream of this.#running.values()) this.end(stream);
    this.#standalone = undefined;
    void askStore(this.parts, (store) => store.forget(this.parts.session));
  }

  #add(): SessionStream {
    const stream = new SessionStream(crypto.randomUUID(), this.parts);
    this.#running.set(stream.id, stream);
    return stream;
  }
}
