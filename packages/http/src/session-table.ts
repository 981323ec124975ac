import { HttpSession, type SessionParts } from './session.js';

/** The sessions of one endpoint, longest idle first. They expire, and there is a cap. */
export class SessionTable {
  // A Map keeps insertion order: a session is put last again whenever it is used.
  readonly #sessions = new Map<string, HttpSession>();
  #sweep: ReturnType<typeof setInterval> | undefined;

  readonly #idleMs: number;
  readonly #max: number;

  constructor(private readonly parts: SessionParts) {
    this.#idleMs = parts.options.sessionIdleMs;
    this.#max = parts.options.maxSessions;
  }

  /**
   * Makes a session that nobody can find yet: it is kept once its client has been let in.
   *
   * @param owner the id of the principal that opens it; absent where nobody is authenticated.
   */
  create(owner: string | undefined): HttpSession {
    return new HttpSession(crypto.randomUUID(), owner, this.parts, Date.now());
  }

  /** Keeps a session, at the cost of the longest idle one when there are too many. */
  keep(session: HttpSession): void {
    if (this.#sessions.size >= this.#max) this.#evict();
    this.#sessions.set(session.id, session);
    if (this.#sweep !== undefined) return;
    this.#sweep = setInterval(() => this.#expire(Date.now()), Math.min(this.#idleMs, 30_000));
    (this.#sweep as { unref?(): void }).unref?.();
  }

  /**
   * Finds a session and counts that as use.
   *
   * @param principal the id of whoever asks: the sessions of others are unknown to them.
   */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (!session || session.owner !== principal) return undefined;
    session.lastUsed = Date.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Ends a session: what is in flight is cancelled, and its id is unknown from now on. */
  end(session: HttpSession, reason: string): void {
    this.#sessions.delete(session.id);
    session.close(reason);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  /** Lets requests in flight finish, then ends every session. @param graceMs how long they may take. */
  async drain(graceMs: number): Promise<void> {
    const sessions = [...this.#sessions.values()];
    await Promise.all(sessions.map((session) => session.peer.drain(graceMs)));
    for (const session of sessions) this.end(session, 'The server is closing');
  }

  #expire(now: number): void {
    for (const session of this.#sessions.values()) {
      // Sessions behind this one were used later.
      if (now - session.lastUsed < this.#idleMs) return;
      if (!session.busy) this.end(session, 'The session was idle for too long');
    }
  }

  #evict(): void {
    const idle =
      [...this.#sessions.values()].find((session) => !session.busy) ?? this.#sessions.values().next().value;
    if (idle) this.end(idle, 'Too many sessions');
  }
}
