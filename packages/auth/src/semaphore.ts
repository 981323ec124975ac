import { OverloadedError } from '@sigil/core/backend';
import { Quota } from '@sigil/core/extension';
import { Deadlines } from '@sigil/core/internal';

/** The limits on the callers of a semaphore. */
export interface SemaphoreLimits {
  /** Maximum number of callers that run at the same time. */
  readonly running: number;
  /** Maximum number of callers that run or wait. */
  readonly total: number;
  /** Maximum number of callers that run or wait, counted separately for each client. */
  readonly perClient: number;
  /** Maximum time that a caller waits, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Limits how many callers run at the same time. Further callers wait in order of arrival. If too many wait, new callers
 * are refused.
 */
export class Semaphore {
  readonly #quota: Quota;
  readonly #waits: Deadlines;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor({ running, total, perClient, waitMs }: SemaphoreLimits) {
    this.#free = running;
    this.#quota = new Quota(total, perClient);
    this.#waits = new Deadlines(waitMs);
  }

  /**
   * Runs `work` as soon as the limits allow it.
   *
   * @param client the text that identifies the client in quotas; `undefined` if clients cannot be distinguished.
   * @throws OverloadedError when too many callers are already waiting, or when this caller has waited for `waitMs`.
   */
  async run<T>(client: string | undefined, work: () => Promise<T>): Promise<T> {
    if (!this.#quota.take(client)) throw new OverloadedError('Too many tokens are being looked up');
    try {
      await this.#turn();
      try {
        return await work();
      } finally {
        this.#pass();
      }
    } finally {
      this.#quota.give(client);
    }
  }

  #turn(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        this.#waits.delete(deadline);
        resolve();
      };
      const deadline = this.#waits.add(() => {
        this.#waiting.delete(start);
        reject(new OverloadedError('The authorization server takes too long to check tokens'));
      });
      this.#waiting.add(start);
    });
  }

  /** Lets the next caller run. */
  #pass(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
