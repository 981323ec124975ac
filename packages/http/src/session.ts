import type { Endpoint, Outlet, Peer } from '@sigil/core/transport';
import type { EventStream } from './event-stream.js';

/** A session of a client up to 2025-11-25: its peer, and the stream for what belongs to no request. */
export class HttpSession implements Outlet {
  readonly peer: Peer;
  lastUsed: number;
  #stream: EventStream | undefined;
  #posts = 0;

  constructor(
    readonly id: string,
    endpoint: Endpoint,
    now: number,
  ) {
    this.peer = endpoint.connect(this);
    this.lastUsed = now;
  }

  /** Whether a request or a stream is open: such a session does not expire. */
  get busy(): boolean {
    return this.#posts > 0 || (this.#stream !== undefined && !this.#stream.ended);
  }

  /** Makes a stream the one that carries what belongs to no request. An older one, dead or alive, gives way. */
  attach(stream: EventStream): void {
    this.#stream?.end();
    this.#stream = stream;
  }

  /** Counts a request in, until the function returned is called. */
  open(): () => void {
    this.#posts += 1;
    let open = true;
    return () => {
      if (open) this.#posts -= 1;
      open = false;
      this.lastUsed = Date.now();
    };
  }

  send(message: string): void {
    this.#stream?.send(message);
  }

  end(message: string): void {
    this.send(message);
  }

  close(reason: string): void {
    this.peer.close(reason);
    this.#stream?.end();
  }
}
