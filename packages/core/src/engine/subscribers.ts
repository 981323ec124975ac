import { invalidParams } from '../errors/protocol-error.js';
import type { Events } from './events.js';

/** A subscription is kept for as long as its client likes; longer URIs than that are read, and not subscribed to. */
const MAX_URI_LENGTH = 2048;

/** Somebody who wants to hear about resources: a session, or an open subscription. */
export interface Subscriber {
  subscriptions: Set<string> | undefined;
}

/** Who wants to hear about which resources. */
export class Subscribers {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly events: Events,
    private readonly maxUris: number,
  ) {}

  /**
   * Who subscribes twice counts once.
   *
   * @throws ProtocolError (-32602) when the subscriber has as many URIs as it may have, or the URI is too long.
   */
  add(subscriber: Subscriber, uri: string): void {
    const uris = (subscriber.subscriptions ??= new Set());
    if (uris.has(uri)) return;
    this.check(uris.size + 1, uri);
    uris.add(uri);
    const count = (this.#counts.get(uri) ?? 0) + 1;
    this.#counts.set(uri, count);
    if (count === 1) this.events.emit('subscribed', uri);
  }

  /** @throws ProtocolError (-32602) when these are too many URIs for one subscriber, or a URI is too long. */
  check(count: number, ...uris: readonly string[]): void {
    if (count > this.maxUris) throw invalidParams(`More than ${this.maxUris} resources are subscribed to`);
    if (uris.some((uri) => uri.length > MAX_URI_LENGTH))
      throw invalidParams(`A URI is longer than ${MAX_URI_LENGTH} characters`);
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
