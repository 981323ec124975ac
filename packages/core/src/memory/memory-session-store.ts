import type { SessionPage, SessionStore, StoredSession } from '../backend/backend.js';
import { OptionChecks } from '../transport/option-checks.js';
import { quotaExceeded, Quota } from '../transport/quota.js';

/** Limits of a `MemorySessionStore`. */
export interface MemorySessionStoreOptions {
  /**
   * Maximum number of sessions; further sessions are refused.
   * @default 100,000
   */
  readonly maxSessions?: number;
  /**
   * Maximum number of sessions of one client; further sessions of the client are refused.
   * @default a quarter of maxSessions
   */
  readonly maxSessionsPerClient?: number;
}

interface KeptSession {
  readonly json: string;
  readonly version: number;
  readonly client: string | undefined;
  readonly expiresAt: number;
}

/**
 * Keeps sessions in the memory of this process. Several apps in the process can share the store to serve the same
 * clients. A single app needs no session store.
 *
 * @example
 * ```ts
 * const store = new MemorySessionStore({ maxSessions: 1_000 });
 * await first.run(http({ port: 3001, sessions: { store } }));
 * await second.run(http({ port: 3002, sessions: { store } }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export class MemorySessionStore implements SessionStore {
  /** The sessions by id, in the order of their last use. */
  readonly #sessions = new Map<string, KeptSession>();
  readonly #quota: Quota;

  /**
   * @param options how many sessions are stored.
   * @throws DefinitionError if a limit is not a positive integer.
   */
  constructor(options: MemorySessionStoreOptions = {}) {
    OptionChecks.limits('MemorySessionStore', options, { maxSessions: true, maxSessionsPerClient: true });
    const { maxSessions = 100_000, maxSessionsPerClient = Math.ceil(maxSessions / 4) } = options;
    this.#quota = new Quota(maxSessions, maxSessionsPerClient);
  }

  /** The number of stored sessions. */
  get size(): number {
    this.#forgetExpired();
    return this.#sessions.size;
  }

  create(session: StoredSession, idleMs: number): void {
    this.#forgetExpired();
    if (!this.#quota.take(session.client)) {
      const { total, perClient } = this.#quota;
      throw quotaExceeded('sessions are kept', total, perClient);
    }
    this.#keep(session, idleMs);
  }

  use(id: string, idleMs: number, knownVersion?: number): StoredSession | 'unchanged' | undefined {
    const kept = this.#live(id);
    if (!kept) return undefined;
    // Put last again: the order is that of their use.
    this.#sessions.delete(id);
    this.#sessions.set(id, { ...kept, expiresAt: Date.now() + idleMs });
    return kept.version === knownVersion ? 'unchanged' : (JSON.parse(kept.json) as StoredSession);
  }

  replace(session: StoredSession, idleMs: number): boolean {
    if (this.#live(session.id)?.version !== session.version - 1) return false;
    this.#sessions.delete(session.id);
    this.#keep(session, idleMs);
    return true;
  }

  delete(id: string): boolean {
    const kept = this.#live(id);
    if (kept) this.#forget(id, kept);
    return kept !== undefined;
  }

  list(limit: number, cursor = ''): SessionPage {
    this.#forgetExpired();
    // By id: the order of their use changes between two pages.
    const ids = [...this.#sessions.keys()].filter((id) => id > cursor).sort();
    const page = ids.slice(0, limit);
    const sessions = page.flatMap((id) => {
      const kept = this.#live(id);
      return kept ? [{ ...(JSON.parse(kept.json) as StoredSession), expiresAt: kept.expiresAt }] : [];
    });
    return ids.length > limit ? { sessions, cursor: page.at(-1) } : { sessions };
  }

  #keep(session: StoredSession, idleMs: number): void {
    const { id, version, client } = session;
    const expiresAt = Date.now() + idleMs;
    // Text is a copy that cannot be changed.
    this.#sessions.set(id, { json: JSON.stringify(session), version, client, expiresAt });
  }

  #live(id: string): KeptSession | undefined {
    const kept = this.#sessions.get(id);
    if (!kept || kept.expiresAt > Date.now()) return kept;
    this.#forget(id, kept);
    return undefined;
  }

  /** Removes expired sessions. They are ordered by use, so few others are checked. */
  #forgetExpired(): void {
    const now = Date.now();
    for (const [id, kept] of this.#sessions) {
      if (kept.expiresAt > now) return;
      this.#forget(id, kept);
    }
  }

  #forget(id: string, { client }: KeptSession): void {
    this.#sessions.delete(id);
    this.#quota.give(client);
  }
}
