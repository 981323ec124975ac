import { META } from '../protocol/meta.js';
import { NOTIFICATIONS } from '../protocol/methods.js';
import type { Change } from '../registry/registry.js';
import type { Exchange } from './exchange.js';
import { LIST_CHANGED } from './list-changed.js';
import type { Subscribers } from './subscribers.js';

/** Which kinds of notifications a subscription carries. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  /** What extensions add. */
  readonly [member: string]: unknown;
}

interface Listener {
  readonly exchange: Exchange;
  readonly filter: SubscriptionFilter;
  subscriptions: Set<string> | undefined;
  /** Ends the request with its result. */
  readonly finish: (result: string) => void;
}

const WANTED_BY: Readonly<Record<Change, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
};

/** The open `subscriptions/listen` requests (2026-07-28, basic/patterns/subscriptions). */
export class Listeners {
  readonly #listeners = new Map<Exchange, Listener>();

  constructor(private readonly subscribers: Subscribers) {}

  get size(): number {
    return this.#listeners.size;
  }

  /**
   * Opens a subscription: acknowledges it first, then carries what its filter lets through until either side ends it.
   *
   * @returns the result of the request, when the server ends it.
   */
  open(exchange: Exchange, filter: SubscriptionFilter): Promise<string> {
    return new Promise((finish) => {
      const listener: Listener = { exchange, filter, subscriptions: undefined, finish };
      this.#listeners.set(exchange, listener);
      exchange.signal.addEventListener('abort', () => this.#forget(listener), { once: true });
      for (const uri of filter.resourceSubscriptions ?? []) this.subscribers.add(listener, uri);
      send(exchange, NOTIFICATIONS.acknowledged, { notifications: filter });
    });
  }

  /** Tells the subscriptions that want to know that a list has changed. */
  listChanged(change: Change): void {
    for (const { exchange, filter } of this.#listeners.values()) {
      if (filter[WANTED_BY[change]] === true) send(exchange, LIST_CHANGED[change]);
    }
  }

  /** Tells the subscriptions to a resource that it has changed. */
  resourceUpdated(uri: string): void {
    for (const { exchange, subscriptions } of this.#listeners.values()) {
      if (subscriptions?.has(uri)) send(exchange, NOTIFICATIONS.resourceUpdated, { uri });
    }
  }

  /** Whether any subscription's filter wants something. */
  wants(wanted: (filter: SubscriptionFilter) => boolean): boolean {
    return [...this.#listeners.values()].some(({ filter }) => wanted(filter));
  }

  /** Tells the subscriptions whose filter wants it. */
  notify(method: string, params: object, wanted: (filter: SubscriptionFilter) => boolean): void {
    for (const { exchange, filter } of this.#listeners.values()) {
      if (wanted(filter)) send(exchange, method, params);
    }
  }

  /** Ends the subscription that a request opened, if it opened one. */
  end(exchange: Exchange): void {
    const listener = this.#listeners.get(exchange);
    if (!listener) return;
    // One page of the specification asks for the notification, another for the result: the client gets both.
    send(exchange, NOTIFICATIONS.cancelled, { requestId: exchange.id });
    this.#forget(listener);
    exchange.resultMeta = { [META.subscriptionId]: exchange.id };
    listener.finish('{}');
  }

  #forget(listener: Listener): void {
    this.#listeners.delete(listener.exchange);
    this.subscribers.removeAll(listener);
  }
}

/** Every notification of a subscription names the request that opened it. */
function send(exchange: Exchange, method: string, params: object = {}): void {
  exchange.notify(method, { _meta: { [META.subscriptionId]: exchange.id }, ...params });
}
