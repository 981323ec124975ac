import type { StateKind, StateStore, StateUse } from '../backend/backend.js';
import { OptionChecks } from '../transport/option-checks.js';
import { quotaExceeded, Quota } from '../transport/quota.js';

/**
 * Limits of a `MemoryStateStore`. Each limit counts the ids of request states (`states`) and the ids of proofs of
 * possession (`proofs`) separately.
 */
export interface MemoryStateStoreOptions {
  /**
   * Maximum number of used ids that the store remembers at the same time. States and proofs have separate limits. When
   * one is reached, requests with a new state (or proof) are refused until a remembered id expires.
   * @default 100,000
   */
  readonly maxStates?: number;
  /**
   * Maximum number of used ids that the store remembers at the same time for one client. When it is reached, the
   * client's requests with a new state or proof are refused until a remembered id of this client expires.
   * @default a quarter of maxStates
   */
  readonly maxStatesPerClient?: number;
}

interface UsedState {
  readonly expiresAt: number;
  readonly client: string | undefined;
}

/**
 * A state store in the memory of this process: it remembers the ids of used request states until they expire. States
 * that are older than the store are refused, because the store cannot know whether they were used.
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
   * @param options how many ids are stored.
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

  /**
   * Marks an id as used.
   *
   * @throws OverloadedError if the maximum number of ids is stored. No id is removed early, because a removed id could
   *   be used again.
   */
  use(id: string, forMs: number, client?: string, kind: StateKind = 'states', ageMs: number = 0): StateUse {
    const kept = this.#kept[kind];
    if (!kept.has(id) && Date.now() - ageMs < this.#since) return 'forgotten';
    return kept.use(id, forMs, client) ? 'first' : 'used';
  }
}

/** The used ids of one kind. */
class UsedStates {
  /** The used ids, in the order of their use. */
  readonly #used = new Map<string, UsedState>();
  /** No stored id expires before this time. */
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

  /** Removes expired ids. Most ids expire in the order of their use, so few others are checked. */
  #forgetOldest(): void {
    const now = Date.now();
    for (const [id, used] of this.#used) {
      if (used.expiresAt > now) return;
      this.#forget(id, used);
    }
  }

  /** Removes all expired ids, if there may be any. @returns whether there were any. */
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
