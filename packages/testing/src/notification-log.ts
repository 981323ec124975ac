import { afterMs } from '@sigil/core/internal';

/** A notification from a server. */
export interface ReceivedNotification {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Returns whether a notification is the expected one. It is only called with notifications of the expected method. */
export type NotificationPredicate = (notification: ReceivedNotification) => boolean;

/** When to stop waiting. */
export interface WaitLimits {
  /** How long to wait, in milliseconds; `Infinity` for no limit. */
  readonly timeoutMs: number;
  /** Ends the wait early when aborted. The wait then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly wants: NotificationPredicate;
  readonly give: (notification: ReceivedNotification) => void;
  readonly fail: (error: unknown) => void;
}

/** The notifications that a client has received, in order, and the pending waits for notifications. */
export class NotificationLog {
  readonly entries: ReceivedNotification[] = [];
  readonly #given = new Set<ReceivedNotification>();
  readonly #waiters = new Set<Waiter>();
  #closed: Error | undefined;

  /** Adds a notification that has just arrived, and resolves the first pending wait that matches it. */
  add(notification: ReceivedNotification): void {
    this.entries.push(notification);
    for (const waiter of this.#waiters) {
      if (!waiter.wants(notification)) continue;
      this.#given.add(notification);
      return waiter.give(notification);
    }
  }

  /**
   * Returns the first matching notification that no earlier call has returned. If none has arrived yet, waits for one.
   *
   * @throws Error when no such notification arrives in time. When the signal aborts, its reason is thrown.
   */
  next(method: string, predicate: NotificationPredicate, limits: WaitLimits): Promise<ReceivedNotification> {
    const wants: NotificationPredicate = (one) => one.method === method && predicate(one);
    const known = this.entries.find((one) => !this.#given.has(one) && wants(one));
    if (!known) return this.#closed ? Promise.reject(this.#closed) : this.#wait(method, wants, limits);
    this.#given.add(known);
    return Promise.resolve(known);
  }

  /** Rejects all pending waits with an error, because no more notifications will arrive. */
  close(error: Error): void {
    this.#closed = error;
    for (const waiter of this.#waiters) waiter.fail(error);
  }

  #wait(
    method: string,
    wants: NotificationPredicate,
    { timeoutMs, signal }: WaitLimits,
  ): Promise<ReceivedNotification> {
    return new Promise((resolve, reject) => {
      const callOff = afterMs(timeoutMs, () => waiter.fail(this.#nothingCame(method, timeoutMs)));
      const abort = (): void => waiter.fail(signal?.reason);
      const end = (): void => {
        callOff();
        signal?.removeEventListener('abort', abort);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        wants,
        give: (notification) => (end(), resolve(notification)),
        fail: (error) => (end(), reject(error as Error)),
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
    });
  }

  #nothingCame(method: string, timeoutMs: number): Error {
    const methods = this.entries.map((one) => one.method).join(', ') || 'none';
    return new Error(`No ${method} came within ${timeoutMs} ms; notifications received so far: ${methods}`);
  }
}
