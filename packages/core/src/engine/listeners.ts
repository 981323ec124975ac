import { META } from '../protocol/meta.js';
import { NOTIFICATIONS } from '../protocol/methods.js';
import type { Change } from '../registry/registry.js';
import type { EngineCall } from './call.js';
import { LIST_CHANGED } from './list-changed.js';
import type { MethodResult } from './response.js';
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
  readonly call: EngineCall;
  readonly filter: SubscriptionFilter;
  subscriptions: Set<string> | undefined;
  /** Ends the request with its result. */
  readonly finish: (result: MethodResult) => void;
}

const WANTED_BY: Readonly<Record<Change, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
};

/** The open `subscriptions/listen` requests (2026-07-28, basic/patterns/subscriptions). */
export class Listeners {
  readonly #listeners = new Map<EngineCall, Listener>();

  constructor(private readonly subscribers: Subscribers) {}

  get size(): number {
    return this.#listeners.size;
  }

  /**
   * Opens a subscription: acknowledges it first, then carries what its filter lets through until either side ends it.
   *
   * @returns the result of the request, when the server ends it.
   */
  open(call: EngineCall, filter: SubscriptionFilter): Promise<MethodResult> {
    return new Promise((finish) => {
      const listener: Listener = { call, filter, subscriptions: undefined, finish };
      this.#listeners.set(call, listener);
      call.signal.addEventListener('abort', () => this.#finish(listener), { once: true });
      for (const uri of filter.resourceSubscriptions ?? []) this.subscribers.add(listener, uri);
      send(call, NOTIFICATIONS.acknowledged, { notifications: filter });
    });
  }

  /** Tells the subscriptions that want to know that a list has changed. */
  listChanged(change: Change): void {
    for (const { call, filter } of this.#listeners.values()) {
      if (filter[WANTED_BY[change]] === true) send(call, LIST_CHANGED[change]);
    }
  }

  /** Tells the subscriptions to a resource that it has changed. */
  resourceUpdated(uri: string): void {
    for (const { call, subscriptions } of this.#listeners.values()) {
      if (subscriptions?.has(uri)) send(call, NOTIFICATIONS.resourceUpdated, { uri });
    }
  }

  /** Whether any subscription's filter wants something. */
  wants(wanted: (filter: SubscriptionFilter) => boolean): boolean {
    return [...this.#listeners.values()].some(({ filter }) => wanted(filter));
  }

  /** Tells the subscriptions whose filter wants it. */
  notify(method: string, params: object, wanted: (filter: SubscriptionFilter) => boolean): void {
    for (const { call, filter } of this.#listeners.values()) {
      if (wanted(filter)) send(call, method, params);
    }
  }

  /** Ends the subscription that a request opened, if it opened one. */
  end(call: EngineCall): void {
    const listener = this.#listeners.get(call);
    if (!listener) return;
    // One page of the specification asks for the notification, another for the result: the client gets both.
    send(call, NOTIFICATIONS.cancelled, { requestId: call.id });
    this.#finish(listener);
  }

  #finish(listener: Listener): void {
    const { call, finish } = listener;
    this.#listeners.delete(call);
    this.subscribers.removeAll(listener);
    finish({ result: {}, meta: { [META.subscriptionId]: call.id } });
  }
}

/** Every notification of a subscription names the request that opened it. */
function send(call: EngineCall, method: string, params: object = {}): void {
  call.notify(method, { _meta: { [META.subscriptionId]: call.id }, ...params });
}
