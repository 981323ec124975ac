import type { Logger } from '../../protocol/logging.js';
import { isPromise, type MaybePromise } from '../../protocol/maybe-promise.js';
import type { ChangeBus, ServerChange } from './change-bus.js';
import { readChange } from './read-change.js';

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
