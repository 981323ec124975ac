import { ErrorReply } from '@redis/client';
import type { ChangeBus, ServerChange } from '@sigil/core/backend';
import type { RedisConnection } from './redis-connection.js';
import type { NodeClient } from './redis-clients.js';
import type { RedisLink } from './redis-link.js';

/** Held in an object of its own, so that a function that listens twice is told twice. */
interface Listener {
  readonly tell: (change: ServerChange) => void;
}

/**
 * Carries changes by channels of Redis: one for all processes, and one for each process, for messages to it alone. While the connection
 * that listens is lost, changes are; the listeners are told that anything may have changed once it is back.
 *
 * @example
 * ```ts
 * const changeBus = new RedisChangeBus(new RedisConnection({ url: 'redis://127.0.0.1:6379' }));
 * const app = await createApp({ name: 'shop', version: '1.0.0', changeBus });
 * ```
 */
export class RedisChangeBus implements ChangeBus {
  readonly #connection: RedisConnection;
  /** A connection that listens can do little else. */
  readonly #link: RedisLink<NodeClient>;
  readonly #toAll: string;
  /** By channel. */
  readonly #listeners = new Map<string, Set<Listener>>();
  /** By channel, on the connection that there is. */
  readonly #subscriptions = new Map<string, Promise<void>>();
  #missed = false;

  /** @param connection to the Redis that carries them. */
  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#toAll = `${connection.prefix}:changes`;
    this.#link = connection.listen({
      onReady: () => void this.#resume(),
      onLost: () => (this.#missed = true),
    });
  }

  async publish(change: ServerChange): Promise<void> {
    const to = change.kind === 'message' ? change.to : undefined;
    const channel = to === undefined ? this.#toAll : this.#channelOf(to);
    await this.#connection.send('PUBLISH', channel, JSON.stringify(change));
  }

  /** @throws Error when Redis refuses it. While Redis cannot be reached, it listens from the moment that it can. */
  async subscribe(tell: Listener['tell'], node?: string): Promise<() => void> {
    const listener = { tell };
    // A channel stays subscribed to without listeners: there are two.
    const channels = node === undefined ? [this.#toAll] : [this.#toAll, this.#channelOf(node)];
    const stop = (): void => channels.forEach((channel) => this.#listenersOf(channel).delete(listener));
    for (const channel of channels) this.#listenersOf(channel).add(listener);
    await this.#link.open();
    try {
      await Promise.all(channels.map((channel) => this.#subscriptionOf(channel)));
    } catch (error) {
      this.#missed = true;
      if (!(error instanceof ErrorReply)) return stop;
      stop();
      throw error;
    }
    return stop;
  }

  async #resume(): Promise<void> {
    this.#subscriptions.clear();
    try {
      await Promise.all([...this.#listeners.keys()].map((channel) => this.#subscriptionOf(channel)));
    } catch (error) {
      if (error instanceof ErrorReply) this.#connection.report(error, 'Redis lets nothing be listened to');
      return;
    }
    if (!this.#missed) return;
    this.#missed = false;
    this.#tell(this.#toAll, { kind: 'all' });
  }

  #subscriptionOf(channel: string): Promise<void> {
    const known = this.#subscriptions.get(channel);
    if (known) return known;
    const subscription = this.#link.use((client) =>
      client.subscribe(channel, (text) => this.#hear(channel, text)),
    );
    this.#subscriptions.set(channel, subscription);
    return subscription;
  }

  #hear(channel: string, text: string): void {
    try {
      this.#tell(channel, JSON.parse(text) as ServerChange);
    } catch (error) {
      this.#connection.report(error, 'a change from the bus cannot be read');
    }
  }

  #tell(channel: string, change: ServerChange): void {
    for (const { tell } of [...this.#listenersOf(channel)]) tell(change);
  }

  #listenersOf(channel: string): Set<Listener> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners);
    return listeners;
  }

  #channelOf(node: string): string {
    return `${this.#connection.prefix}:node:${node}`;
  }
}
