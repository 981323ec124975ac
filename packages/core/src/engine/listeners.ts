import { NoRoomError } from '../errors/protocol-error.js';
import { META, NOTIFICATIONS } from '../protocol/protocol.js';
import type { Change } from '../registry/registry.js';
import { Quota } from '../transport/quota.js';
import type { EngineCall } from './call.js';
import type { Limits } from './limits.js';
import { LIST_CHANGED } from './list-changed.js';
import type { MethodResult } from './response.js';
import { sizeOf, type Subscribers } from './subscribers.js';

/** Which kinds of notifications a subscription carries. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  /** What extensions add. */
  readonly [member: string]: unknown;
}

/** An open `subscriptions/listen` request. */
export interface Listener {
  readonly call: EngineCall;
  readonly filter: SubscriptionFilter;
  /** Whether extensions let it go on, as far as they have a part in it. */
  readonly mayGoOn: (call: EngineCall) => Promise<boolean>;
  /** Gives back the place and the room that it takes. */
  readonly release: () => void;
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

  readonly #places: Quota;

  constructor(
    private readonly subscribers: Subscribers,
    { maxSubscriptions, maxSubscriptionsPerClient }: Limits,
  ) {
    this.#places = new Quota(maxSubscriptions, maxSubscriptionsPerClient);
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Those that are open now. */
  get all(): readonly Listener[] {
    return [...this.#listeners.values()];
  }

  /**
   * Takes a place for a subscription, and room for its request, which is kept as long as it is open.
   *
   * @returns a function that gives them back, to be called once.
   * @throws NoRoomError when there is none.
   */
  reserve(call: EngineCall): () => void {
    const { total, perClient } = this.#places;
    const { quotaKey } = call;
    const bytes = sizeOf(call);
    this.subscribers.reserve(quotaKey, bytes);
    if (!this.#places.take(quotaKey)) {
      this.subscribers.release(quotaKey, bytes);
      throw new NoRoomError(`More than ${total} subscriptions are open, or ${perClient} of one client`);
    }
    return () => {
      this.#places.give(quotaKey);
      this.subscribers.release(quotaKey, bytes);
    };
  }

  /**
   * Opens a subscription: acknowledges it first, then carries what its filter lets through until either side ends it.
   *
   * @returns the result of the request, when the server ends it.
   */
  open(opened: Omit<Listener, 'subscriptions' | 'finish'>): Promise<MethodResult> {
    const { call, filter } = opened;
    return new Promise((finish) => {
      const listener: Listener = { ...opened, subscriptions: undefined, finish };
      this.#listeners.set(call, listener);
      // The client may have gone while guards were asked: then nothing else ends what it opened.
      if (call.isAborted) return this.#finish(listener);
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

  /** Ends the subscription that a request opened. @returns whether there was one. */
  end(call: EngineCall): boolean {
    const listener = this.#listeners.get(call);
    if (!listener) return false;
    // One page of the specification asks for the notification, another for the result: the client gets both.
    send(call, NOTIFICATIONS.cancelled, { requestId: call.id });
    this.#finish(listener);
    return true;
  }

  #finish(listener: Listener): void {
    const { call, release, finish } = listener;
    if (!this.#listeners.delete(call)) return;
    this.subscribers.removeAll(listener);
    release();
    finish({ result: {}, meta: { [META.subscriptionId]: call.id } });
  }
}

/** Every notification of a subscription names the request that opened it. */
function send(call: EngineCall, method: string, params: object = {}): void {
  call.notify(method, { _meta: { [META.subscriptionId]: call.id }, ...params });
}
