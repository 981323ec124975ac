import type { Deadline, Outlet, Peer } from '@sigil/core/transport';
import type { HttpExchange } from './http-exchange.js';
import type { HandlerParts } from './parts.js';
import { SessionStreams } from './session-streams.js';

/** A session of a client up to 2025-11-25: its peer, and its streams. */
export class HttpSession implements Outlet {
  readonly peer: Peer;
  lastUsed: number;
  // Made when the first one is needed, to keep idle sessions small.
  #streams: SessionStreams | undefined;
  #posts = 0;

  constructor(
    readonly id: string,
    /** The id of the principal it belongs to. */
    readonly owner: string | undefined,
    /** Whom it counts for, as `RequestFacts` has it. */
    readonly quotaKey: string | undefined,
    private readonly parts: HandlerParts,
    now: number,
  ) {
    this.peer = parts.endpoint.connect(this);
    this.lastUsed = now;
  }

  /** Whether a request or a stream is open: such a session does not expire. */
  get busy(): boolean {
    return this.#posts > 0 || this.#streams?.listening === true;
  }

  /** Whether its client can be let go of in the middle of a request, and comes back (2025-11-25, SEP-1699). */
  get resumable(): boolean {
    return this.parts.options.eventStore !== undefined && this.peer.resumes;
  }

  get streams(): SessionStreams {
    if (this.#streams) return this.#streams;
    const { endpoint, options, streams } = this.parts;
    return (this.#streams = new SessionStreams({
      session: this.id,
      store: options.eventStore,
      rules: streams,
      retryMs: options.retryMs,
      resumable: this.resumable,
      logger: endpoint.logger,
      owner: this.owner,
      renewed: (principal) => this.peer.renew(principal),
    }));
  }

  /** Serves a GET: resumes the stream that an event id names, else carries what belongs to no request. */
  get(http: HttpExchange): void {
    const lastEventId = http.header('last-event-id');
    if (lastEventId && this.parts.options.eventStore) this.streams.resume(http, lastEventId);
    else this.streams.listen(http);
  }

  /** Counts a request in. */
  began(): void {
    this.#posts += 1;
  }

  /** Counts the time of a request that has not been answered at once. @param waitedLong called when that was long. */
  waits(waitedLong: () => void): Deadline | undefined {
    return this.resumable ? this.parts.longWaits.add(waitedLong) : undefined;
  }

  /** Counts a request out. @param wait what `waits` gave for it. */
  finished(wait: Deadline | undefined): void {
    this.#posts -= 1;
    this.lastUsed = Date.now();
    if (wait) this.parts.longWaits.delete(wait);
  }

  send(message: string): void {
    this.#streams?.send(message);
  }

  end(message: string): void {
    this.send(message);
  }

  close(reason: string): void {
    this.peer.close(reason);
    this.#streams?.close();
  }
}
