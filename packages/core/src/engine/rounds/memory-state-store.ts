import type { StateStore } from './state-store.js';

/** How much is remembered. */
export interface StateLimits {
  /** Most ids that have not expired. 100,000 unless given; beyond them every request that brings a state back fails. */
  readonly maxStates?: number;
}

/** Remembers used states in this process, and forgets them when they expire. */
export class MemoryStateStore implements StateStore {
  /** When each id expires, in the order of their use. */
  readonly #expiries = new Map<string, number>();
  readonly #maxStates: number;

  /** @throws RangeError when the limit is no positive integer. */
  constructor({ maxStates = 100_000 }: StateLimits = {}) {
    if (!(Number.isSafeInteger(maxStates) && maxStates > 0))
      throw new RangeError(`maxStates must be a positive integer, not ${maxStates}`);
    this.#maxStates = maxStates;
  }

  /** Ids that are remembered. */
  get size(): number {
    return this.#expiries.size;
  }

  /** @throws RangeError when there is no room: to forget an id would be to accept its state again. */
  use(id: string, expiresAt: number): boolean {
    this.#forgetOldest();
    if (this.#expiries.has(id)) return false;
    if (this.#expiries.size >= this.#maxStates) this.#forgetExpired();
    if (this.#expiries.size >= this.#maxStates)
      throw new RangeError(`More than ${this.#maxStates} states are in use`);
    this.#expiries.set(id, expiresAt);
    return true;
  }

  /** Most states expire in the order of their use, so this finds nearly all that have, and looks at no others. */
  #forgetOldest(): void {
    const now = Date.now();
    for (const [id, expiresAt] of this.#expiries) {
      if (expiresAt > now) return;
      this.#expiries.delete(id);
    }
  }

  #forgetExpired(): void {
    const now = Date.now();
    for (const [id, expiresAt] of this.#expiries) if (expiresAt <= now) this.#expiries.delete(id);
  }
}
