import type { StateKind, StateStore, StateUse } from '../backend/backend.js';
import { OptionChecks } from '../transport/option-checks.js';
import { quotaExceeded, Quota } from '../transport/quota.js';

/** How much is remembered, counted for each kind separately. */
export interface MemoryStateStoreOptions {
  /**
   * Maximum number of ids that have not expired; beyond it, requests with a state fail.
   * @default 100,000
   */
  readonly maxStates?: number;
  /**
   * The same for one client; beyond it, requests of this client fail.
   * @default a quarter of maxStates
   */
  readonly maxStatesPerClient?: number;
}

interface UsedState {
  readonly expiresAt: number;
  readonly client: string | undefined;
}

/**
 * Remembers used states in this process, and forgets them when they expire. It knows only states that were used after it was created.
 *
 * @example
 * ```ts
 * const store = new MemoryStateStore({ maxStates: 10_000 });
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { store } });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class MemoryStateStore implements StateStore {
  readonly #since = Date.now();
  readonly #kept: Readonly<Record<StateKind, UsedStates>>;

  /**
   * @param options how much is kept.
   * @throws DefinitionError if a limit is not a positive integer.
   */
  constructor(options: MemoryStateStoreOptions = {}) {
    OptionChecks.limits('MemoryStateStore', options, { maxStates: true, maxStatesPerClient: true });
    const { maxStates = 100_000, maxStatesPerClient = Math.ceil(maxStates / 4) } = options;
    const make = (kind: StateKind): UsedStates =>
      new UsedStates(kind, new Quota(maxStates, maxStatesPerClient));
    this.#kept = { states: make('states'), proofs: make('proofs') };
  }

  /** The number of remembered ids. */
  get size(): number {
    return this.#kept.states.size + this.#kept.proofs.size;
  }

  /** @throws OverloadedError if there is no room: a forgotten id could be used again. */
  use(id: string, forMs: number, client?: string, kind: StateKind = 'states', ageMs: number = 0): StateUse {
    const kept = this.#kept[kind];
    if (!kept.has(id) && Date.now() - ageMs < this.#since) return 'forgotten';
    return kept.use(id, forMs, client) ? 'first' : 'used';
  }
}

/** The used ids of one kind. */
class UsedStates {
  /** By id, in the order of their use. */
  readonly #used = new Map<string, UsedState>();
  /** No state expires before. */
  #earliest = Infinity;

  constructor(
    private readonly kind: StateKind,
    private readonly room: Quota,
  ) {}

  get size(): number {
    return this.#used.size;
  }

  has(id: string): boolean {
    return this.#used.has(id);
  }

  use(id: string, forMs: number, client: string | undefined): boolean {
    const expiresAt = Date.now() + forMs;
    this.#forgetOldest();
    if (this.#used.has(id)) return false;
    if (!this.room.take(client) && !(this.#forgetExpired() && this.room.take(client))) {
      const { total, perClient } = this.room;
      throw quotaExceeded(`${this.kind} are in use`, total, perClient);
    }
    this.#used.set(id, { expiresAt, client });
    this.#earliest = Math.min(this.#earliest, expiresAt);
    return true;
  }

  /** Most states expire in the order of their use, so this finds nearly all expired ones without checking others. */
  #forgetOldest(): void {
    const now = Date.now();
    for (const [id, used] of this.#used) {
      if (used.expiresAt > now) return;
      this.#forget(id, used);
    }
  }

  /** Checks all states, if one may have expired. @returns whether it has. */
  #forgetExpired(): boolean {
    const now = Date.now();
    if (now < this.#earliest) return false;
    this.#earliest = Infinity;
    for (const [id, used] of this.#used) {
      if (used.expiresAt <= now) this.#forget(id, used);
      else this.#earliest = Math.min(this.#earliest, used.expiresAt);
    }
    return true;
  }

  #forget(id: string, { client }: UsedState): void {
    this.#used.delete(id);
    this.room.give(client);
  }
}
