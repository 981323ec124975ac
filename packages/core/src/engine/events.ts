import type { ClientView } from '../context/call.js';
import type { Logger } from '../protocol/logging.js';

/** What an app can be told about its clients. */
export interface AppEvents {
  /** The first session subscribed to a resource: time to watch what is behind the URI. */
  subscribed: [uri: string];
  /** The last session that subscribed to a resource is gone. */
  unsubscribed: [uri: string];
  /** A client shares other roots than before; `ctx.roots()` gives the new ones. */
  rootsChanged: [client: ClientView];
}

type Listener<K extends keyof AppEvents> = (...details: AppEvents[K]) => void;

/** Tells listeners what happens between the app and its clients. */
export class Events {
  readonly #listeners = new Map<keyof AppEvents, Set<Listener<never>>>();

  constructor(private readonly logger: Logger) {}

  /** @returns a function that stops the listening. */
  on<K extends keyof AppEvents>(event: K, listener: Listener<K>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    listeners.add(listener as Listener<never>);
    return () => listeners.delete(listener as Listener<never>);
  }

  /** Calls every listener; one that throws is reported and keeps nobody else from hearing. */
  emit<K extends keyof AppEvents>(event: K, ...details: AppEvents[K]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        (listener as Listener<K>)(...details);
      } catch (error) {
        this.logger.error({ err: error, event }, 'a listener failed');
      }
    }
  }
}
