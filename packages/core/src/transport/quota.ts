import { OverloadedError } from '../errors/errors.js';

/**
 * A limited number of units, such as sessions or bytes, that all clients share. All clients together can reserve at
 * most `total` units at the same time, and one client at most `perClient`.
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
   * @param total how many units all clients together can reserve.
   * @param perClient how many units one client can reserve.
   */
  constructor(
    readonly total: number,
    readonly perClient: number = total,
  ) {}

  /** The amount that all clients together have reserved. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Reserves an amount for a client. If the amount would exceed a limit, nothing is reserved.
   *
   * @param client the client; `undefined` if clients are indistinguishable, so that only the total is limited.
   * @returns whether the amount was reserved.
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

  /** Releases an amount that a client has reserved. */
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
 * @param what the end of the message `More than 100 …`, such as `sessions are kept`.
 * @param total how many are allowed in total.
 * @param perClient how many are allowed for one client.
 * @example
 * ```ts
 * if (!quota.take(client)) throw quotaExceeded('sessions are kept', quota.total, quota.perClient);
 * ```
 */
export function quotaExceeded(what: string, total: number, perClient: number): OverloadedError {
  return new OverloadedError(`More than ${total} ${what}, or more than ${perClient} for one client`);
}
