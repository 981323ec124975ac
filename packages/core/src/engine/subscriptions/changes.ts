import { isObject } from '../../protocol/json.js';
import type { Logger } from '../../protocol/logging.js';
import { isPromise, type MaybePromise } from '../../protocol/maybe-promise.js';
import { NOTIFICATIONS } from '../../protocol/protocol.js';
import type { ListKind } from '../../registry/registry.js';

/** Something that changed and that clients may want to hear of. JSON can carry it. */
export type ServerChange =
  /** A list has other entries than before. */
  | { readonly kind: 'list'; readonly list: ListKind }
  /** A resource has other contents than before. */
  | { readonly kind: 'resource'; readonly uri: string }
  /** A task has another state than before. */
  | { readonly kind: 'task'; readonly taskId: string };

/**
 * Carries changes between the processes that serve one app, so that a change in one reaches the clients of all. Changes may
 * come twice or out of order; none needs to be kept for a process that was not there.
 */
export interface ChangeBus {
  /** Tells every listener of every process, those of this one too. A failure is logged, and reaches no handler. */
  publish(change: ServerChange): MaybePromise<void>;
  /**
   * Listens to changes, from the moment that the promise, if there is one, is kept. Listeners do not throw.
   *
   * @returns a function that stops the listening.
   */
  subscribe(listener: (change: ServerChange) => void): MaybePromise<() => MaybePromise<void>>;
}

/**
 * Carries changes within this process, at once. Apps that share one hear of each other's changes.
 *
 * @example
 * ```ts
 * const changeBus = new MemoryChangeBus();
 * const shop = await createApp({ name: 'shop', version: '1.0.0', changeBus });
 * const stock = await createApp({ name: 'stock', version: '1.0.0', changeBus });
 * ```
 */
export class MemoryChangeBus implements ChangeBus {
  readonly #listeners = new Set<{ readonly tell: (change: ServerChange) => void }>();

  publish(change: ServerChange): void {
    for (const { tell } of [...this.#listeners]) tell(change);
  }

  subscribe(tell: (change: ServerChange) => void): () => void {
    // Held in an object of its own, so that a function that listens twice is told twice.
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/**
 * What one app hears and says of changes. Changes of its own take the way over the bus like all others; while the bus fails, its
 * own clients are told all the same.
 */
export class ChangeFeed {
  readonly #listeners = new Set<(change: ServerChange) => void>();
  #unsubscribe: (() => MaybePromise<void>) | undefined;
  #closed = false;

  constructor(
    private readonly bus: ChangeBus,
    private readonly logger: Logger,
  ) {}

  /** Begins to hear what comes over the bus. */
  async open(): Promise<void> {
    try {
      this.#unsubscribe = await this.bus.subscribe((change) => this.#receive(change));
    } catch (error) {
      this.logger.error(
        { err: error },
        'the change bus cannot be heard; changes elsewhere stay unknown here',
      );
    }
  }

  /** Tells everybody who serves this app. Never throws. */
  publish(change: ServerChange): void {
    if (this.#closed) return;
    // Without a subscription nothing comes back from the bus.
    if (!this.#unsubscribe) this.#tell(change);
    try {
      const published = this.bus.publish(change);
      if (isPromise(published))
        Promise.resolve(published).catch((error: unknown) => this.#unpublished(change, error));
    } catch (error) {
      this.#unpublished(change, error);
    }
  }

  /** Hears every change that arrives, of whatever process. */
  onChange(listener: (change: ServerChange) => void): void {
    this.#listeners.add(listener);
  }

  /** Stops hearing and saying anything. */
  async close(): Promise<void> {
    this.#closed = true;
    try {
      await this.#unsubscribe?.();
    } catch (error) {
      this.logger.error({ err: error }, 'the subscription to the change bus did not end cleanly');
    }
  }

  #unpublished(change: ServerChange, error: unknown): void {
    this.logger.error(
      { err: error, change },
      'a change could not be published; it is told in this process only',
    );
    if (this.#unsubscribe) this.#tell(change);
  }

  #receive(arrived: unknown): void {
    const change = readChange(arrived);
    if (change) this.#tell(change);
    else if (!this.#closed)
      this.logger.warn({ change: arrived }, 'a change from the bus is unknown here and ignored');
  }

  #tell(change: ServerChange): void {
    if (this.#closed) return;
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.logger.error({ err: error, change }, 'a listener to changes failed');
      }
    }
  }
}

/**
 * Reads what came over a bus. Another process may be of another version, so anything may come.
 *
 * @returns a change with its own members and no others; `undefined` when it is none that is known.
 */
function readChange(value: unknown): ServerChange | undefined {
  if (!isObject(value)) return undefined;
  const { kind, list, uri, taskId } = value;
  if (kind === 'list' && isList(list)) return { kind, list };
  if (kind === 'resource' && typeof uri === 'string') return { kind, uri };
  if (kind === 'task' && typeof taskId === 'string') return { kind, taskId };
  return undefined;
}

function isList(value: unknown): value is ListKind {
  return typeof value === 'string' && Object.hasOwn(LIST_CHANGED, value);
}

/** The notification that says that a list has changed. */
export const LIST_CHANGED: Readonly<Record<ListKind, string>> = {
  tools: NOTIFICATIONS.toolsListChanged,
  prompts: NOTIFICATIONS.promptsListChanged,
  resources: NOTIFICATIONS.resourcesListChanged,
};

/** What lists there are. */
export const LISTS: readonly ListKind[] = ['tools', 'prompts', 'resources'];
