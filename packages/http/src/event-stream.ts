import type { BodyStream, HttpExchange } from './http-exchange.js';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Tells nginx and its like not to hold events back.
  'X-Accel-Buffering': 'no',
};

/** Sends JSON-RPC messages as server-sent events. */
export class EventStream {
  readonly #body: BodyStream;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #ended = false;

  /** @param keepAliveMs a comment is sent after this many quiet milliseconds. */
  constructor(http: HttpExchange, keepAliveMs: number, headers: Readonly<Record<string, string>> = {}) {
    this.#body = http.stream({ ...HEADERS, ...headers });
    this.#keepAlive = setInterval(() => this.#body.write(':\n\n'), keepAliveMs);
    (this.#keepAlive as { unref?(): void }).unref?.();
    http.onGone(() => this.#stop());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Sends one message, serialised without line breaks. */
  send(message: string): void {
    if (!this.#ended) this.#body.write(`event: message\ndata: ${message}\n\n`);
  }

  end(): void {
    if (this.#ended) return;
    this.#stop();
    this.#body.end();
  }

  #stop(): void {
    this.#ended = true;
    clearInterval(this.#keepAlive);
  }
}
