import { OverloadedError } from '../errors/errors.js';

/**
 * A number of places, or of bytes, that clients share: none may have more than its part, and all together no more than there are.
 *
 * @example
 * ```ts
 * const places = new Quota(100, 5);
 * if (!places.take(call.quotaKey)) throw new OverloadedError('There is no room for more');
 * try {
 *   await report.write();
 * } finally {
 *   places.give(call.quotaKey);
 * }
 * ```
 */
export class Quota {
  readonly #byClient = new Map<unknown, number>();
  #taken = 0;

  /**
   * @param total how much there is.
   * @param perClient how much one client may have of it.
   */
  constructor(
    readonly total: number,
    readonly perClient: number = total,
  ) {}

  /** How much is taken. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes some, or nothing when that would be too much.
   *
   * @param client the client; `undefined` if clients are indistinguishable, and only the total has a limit.
   * @returns whether there was room.
   */
  take(client: unknown, amount = 1): boolean {
    if (this.#taken + amount > this.total) return false;
    if (client !== undefined) {
      const own = (this.#byClient.get(client) ?? 0) + amount;
      if (own > this.perClient) return false;
      this.#byClient.set(client, own);
    }
    this.#taken += amount;
    return true;
  }

  /** Releases a client's amount. */
  give(client: unknown, amount = 1): void {
    this.#taken -= amount;
    if (client === undefined) return;
    const own = (this.#byClient.get(client) ?? 0) - amount;
    if (own > 0) this.#byClient.set(client, own);
    else this.#byClient.delete(client);
  }
}

/**
 * The error for an exhausted quota.
 *
 * @param what the things that exceed the quota, such as `sessions are kept`.
 * @param total how many there may be.
 * @param perClient how many of one client.
 * @example
 * ```ts
 * if (!quota.take(client)) throw quotaExceeded('sessions are kept', quota.total, quota.perClient);
 * ```
 */
export function quotaExceeded(what: string, total: number, perClient: number): OverloadedError {
  return new OverloadedError(`More than ${total} ${what}, or ${perClient} of one client`);
}
