import type { Events } from './events.js';

/** Somebody who wants to hear about resources: a session, or an open subscription. */
export interface Subscriber {
  subscriptions: Set<string> | undefined;
}

/** Who wants to hear about which resources. */
export class Subscribers {
  readonly #counts = new Map<string, number>();

  constructor(private readonly events: Events) {}

  /** Who subscribes twice counts once. */
  add(subscriber: Subscriber, uri: string): void {
    const uris = (subscriber.subscriptions ??= new Set());
    if (uris.has(uri)) return;
    uris.add(uri);
    const count = (this.#counts.get(uri) ?? 0) + 1;
    this.#counts.set(uri, count);
    if (count === 1) this.events.emit('subscribed', uri);
  }

  remove(subscriber: Subscriber, uri: string): void {
    if (!subscriber.subscriptions?.delete(uri)) return;
    const count = (this.#counts.get(uri) ?? 1) - 1;
    if (count > 0) {
      this.#counts.set(uri, count);
      return;
    }
    this.#counts.delete(uri);
    this.events.emit('unsubscribed', uri);
  }

  /** Forgets somebody who is gone. */
  removeAll(subscriber: Subscriber): void {
    for (const uri of [...(subscriber.subscriptions ?? [])]) this.remove(subscriber, uri);
  }
}
