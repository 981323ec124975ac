import { isObject } from '@sigil/core/internal';
import type { ProtocolVersion } from '@sigil/core/protocol';
import { META, METHODS, REVISION_FEATURES } from '@sigil/core/transport';
import type { Caller } from './caller.js';
import type { ReceivedNotification, NotificationLog } from './notification-log.js';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** The notifications to request on a subscription stream (revision 2026-07-28, basic/patterns/subscriptions). */
export interface ListenFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** URIs of resources. */
  readonly resourceSubscriptions?: readonly string[];
}

/** An open subscription stream. The notifications that arrive on it are added to `notifications` of the client. */
export interface Subscription {
  /** The id of the subscription, which every notification on this stream contains. */
  readonly id: string | number;
  /** The notifications that the server agreed to send. */
  readonly agreed: ListenFilter;
  /**
   * Resolves when the server ends the stream with a result. Rejects when it ends with an error, or when the connection
   * is closed.
   */
  readonly ended: Promise<void>;
  /** Whether a notification arrived on this stream. */
  isFrom(notification: ReceivedNotification): boolean;
  /** Ends the stream. */
  stop(): void;
}

/** The parts of a client that are needed to open a subscription stream. */
export interface ListenParts {
  readonly caller: Caller;
  readonly log: NotificationLog;
  /** How long to wait for the server's acknowledgement, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Opens a subscription stream and waits until the server has acknowledged it.
 *
 * @throws ProtocolError when the server refuses the subscription.
 * @throws Error when the server does not acknowledge the subscription in time.
 */
export async function listen(parts: ListenParts, notifications: ListenFilter): Promise<Subscription> {
  const { caller, log, timeoutMs } = parts;
  const stopped = new AbortController();
  const options = { timeoutMs: Infinity, signal: stopped.signal };
  const { id, result } = caller.start(METHODS.listen, { notifications }, options);
  const isFrom = ({ params }: ReceivedNotification): boolean =>
    isObject(params['_meta']) && params['_meta'][META.subscriptionId] === id;
  const ended = result.then(() => undefined);
  const over = new AbortController();
  ended.then(
    () => over.abort(new Error('The server ended the subscription without acknowledging it')),
    (error: unknown) => over.abort(error),
  );
  try {
    const { params } = await log.next(ACKNOWLEDGED, isFrom, { timeoutMs, signal: over.signal });
    return { id, agreed: params['notifications'] ?? {}, ended, isFrom, stop };
  } catch (error) {
    stop();
    throw error;
  }

  function stop(): void {
    // A caller that stops a stream needs no error about its end.
    ended.catch(() => undefined);
    stopped.abort(new Error('The client stopped listening'));
  }
}

/** A client's subscriptions to resources: in the session, or on subscription streams in revisions without sessions. */
export class Subscriptions {
  readonly #streams = new Map<string, Subscription>();

  constructor(
    private readonly revision: ProtocolVersion,
    private readonly caller: Caller,
    private readonly listen: (filter: ListenFilter) => Promise<Subscription>,
  ) {}

  /** Subscribes to a resource, unless a subscription stream for the resource is already open. */
  async add(uri: string): Promise<void> {
    if (REVISION_FEATURES[this.revision].sessions)
      return void (await this.caller.call(METHODS.subscribe, { uri }));
    if (this.#streams.has(uri)) return;
    const stream = await this.listen({ resourceSubscriptions: [uri] });
    // A stream that the server breaks off is not a failure of the test.
    stream.ended.catch(() => undefined);
    this.#streams.set(uri, stream);
  }

  /** Unsubscribes from a resource. */
  async remove(uri: string): Promise<void> {
    if (REVISION_FEATURES[this.revision].sessions)
      return void (await this.caller.call(METHODS.unsubscribe, { uri }));
    this.#streams.get(uri)?.stop();
    this.#streams.delete(uri);
  }
}
