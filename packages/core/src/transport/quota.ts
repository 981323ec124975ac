import { OverloadedError } from '../errors/errors.js';

/**
 * A number of places or bytes that clients share. Each client may take only its part, and all clients together only the total.
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
   * @param total how much all clients may take together.
   * @param perClient how much one client may take.
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
   * Takes an amount, or nothing if the amount would exceed a limit.
   *
   * @param client the client; `undefined` if clients are indistinguishable, so that only the total is limited.
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
 * @param total how many are allowed in total.
 * @param perClient how many are allowed for one client.
 * @example
 * ```ts
 * if (!quota.take(client)) throw quotaExceeded('sessions are kept', quota.total, quota.perClient);
 * ```
 */
export function quotaExceeded(what: string, total: number, perClient: number): OverloadedError {
  return new OverloadedError(`More than ${total} ${what}, or ${perClient} of one client`);
}
