import type { Principal } from '@sigil/core/transport';
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
  /**
   * Asks again and again who the request of a stream is made for; absent where that is not known.
   *
   * @param refused called when it is not authenticated any more.
   * @param renewed called with the same principal, whose scopes and claims may be others.
   * @returns stops asking.
   */
  readonly watch:
    | ((http: HttpExchange, refused: () => void, renewed?: (principal: Principal) => void) => () => void)
    | undefined;
}

/** What is particular to one stream. */
export interface StreamParticulars {
  /** Headers to add. */
  readonly headers?: ResponseHeaders | undefined;
  /** Called when its request is not authenticated any more; absent where it then just ends. */
  readonly refused?: (() => void) | undefined;
  /** See `StreamRules.watch`. */
  readonly renewed?: ((principal: Principal) => void) | undefined;
}

/** Sends JSON-RPC messages as server-sent events. */
export class EventStream {
  readonly #body: BodyStream;
  readonly #keepAlive: ReturnType<typeof setInterval>;
  readonly #unwatch: (() => void) | undefined;
  #ended = false;

  constructor(
    http: HttpExchange,
    { keepAliveMs, watch }: StreamRules,
    { headers = {}, refused = () => this.end(), renewed }: StreamParticulars = {},
  ) {
    this.#body = http.stream({ ...HEADERS, ...headers });
    this.#keepAlive = setInterval(() => this.#body.write(':\n\n'), keepAliveMs);
    (this.#keepAlive as { unref?(): void }).unref?.();
    this.#unwatch = watch?.(http, refused, renewed);
    http.onGone(() => this.#stop());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Sends one message, serialised without line breaks.
   *
   * @param id what a client sends as `Last-Event-ID` to get what comes after.
   */
  send(message: string, id?: string): void {
    const named = id === undefined ? '' : `id: ${id}\n`;
    if (!this.#ended) this.#body.write(`event: message\n${named}data: ${message}\n\n`);
  }

  /** Gives a client an id to come back with before there is any message (2025-11-25, "Sending Messages to the Server"). */
  prime(id: string, retryMs: number): void {
    if (!this.#ended) this.#body.write(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`);
  }

  /** Tells a client how long to wait before it comes back. */
  retry(retryMs: number): void {
    if (!this.#ended) this.#body.write(`retry: ${retryMs}\n\n`);
  }

  /** Sends an event of another kind than a message. */
  announce(event: string, data: string): void {
    if (!this.#ended) this.#body.write(`event: ${event}\ndata: ${data}\n\n`);
  }

  end(): void {
    if (this.#ended) return;
    this.#stop();
    this.#body.end();
  }

  #stop(): void {
    this.#ended = true;
    clearInterval(this.#keepAlive);
    this.#unwatch?.();
  }
}
