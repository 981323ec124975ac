import type { BodyStream, HttpExchange, ResponseHeaders } from './http-exchange.js';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Tells nginx and its like not to hold events back.
  'X-Accel-Buffering': 'no',
};

/** How streams behave. */
export interface StreamRules {
  /** A comment is sent after this many quiet milliseconds. */
  readonly keepAliveMs: number;
  /** A client that leaves more bytes than this unread is cut off. */
  readonly maxBufferedBytes: number;
}

/** Sends JSON-RPC messages as server-sent events. */
export class EventStream {
  readonly #body: BodyStream;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #ended = false;

  constructor(
    http: HttpExchange,
    { keepAliveMs, maxBufferedBytes }: StreamRules,
    headers: ResponseHeaders = {},
  ) {
    this.#body = http.stream({ ...HEADERS, ...headers }, maxBufferedBytes);
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
