import type { StateStore } from '../backend/backend.js';
import { OverloadedError } from '../errors/errors.js';
import { OptionChecks } from '../transport/option-checks.js';
import { Quota } from '../transport/quota.js';

/** How much is remembered. */
export interface MemoryStateStoreOptions {
  /**
   * Most ids that have not expired; beyond them every request that brings a state back fails.
   * @default 100,000
   */
  readonly maxStates?: number;
  /**
   * Most of them of one client; beyond them its own requests fail.
   * @default a quarter of maxStates
   */
  readonly maxStatesPerClient?: number;
}

interface UsedState {
  readonly expiresAt: number;
  readonly client: string | undefined;
}

/**
 * Remembers used states in this process, and forgets them when they expire.
 *
 * @example
 * ```ts
 * const store = new MemoryStateStore({ maxStates: 10_000 });
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { store } });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class MemoryStateStore implements StateStore {
  /** By id, in the order of their use. */
  readonly #used = new Map<string, UsedState>();
  readonly #room: Quota;

  /**
   * @param options how much is kept.
   * @throws DefinitionError when a limit is no positive integer.
   */
  constructor(options: MemoryStateStoreOptions = {}) {
    OptionChecks.limits('MemoryStateStore', options, ['maxStates', 'maxStatesPerClient']);
    const { maxStates = 100_000, maxStatesPerClient = Math.ceil(maxStates / 4) } = options;
    this.#room = new Quota(maxStates, maxStatesPerClient);
  }

  /** Ids that are remembered. */
  get size(): number {
    return this.#used.size;
  }

  /** @throws OverloadedError when there is no room: to forget an id would be to accept its state again. */
  use(id: string, forMs: number, client?: string): boolean {
    const expiresAt = Date.now() + forMs;
    this.#forgetOldest();
    if (this.#used.has(id)) return false;
    if (this.#room.taken >= this.#room.total) this.#forgetExpired();
    if (!this.#room.take(client)) {
      const { total, perClient } = this.#room;
      throw new OverloadedError(`More than ${total} states are in use, or ${perClient} of one client`);
    }
    this.#used.set(id, { expiresAt, client });
    return true;
  }

  /** Most states expire in the order of their use, so this finds nearly all that have, and looks at no others. */
  #forgetOldest(): void {
    const now = Date.now();
    for (const [id, used] of this.#used) {
      if (used.expiresAt > now) return;
      this.#forget(id, used);
    }
  }

  #forgetExpired(): void {
    const now = Date.now();
    for (const [id, used] of this.#used) if (used.expiresAt <= now) this.#forget(id, used);
  }

  #forget(id: string, { client }: UsedState): void {
    this.#used.delete(id);
    this.#room.give(client);
  }
}
