import { messageOf } from '@sigil/core/internal';
import { watchServer } from '../top/watch-server.js';
import type { DevState } from './dev-state.js';

/** The default path of a server's events. */
const EVENTS_PATH = '/events';
/** How long a server may take to answer, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Reads the events of the server under development while it is up. */
export class EventsWatch {
  #watch: AbortController | undefined;
  readonly #unsubscribe: () => void;

  /** @param token the token for the server's events. */
  constructor(
    private readonly state: DevState,
    private readonly token: string,
  ) {
    this.#unsubscribe = state.subscribe({ statusChanged: () => this.#follow() });
  }

  /** Stops reading permanently. */
  close(): void {
    this.#unsubscribe();
    this.#watch?.abort();
  }

  #follow(): void {
    const { status, url } = this.state.server;
    const isUp = status === 'up' && url !== undefined;
    if (isUp === (this.#watch !== undefined)) return;
    this.#watch?.abort();
    this.state.activity.forgetOpen();
    this.#watch = isUp ? new AbortController() : undefined;
    if (isUp && this.#watch) void this.#read(url, this.#watch.signal);
  }

  async #read(endpoint: string, signal: AbortSignal): Promise<void> {
    const { state, token } = this;
    const url = new URL(EVENTS_PATH, endpoint);
    const missed = (reason: string): void => {
      if (!signal.aborted) state.change({ events: { isWatching: false, reason } });
    };
    try {
      await watchServer(
        { url, token, timeoutMs: TIMEOUT_MS },
        {
          connected() {
            state.change({ events: { isWatching: true } });
          },
          lost: missed,
          told: (event, data) => state.tell(event, data),
        },
        signal,
      );
    } catch (error) {
      // A server without events still works.
      missed(messageOf(error));
    }
  }
}
