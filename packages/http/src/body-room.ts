import type { Quota } from '@sigil/core/transport';

/** What of each body needs no room: small ones are taken when there is none, and cost nothing. */
export const FREE_BODY_BYTES: number = 16 * 1024;

/** The room one body takes up while it arrives. */
export class BodyRoom {
  readonly #quotaKey: string | undefined;
  #taken = 0;

  /**
   * @param room how much all bodies together may have.
   * @param http the exchange whose client it counts for.
   */
  constructor(
    private readonly room: Quota,
    http: { readonly quotaKey: string | undefined },
  ) {
    // Read once: an address is not known any more when its connection has closed.
    this.#quotaKey = http.quotaKey;
  }

  /** Takes what a body needs by now. @param length that of the body so far, in bytes. @returns whether there is as much. */
  grow(length: number): boolean {
    const more = length - FREE_BODY_BYTES - this.#taken;
    if (!this.room.take(this.#quotaKey, more)) return false;
    this.#taken += more;
    return true;
  }

  /** Gives it back. */
  free(): void {
    this.room.give(this.#quotaKey, this.#taken);
    this.#taken = 0;
  }
}
