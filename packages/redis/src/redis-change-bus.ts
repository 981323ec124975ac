import { ErrorReply } from '@redis/client';
import { type ChangeBus, MemoryChangeBus, type ServerChange } from '@sigil/core/backend';
import type { RedisConnection } from './redis-connection.js';
import type { NodeClient } from './redis-clients.js';
import type { RedisLink } from './redis-link.js';

/**
 * Sends changes to other processes over channels of Redis: one for all processes, and one for each process. Changes are
 * lost while the listening connection is broken. After a reconnection, listeners receive a change of the kind `all`:
 * everything may have changed.
 */
export class RedisChangeBus implements ChangeBus {
  /** The link that listens. A connection that listens can do little else. */
  readonly #link: RedisLink<NodeClient>;
  readonly #toAll: string;
  /** The listeners in this process. */
  readonly #local = new MemoryChangeBus();
  readonly #channels = new Set<string>();
  /** The subscriptions on the current connection, by channel. */
  readonly #subscriptions = new Map<string, Promise<void>>();
  #missed = false;

  /** @param connection the connection to the Redis server that relays the changes. */
  constructor(private readonly connection: RedisConnection) {
    this.#toAll = `${connection.prefix}:changes`;
    this.#link = connection.listen({
      onReady: () => void this.#resume(),
      onLost: () => (this.#missed = true),
    });
  }

  async publish(change: ServerChange): Promise<void> {
    const to = change.kind === 'message' ? change.to : undefined;
    const channel = to === undefined ? this.#toAll : this.#channelOf(to);
    await this.connection.send('PUBLISH', channel, JSON.stringify(change));
  }

  /**
   * Begins to listen to changes. If Redis cannot be reached, listening begins as soon as it can be reached.
   *
   * @throws Error if Redis refuses the subscription.
   */
  async subscribe(tell: (change: ServerChange) => void, node?: string): Promise<() => void> {
    const stop = this.#local.subscribe(tell, node);
    // Channels stay subscribed even without listeners: there are only two.
    const channels = node === undefined ? [this.#toAll] : [this.#toAll, this.#channelOf(node)];
    for (const channel of channels) this.#channels.add(channel);
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
      await Promise.all([...this.#channels].map((channel) => this.#subscriptionOf(channel)));
    } catch (error) {
      if (error instanceof ErrorReply) this.connection.report(error, 'Redis refuses the subscription');
      return;
    }
    if (!this.#missed) return;
    this.#missed = false;
    this.#local.publish({ kind: 'all' });
  }

  #subscriptionOf(channel: string): Promise<void> {
    const known = this.#subscriptions.get(channel);
    if (known) return known;
    const subscription = this.#link.use((client) => client.subscribe(channel, (text) => this.#hear(text)));
    this.#subscriptions.set(channel, subscription);
    return subscription;
  }

  #hear(text: string): void {
    try {
      this.#local.publish(JSON.parse(text) as ServerChange);
    } catch (error) {
      this.connection.report(error, 'a change that another process has sent cannot be read');
    }
  }

  #channelOf(node: string): string {
    return `${this.connection.prefix}:node:${node}`;
  }
}
