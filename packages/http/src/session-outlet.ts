import type { Outlet } from '@sigil/core/transport';
import { JSON_HEADERS } from './answers.js';
import type { HttpExchange } from './http-exchange.js';
import type { Place } from './linked-queue.js';
import type { Wait, Waiting } from './long-waits.js';
import type { HttpSession } from './session.js';
import type { SessionStream } from './session-stream.js';

/**
 * Answers one POST of a session: with one JSON object, or with a stream once something is sent before the response, or the
 * response is long in coming. A stream can be resumed; a client that goes away before there is one had no id to come back
 * with, so for it nothing is kept. Either way its going away cancels nothing.
 */
export class SessionOutlet implements Outlet, Waiting {
  #stream: SessionStream | undefined;
  #wait: Place<Wait> | undefined;
  #open = true;

  constructor(
    private readonly http: HttpExchange,
    private readonly session: HttpSession,
    /** The HTTP status for a request that was refused with a JSON-RPC error code. */
    private readonly statusOf: (rejection: number) => number,
  ) {
    session.began();
  }

  send(message: string): void {
    this.#streamed()?.send(message);
  }

  end(message: string, rejection?: number): void {
    this.#close();
    if (this.#stream) {
      this.#stream.send(message);
      this.session.streams.end(this.#stream);
      return;
    }
    this.http.respond(rejection === undefined ? 200 : this.statusOf(rejection), JSON_HEADERS, message);
  }

  abandon(): void {
    this.#close();
    if (!this.#stream) return this.http.respond(202, {});
    // Nobody comes back for what has been cancelled.
    this.#stream.forget();
    this.session.streams.end(this.#stream);
  }

  closeStream(retryMs?: number): void {
    const known = retryMs !== undefined && Number.isFinite(retryMs) && retryMs >= 0;
    // Clients take nothing but digits for a time.
    if (this.session.resumable) this.#streamed()?.disconnect(known ? Math.ceil(retryMs) : undefined);
  }

  /** Says that the request is not answered at once. */
  waits(): void {
    if (this.#open) this.#wait = this.session.waits(this);
  }

  /** Gives the client an id to come back with, should it lose the connection. */
  waitedLong(): void {
    if (this.#open) this.#streamed();
  }

  #streamed(): SessionStream | undefined {
    if (!this.#stream && !this.http.gone) this.#stream = this.session.streams.open(this.http);
    return this.#stream;
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.session.finished(this.#wait);
  }
}
