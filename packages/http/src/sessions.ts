import {
  type Deadline,
  ERROR_CODES,
  type Sink,
  type Connection,
  type RequestId,
} from '@sigil/core/transport';
import { type OverloadRefusal, refuse } from './answers.js';
import type { HttpExchange } from './http-exchange.js';
import type { HandlerParts } from './parts.js';
import { NEEDS_ENVELOPE, refusesVersion } from './requests.js';
import { SessionStreams } from './session-streams.js';

/** The sessions of one endpoint, longest idle first. They expire, and there is a cap, for all and for each client. */
export class SessionTable {
  // A Map and a Set keep insertion order: a session is put last again whenever it is used.
  readonly #sessions = new Map<string, HttpSession>();
  readonly #byClient = new Map<string | undefined, Set<HttpSession>>();
  #sweep: ReturnType<typeof setInterval> | undefined;

  readonly #idleMs: number;
  readonly #max: number;
  readonly #maxPerClient: number;

  constructor(private readonly parts: HandlerParts) {
    this.#idleMs = parts.options.sessionIdleMs;
    this.#max = parts.options.maxSessions;
    this.#maxPerClient = parts.options.maxSessionsPerClient;
  }

  /** Refuses those for which there is none. */
  get overload(): OverloadRefusal {
    return this.parts.overload;
  }

  /**
   * Makes a session that cannot be found yet: it is kept once its client has been let in.
   *
   * @param owner the id of the principal that opens it; absent without authentication.
   * @param quotaKey whom it counts for.
   * @returns `undefined` when there is no room, and no session that may give way.
   */
  create(owner: string | undefined, quotaKey: string | undefined): HttpSession | undefined {
    if (this.#isFull(quotaKey) && !this.#dispensable(quotaKey)) return undefined;
    return new HttpSession(crypto.randomUUID(), owner, quotaKey, this.parts, Date.now());
  }

  /** Keeps a session, at the cost of an idle one when there are too many. */
  keep(session: HttpSession): void {
    const { quotaKey } = session;
    const evicted = this.#isFull(quotaKey) ? this.#dispensable(quotaKey) : undefined;
    if (evicted) {
      const { logger } = this.parts.endpoint;
      logger.info(
        { quotaKey: evicted.quotaKey, idleMs: Date.now() - evicted.lastUsed },
        'an idle session gave way to a new one',
      );
      this.end(evicted, 'Too many sessions');
    }
    this.#sessions.set(session.id, session);
    const own = this.#byClient.get(quotaKey);
    if (own) own.add(session);
    else this.#byClient.set(quotaKey, new Set([session]));
    if (this.#sweep !== undefined) return;
    this.#sweep = setInterval(() => this.#expire(Date.now()), Math.min(this.#idleMs, 30_000));
    (this.#sweep as { unref?(): void }).unref?.();
  }

  /**
   * Finds a session and counts that as use.
   *
   * @param principal the id of the one that asks: the sessions of others are unknown to them.
   */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (!session || session.owner !== principal) return undefined;
    session.lastUsed = Date.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const own = this.#byClient.get(session.quotaKey);
    own?.delete(session);
    own?.add(session);
    return session;
  }

  /** Ends a session: what is in flight is cancelled, and its id is unknown from now on. */
  end(session: HttpSession, reason: string): void {
    this.#sessions.delete(session.id);
    const { quotaKey } = session;
    const own = this.#byClient.get(quotaKey);
    own?.delete(session);
    if (own?.size === 0) this.#byClient.delete(quotaKey);
    session.close(reason);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  /** Lets requests in flight finish, then ends every session. @param graceMs how long they may take. */
  async drain(graceMs: number): Promise<void> {
    const sessions = [...this.#sessions.values()];
    await Promise.all(sessions.map((session) => session.connection.drain(graceMs)));
    for (const session of sessions) this.end(session, 'The server is closing');
  }

  #expire(now: number): void {
    for (const session of this.#sessions.values()) {
      // Sessions behind this one were used later.
      if (now - session.lastUsed < this.#idleMs) return;
      if (!session.busy) this.end(session, 'The session was idle for too long');
    }
  }

  #isFull(quotaKey: string | undefined): boolean {
    return this.#sessions.size >= this.#max || this.#hasAll(quotaKey);
  }

  #hasAll(quotaKey: string | undefined): boolean {
    return quotaKey !== undefined && (this.#byClient.get(quotaKey)?.size ?? 0) >= this.#maxPerClient;
  }

  /** The session that gives way to a new one: of the same client, or else of the one that has most of all. */
  #dispensable(quotaKey: string | undefined): HttpSession | undefined {
    const own = longestIdle(this.#byClient.get(quotaKey) ?? []);
    if (own || this.#hasAll(quotaKey)) return own;
    const clients = [...this.#byClient.values()];
    const most = clients.reduce(
      (one, other) => (other.size > one.size ? other : one),
      new Set<HttpSession>(),
    );
    return longestIdle(most) ?? longestIdle(this.#sessions.values());
  }
}

/** The first of some sessions that has neither a request nor a stream open. */
function longestIdle(sessions: Iterable<HttpSession>): HttpSession | undefined {
  for (const session of sessions) if (!session.busy) return session;
  return undefined;
}

/** A session of a client up to 2025-11-25: its connection, and its streams. */
export class HttpSession implements Sink {
  readonly connection: Connection;
  lastUsed: number;
  // Made when the first one is needed, to keep idle sessions small.
  #streams: SessionStreams | undefined;
  #posts = 0;

  constructor(
    readonly id: string,
    /** The id of the principal it belongs to. */
    readonly owner: string | undefined,
    /** Whom it counts for, as `RequestInfo` has it. */
    readonly quotaKey: string | undefined,
    private readonly parts: HandlerParts,
    now: number,
  ) {
    this.connection = parts.endpoint.connect(this);
    this.lastUsed = now;
  }

  /** Whether a request or a stream is open: such a session does not expire. */
  get busy(): boolean {
    return this.#posts > 0 || this.#streams?.listening === true;
  }

  /** Whether its client can be let go of in the middle of a request, and comes back (2025-11-25, SEP-1699). */
  get resumable(): boolean {
    return this.parts.options.eventStore !== undefined && this.connection.resumes;
  }

  get streams(): SessionStreams {
    if (this.#streams) return this.#streams;
    const { endpoint, options, streams } = this.parts;
    return (this.#streams = new SessionStreams({
      session: this.id,
      store: options.eventStore,
      rules: streams,
      retryMs: options.retryMs,
      resumable: this.resumable,
      logger: endpoint.logger,
      owner: this.owner,
      renewed: (principal) => this.connection.renew(principal),
    }));
  }

  /** Serves a GET: resumes the stream that an event id names, else carries what belongs to no request. */
  get(http: HttpExchange): void {
    const lastEventId = http.header('last-event-id');
    if (lastEventId && this.parts.options.eventStore) this.streams.resume(http, lastEventId);
    else this.streams.listen(http);
  }

  /** Counts a request in. */
  began(): void {
    this.#posts += 1;
  }

  /** Counts the time of a request that has not been answered at once. @param waitedLong called when that was long. */
  waits(waitedLong: () => void): Deadline | undefined {
    return this.resumable ? this.parts.longWaits.add(waitedLong) : undefined;
  }

  /** Counts a request out. @param wait what `waits` gave for it. */
  finished(wait: Deadline | undefined): void {
    this.#posts -= 1;
    this.lastUsed = Date.now();
    if (wait) this.parts.longWaits.delete(wait);
  }

  send(message: string): void {
    this.#streams?.send(message);
  }

  end(message: string): void {
    this.send(message);
  }

  close(reason: string): void {
    this.connection.close(reason);
    this.#streams?.close();
  }
}

/**
 * Finds the session a request names, or refuses it.
 *
 * @returns `undefined` when the request has been refused.
 */
export function findSession(
  http: HttpExchange,
  sessions: SessionTable,
  id: RequestId | null = null,
): HttpSession | undefined {
  if (refusesVersion(http, id)) return undefined;
  const sessionId = http.header('mcp-session-id');
  if (sessionId === undefined) {
    const message = `Send ${NEEDS_ENVELOPE} with the request, or Mcp-Session-Id of a session`;
    refuse(http, 400, ERROR_CODES.invalidParams, message, id);
    return undefined;
  }
  const session = sessions.find(sessionId, http.principal?.id);
  if (!session)
    refuse(http, 404, ERROR_CODES.invalidRequest, 'Session not found: open a new one with initialize', id);
  return session;
}
