import type { ClientView } from '../../context/call.js';
import { invalidParams, OverloadedError } from '../../errors/errors.js';
import { bytesOf } from '../../protocol/json.js';
import type { Logger } from '../../protocol/logging.js';
import { recovered } from '../../protocol/maybe-promise.js';
import { META, NOTIFICATIONS } from '../../protocol/protocol.js';
import type { ListKind } from '../../backend/change-bus.js';
import { Quota } from '../../transport/quota.js';
import type { AdmittedRequest, EngineCall } from '../engine-call.js';
import type { CallEvent, Observer } from '../observers.js';
import type { Limits } from '../engine-options.js';
import type { Session } from '../connection-state.js';
import type { MethodResult } from '../response.js';
import { LIST_CHANGED } from './changes.js';

/** Events that an app reports about its clients. */
export interface AppEvents {
  /**
   * A resource now has its first subscription in this process. The app can start to watch the source of the resource.
   */
  subscribed: [uri: string];
  /**
   * The last subscription to a resource in this process has ended. The app can stop watching the source of the
   * resource.
   */
  unsubscribed: [uri: string];
  /** The roots of a client have changed; `ctx.roots()` returns the new roots. */
  rootsChanged: [client: ClientView];
  /**
   * A request was answered, refused or cancelled, or the handler of a task has ended. The event is created only if it
   * has a listener.
   */
  call: [event: CallEvent];
}

type EventListener<K extends keyof AppEvents> = (...details: AppEvents[K]) => void;

/** Notifies listeners of the events in `AppEvents`. */
export class Events {
  readonly #listeners = new Map<keyof AppEvents, Set<EventListener<never>>>();

  constructor(private readonly logger: Logger) {}

  /** Adds a listener to an event. @returns a function that removes the listener. */
  on<K extends keyof AppEvents>(event: K, listener: EventListener<K>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** An observer that reports each call to the listeners of the event `call`. */
  get callObserver(): Observer {
    const isHeard = (): boolean => (this.#listeners.get('call')?.size ?? 0) > 0;
    const ended = (event: CallEvent): void => this.emit('call', event);
    return {
      get isActive() {
        return isHeard();
      },
      callStarted: () => ({ ended }),
      callRefused: ended,
    };
  }

  /**
   * Calls every listener. The error of a listener that throws or rejects is logged; the other listeners are still
   * called.
   */
  emit<K extends keyof AppEvents>(event: K, ...details: AppEvents[K]): void {
    const failed = (error: unknown): void => this.logger.error({ err: error, event }, 'a listener failed');
    for (const listener of this.#listeners.get(event) ?? [])
      void recovered(() => (listener as EventListener<K>)(...details), failed);
  }
}

/**
 * Maximum length of a URI to subscribe to, because a subscription is kept as long as its client wants. Longer URIs can
 * still be read.
 */
const MAX_URI_LENGTH = 2048;
/** Maximum length of all URIs in one request, because each template is matched with each URI. */
const MAX_URI_CHARACTERS = 256 * 1024;

/**
 * Returns how many bytes of its request a subscription keeps. Guards need the headers when they run again.
 */
function sizeOf({ params, requestInfo }: Pick<AdmittedRequest, 'params' | 'requestInfo'>): number {
  let characters = 0;
  for (const [name, value = ''] of Object.entries(requestInfo.headers ?? {}))
    characters += name.length + (typeof value === 'string' ? value : value.join('')).length;
  return bytesOf(params) + 2 * characters;
}

/** A subscriber to resources: a session, or an open subscription. */
interface Subscriber {
  subscriptions: Set<string> | undefined;
}

/** The subscribers of each resource. */
export class Subscribers {
  readonly #counts = new Map<string, number>();
  readonly #sessions = new Map<Session, AdmittedRequest>();
  readonly #bytes: Quota;
  readonly #maxUris: number;

  constructor(
    private readonly events: Events,
    { maxSubscribedUris, maxSubscribedBytes }: Limits,
  ) {
    this.#maxUris = maxSubscribedUris;
    this.#bytes = new Quota(maxSubscribedBytes, Math.ceil(maxSubscribedBytes / 4));
  }

  /** The URIs of all resources with subscriptions of this process's clients. */
  get uris(): Iterable<string> {
    return [...this.#counts.keys()];
  }

  /**
   * The sessions that have subscribed to resources. The value for each session is its latest request for a
   * subscription.
   */
  get sessions(): ReadonlyMap<Session, AdmittedRequest> {
    return this.#sessions;
  }

  /**
   * Reserves memory for a subscription.
   *
   * @throws OverloadedError if this client, or all clients together, would exceed the memory limit.
   */
  reserve(client: unknown, bytes: number): void {
    const { total, perClient } = this.#bytes;
    if (this.#bytes.take(client, bytes)) return;
    throw new OverloadedError(
      `Subscriptions have reached a memory limit: ${total} bytes for all clients, or ${perClient} bytes for one client`,
    );
  }

  /** Releases the memory of a subscription. */
  release(client: unknown, bytes: number): void {
    this.#bytes.give(client, bytes);
  }

  /**
   * Adds a URI to the subscriptions of a session. A repeated subscription counts once.
   *
   * @param request the subscribing request, which guards need when they run again.
   * @throws ProtocolError (-32602) if the session already has the maximum number of URIs, or if the URI is
   * too long.
   * @throws OverloadedError if this client, or all clients together, would exceed the memory limit.
   */
  keep(session: Session, uri: string, request: AdmittedRequest): void {
    const { subscriptions, quotaKey } = session;
    const isNew = subscriptions?.has(uri) !== true;
    if (isNew) this.check((subscriptions?.size ?? 0) + 1, uri);
    const known = this.#sessions.get(session);
    this.reserve(quotaKey, sizeOf(request) - (known ? sizeOf(known) : 0) + (isNew ? bytesOf(uri) : 0));
    this.add(session, uri);
    this.#sessions.set(session, request);
  }

  /** Removes a URI from the subscriptions of a session. @returns whether the session was subscribed to the URI. */
  drop(session: Session, uri: string): boolean {
    if (!this.remove(session, uri)) return false;
    this.release(session.quotaKey, bytesOf(uri));
    const request = this.#sessions.get(session);
    if (!request || session.subscriptions?.size !== 0) return true;
    this.#sessions.delete(session);
    this.release(session.quotaKey, sizeOf(request));
    return true;
  }

  /** Removes all subscriptions of a session that has ended. */
  dropAll(session: Session): void {
    for (const uri of [...(session.subscriptions ?? [])]) this.drop(session, uri);
  }

  /** Adds a subscriber to a URI. Call `reserve` first, because this method does not reserve the memory. */
  add(subscriber: Subscriber, uri: string): void {
    const uris = (subscriber.subscriptions ??= new Set());
    if (uris.has(uri)) return;
    uris.add(uri);
    const count = (this.#counts.get(uri) ?? 0) + 1;
    this.#counts.set(uri, count);
    if (count === 1) this.events.emit('subscribed', uri);
  }

  /**
   * Checks the number and the length of a subscriber's URIs.
   *
   * @throws ProtocolError (-32602) if there are too many URIs, or if one URI, or all URIs together, are too long.
   */
  check(count: number, ...uris: readonly string[]): void {
    if (count > this.#maxUris) throw invalidParams(`More than ${this.#maxUris} resources are subscribed to`);
    if (uris.some((uri) => uri.length > MAX_URI_LENGTH))
      throw invalidParams(`A URI is longer than ${MAX_URI_LENGTH} characters`);
    const characters = uris.reduce((sum, uri) => sum + uri.length, 0);
    if (characters > MAX_URI_CHARACTERS)
      throw invalidParams(
        `The URIs have more than ${MAX_URI_CHARACTERS} characters together: open several subscriptions`,
      );
  }

  /** Removes a subscriber from a URI. @returns whether the subscriber was subscribed to the URI. */
  remove(subscriber: Subscriber, uri: string): boolean {
    if (!subscriber.subscriptions?.delete(uri)) return false;
    const count = (this.#counts.get(uri) ?? 1) - 1;
    if (count > 0) {
      this.#counts.set(uri, count);
      return true;
    }
    this.#counts.delete(uri);
    this.events.emit('unsubscribed', uri);
    return true;
  }
}

/** The kinds of notifications that a subscription receives. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
  /** Further members, which extensions define. */
  readonly [member: string]: unknown;
}

/** An open `subscriptions/listen` request. */
export interface Listener {
  readonly call: EngineCall;
  readonly filter: SubscriptionFilter;
  /** Asks the extensions whether the subscription may continue. Called at regular intervals. */
  readonly mayGoOn: (call: EngineCall) => Promise<boolean>;
  /** Stops counting the subscription towards the limits. */
  readonly release: () => void;
  subscriptions: Set<string> | undefined;
  /** Ends the `subscriptions/listen` request with the given result. */
  readonly finish: (result: MethodResult) => void;
}

/** The open `subscriptions/listen` requests (specification 2026-07-28, basic/patterns/subscriptions). */
export class Listeners {
  readonly #listeners = new Map<EngineCall, Listener>();

  readonly #quota: Quota;

  constructor(
    private readonly subscribers: Subscribers,
    { maxSubscriptions, maxSubscriptionsPerClient }: Limits,
  ) {
    this.#quota = new Quota(maxSubscriptions, maxSubscriptionsPerClient);
  }

  /** The open subscriptions. */
  get all(): readonly Listener[] {
    return [...this.#listeners.values()];
  }

  /**
   * Counts a new subscription and the memory of its request towards the limits, until the returned function is called.
   *
   * @returns a function that ends this counting. Call it once, when the subscription ends.
   * @throws OverloadedError if a limit is reached.
   */
  reserve(call: EngineCall): () => void {
    const { total, perClient } = this.#quota;
    const { quotaKey } = call;
    const bytes = sizeOf(call);
    this.subscribers.reserve(quotaKey, bytes);
    if (!this.#quota.take(quotaKey)) {
      this.subscribers.release(quotaKey, bytes);
      throw new OverloadedError(
        `The maximum number of subscriptions is open: ${total} for all clients, or ${perClient} for one client`,
      );
    }
    return () => {
      this.#quota.give(quotaKey);
      this.subscribers.release(quotaKey, bytes);
    };
  }

  /**
   * Opens a subscription: acknowledges it first, then sends matching notifications until either side ends it.
   *
   * @returns a promise of the request's result. The promise is fulfilled when the subscription ends.
   */
  open(opened: Omit<Listener, 'subscriptions' | 'finish'>): Promise<MethodResult> {
    const { call, filter } = opened;
    return new Promise((finish) => {
      const listener: Listener = { ...opened, subscriptions: undefined, finish };
      this.#listeners.set(call, listener);
      // The client may have disconnected while guards ran; then nothing else ends the subscription.
      if (call.isAborted) return this.#finish(listener);
      call.signal.addEventListener('abort', () => this.#finish(listener), { once: true });
      for (const uri of filter.resourceSubscriptions ?? []) this.subscribers.add(listener, uri);
      send(call, NOTIFICATIONS.acknowledged, { notifications: filter });
    });
  }

  /** Notifies the clients of matching subscriptions that a list has changed. */
  listChanged(change: ListKind): void {
    this.notify(LIST_CHANGED[change], {}, (filter) => filter[`${change}ListChanged`] === true);
  }

  /** Notifies the clients of matching subscriptions that a resource has changed. */
  resourceUpdated(uri: string): void {
    for (const { call, subscriptions } of this.#listeners.values()) {
      if (subscriptions?.has(uri)) send(call, NOTIFICATIONS.resourceUpdated, { uri });
    }
  }

  /** Returns whether `wanted` accepts the filter of at least one open subscription. */
  wants(wanted: (filter: SubscriptionFilter) => boolean): boolean {
    return [...this.#listeners.values()].some(({ filter }) => wanted(filter));
  }

  /** Sends a notification to each open subscription, if `wanted` accepts the filter of the subscription. */
  notify(method: string, params: object, wanted: (filter: SubscriptionFilter) => boolean): void {
    for (const { call, filter } of this.#listeners.values()) {
      if (wanted(filter)) send(call, method, params);
    }
  }

  /** Ends the subscription that a request opened. @returns whether the subscription was open. */
  end(call: EngineCall): boolean {
    const listener = this.#listeners.get(call);
    if (!listener) return false;
    // Over stdio, one page of the specification requires the notification, and another the result. The client gets
    // both.
    if (call.owner !== undefined) send(call, NOTIFICATIONS.cancelled, { requestId: call.id });
    this.#finish(listener);
    return true;
  }

  #finish(listener: Listener): void {
    const { call, release, finish } = listener;
    if (!this.#listeners.delete(call)) return;
    for (const uri of [...(listener.subscriptions ?? [])]) this.subscribers.remove(listener, uri);
    release();
    finish({ result: {}, meta: { [META.subscriptionId]: call.id } });
  }
}

/** Sends a notification. It names the request that opened the subscription. */
function send(call: EngineCall, method: string, params: object): void {
  call.notify(method, { _meta: { [META.subscriptionId]: call.id }, ...params });
}
