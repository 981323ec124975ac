import type { Events } from './events.js';
import type { Session } from './session.js';

/** Which sessions want to hear about which resources. */
export class Subscribers {
  readonly #counts = new Map<string, number>();

  constructor(private readonly events: Events) {}

  /** A session that subscribes twice counts once. */
  add(session: Session, uri: string): void {
    const uris = (session.subscriptions ??= new Set());
    if (uris.has(uri)) return;
    uris.add(uri);
    const count = (this.#counts.get(uri) ?? 0) + 1;
    this.#counts.set(uri, count);
    if (count === 1) this.events.emit('subscribed', uri);
  }

  remove(session: Session, uri: string): void {
    if (!session.subscriptions?.delete(uri)) return;
    const count = (this.#counts.get(uri) ?? 1) - 1;
    if (count > 0) {
      this.#counts.set(uri, count);
      return;
    }
    this.#counts.delete(uri);
    this.events.emit('unsubscribed', uri);
  }

  /** Forgets a session that has ended. */
  removeAll(session: Session): void {
    for (const uri of [...(session.subscriptions ?? [])]) this.remove(session, uri);
  }
}
