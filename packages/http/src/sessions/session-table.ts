import type { Logger, MaybePromise, RequestInfo } from '@sigil/core';
import type { StoredSession } from '@sigil/core/backend';
import { lacksScopes } from '@sigil/core/extension';
import { type Deadline, scopesIn, unref, within } from '@sigil/core/internal';
import type { Connection, Principal, Sink } from '@sigil/core/transport';
import { type OverloadRefusal, refuseScopes } from '../answers.js';
import type { HttpExchange } from '../http-exchange.js';
import type { HandlerParts } from '../parts.js';
import { ABOUT } from './node-messages.js';
import { readEventId, SessionStreams, type StreamParts } from './session-streams.js';
import { mayUse, SharedSessions } from './shared-sessions.js';

/**
 * The sessions of one endpoint in this process. They are ordered by last use: the session that has been idle for the
 * longest time comes first. Idle sessions expire. The number of sessions is limited, in total and per client.
 */
export class SessionTable {
  // A Map and a Set keep insertion order: whenever a session is used, it moves to the end.
  readonly #sessions = new Map<string, HttpSession>();
  readonly #byClient = new Map<string | undefined, Set<HttpSession>>();
  #sweep: ReturnType<typeof setInterval> | undefined;
  /** Requests that wait for a store or another process. */
  #waiting = 0;
  #settle = (): void => undefined;

  readonly #idleMs: number;
  readonly #max: number;
  readonly #maxPerClient: number;
  /** Shares sessions with other processes; `undefined` if each session exists only in the process that opened it. */
  readonly shared: SharedSessions<HttpSession> | undefined;

  constructor(private readonly parts: HandlerParts) {
    this.shared = parts.sessionStore && new SharedSessions(parts, parts.sessionStore, this);
    this.#idleMs = parts.options.sessionIdleMs;
    this.#max = parts.options.maxSessions;
    this.#maxPerClient = parts.options.maxSessionsPerClient;
  }

  get logger(): Logger {
    return this.parts.endpoint.logger;
  }

  /** Whether sessions are refused, because the app runs in several processes that do not share sessions. */
  get isStateless(): boolean {
    return this.parts.options.isStateless === true;
  }

  /** Refuses requests with 503 when the server is overloaded. */
  get overload(): OverloadRefusal {
    return this.parts.overload;
  }

  /**
   * Creates a session, but does not add it to the table. Call `keep` to add it when `initialize` has been accepted.
   *
   * @param owner the id of the principal that opens the session; `undefined` for an anonymous client.
   * @param quotaKey the text that identifies the client in quotas; `undefined` if clients cannot be distinguished.
   * @param id the id of a session from another process; `undefined` for a new session.
   * @returns the session, or `undefined` if a limit is reached and no session can be replaced.
   */
  create(
    owner: string | undefined,
    quotaKey: string | undefined,
    id: string = crypto.randomUUID(),
  ): HttpSession | undefined {
    if (this.#isFull(quotaKey) && !this.#dispensable(quotaKey)) return undefined;
    return new HttpSession(id, owner, quotaKey, this.parts, this);
  }

  /**
   * Adds a new session to the table and, if sessions are shared, to their store. Rejects if the store fails.
   *
   * @returns the session id that the client must send.
   */
  open(session: HttpSession, requestInfo: RequestInfo): MaybePromise<string> {
    if (this.shared) return this.shared.open(session, requestInfo);
    this.keep(session);
    return session.id;
  }

  /** How many sessions are in this process. */
  get size(): number {
    return this.#sessions.size;
  }

  /** All sessions in this process. */
  get all(): readonly HttpSession[] {
    return [...this.#sessions.values()];
  }

  /** Returns a session in this process, without counting this as use of the session. */
  get(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  /** Adds a session to the table. If a limit is reached, the session replaces an idle session. */
  keep(session: HttpSession): void {
    const { quotaKey } = session;
    const evicted = this.#isFull(quotaKey) ? this.#dispensable(quotaKey) : undefined;
    if (evicted) {
      const { logger } = this.parts.endpoint;
      logger.info(
        { quotaKey: evicted.quotaKey, idleMs: Date.now() - evicted.lastUsed },
        'a new session replaced an idle one',
      );
      this.end(evicted, 'Too many sessions');
    }
    this.#sessions.set(session.id, session);
    const own = this.#byClient.get(quotaKey);
    if (own) own.add(session);
    else this.#byClient.set(quotaKey, new Set([session]));
    if (this.#sweep !== undefined) return;
    this.#sweep = setInterval(() => this.#expire(Date.now()), Math.min(this.#idleMs, 30_000));
    unref(this.#sweep);
  }

  /**
   * Finds a session, and counts this as use of the session.
   *
   * @param http the request with the session id. Its principal must own the session; if the session has no owner, the
   *   principal becomes its owner.
   */
  find(id: string, http: HttpExchange): MaybePromise<HttpSession | undefined> {
    if (this.shared) return this.shared.find(id, http);
    const session = this.#sessions.get(id);
    const principal = http.principal?.id;
    if (!session || !mayUse(session, principal)) return undefined;
    if (session.owner !== principal) session.belongTo(principal);
    this.use(session);
    return session;
  }

  /** Records that a session in this process is used now. */
  use(session: HttpSession): void {
    const { id } = session;
    session.lastUsed = Date.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const own = this.#byClient.get(session.quotaKey);
    own?.delete(session);
    own?.add(session);
  }

  /**
   * Ends a session in this process: cancels its calls, and removes it from the table. A shared session continues in
   * other processes.
   */
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

  /** Counts a request that starts to wait for a store or another process, so that `drain` waits for it. */
  waits(): void {
    this.#waiting += 1;
  }

  /** Stops counting a request that `waits` has counted, because the request no longer waits. */
  goesOn(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#settle();
  }

  /**
   * Waits for the requests in flight, including those that wait for a store or another process. Then ends every
   * session.
   *
   * @param graceMs how long to wait for these requests, in milliseconds. Requests that still run after this time are
   *   cancelled.
   */
  async drain(graceMs: number): Promise<void> {
    const began = performance.now();
    if (this.#waiting > 0) await within(graceMs, new Promise<void>((resolve) => (this.#settle = resolve)));
    const leftMs = Math.max(0, graceMs - (performance.now() - began));
    const sessions = this.all;
    this.shared?.refuseFromNow();
    if (this.shared) for (const session of sessions) session.letGo();
    // Answers arrive at the other processes, which pass them on.
    const hasAnswers = this.shared !== undefined;
    await Promise.all(sessions.map(({ connection }) => connection.drain(leftMs, hasAnswers)));
    for (const session of sessions) this.end(session, 'The server is closing');
    if (!this.shared) return;
    await Promise.all(sessions.map((session) => session.settled()));
    this.shared.close();
  }

  #expire(now: number): void {
    for (const session of this.#sessions.values()) {
      // The sessions after this one were used later.
      if (now - session.lastUsed < this.#idleMs) return;
      if (!session.busy) this.end(session, 'The session has expired: it was idle for too long');
    }
  }

  #isFull(quotaKey: string | undefined): boolean {
    return this.#sessions.size >= this.#max || this.#hasAll(quotaKey);
  }

  #hasAll(quotaKey: string | undefined): boolean {
    return quotaKey !== undefined && (this.#byClient.get(quotaKey)?.size ?? 0) >= this.#maxPerClient;
  }

  /** The session that a new one replaces: of the same client, or of the client with the most sessions. */
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

/** The first of the sessions that has neither an open request nor an open stream. */
function longestIdle(sessions: Iterable<HttpSession>): HttpSession | undefined {
  for (const session of sessions) if (!session.busy) return session;
  return undefined;
}

/** The connection and the streams of one session. Only clients of revision 2025-11-25 or earlier have sessions. */
export class HttpSession implements Sink, StreamParts {
  readonly connection: Connection;
  lastUsed: number;
  #owner: string | undefined;
  // Created when the first stream is needed, to keep idle sessions small.
  #streams: SessionStreams | undefined;
  #posts = 0;
  /**
   * The state of the session as this process last read it from the shared store or wrote it there; `undefined` if
   * sessions are not shared.
   */
  kept: StoredSession | undefined;
  /**
   * Settles when all pending changes of the session are stored; `undefined` if no change is pending.
   */
  changing: Promise<void> | undefined;

  constructor(
    readonly id: string,
    owner: string | undefined,
    /** The quota key of the client, as in `RequestInfo`. */
    readonly quotaKey: string | undefined,
    private readonly parts: HandlerParts,
    { shared }: Pick<SessionTable, 'shared'>,
  ) {
    this.connection = parts.endpoint.connect(this, {
      ...shared?.connectOptions(this),
      transport: 'http',
    });
    this.#owner = owner;
    this.lastUsed = Date.now();
  }

  /** The id of the principal that owns the session; `undefined` for an anonymous client. */
  get owner(): string | undefined {
    return this.#owner;
  }

  /**
   * Makes a principal the owner of the session. All open connections of the session are closed, and the client must
   * open them again with a token.
   */
  belongTo(principal: string | undefined): void {
    this.#owner = principal;
    this.#streams?.letGo(true);
  }

  /** Whether a request or a stream of the session is open. If so, the session does not expire. */
  get busy(): boolean {
    return this.#posts > 0 || this.#streams?.listening === true;
  }

  /**
   * Whether streams are stored, and the client reconnects if its connection closes before the response (revision
   * 2025-11-25, SEP-1699).
   */
  get resumable(): boolean {
    return this.parts.eventStore !== undefined && this.connection.resumes;
  }

  get store(): StreamParts['store'] {
    return this.parts.eventStore;
  }

  get rules(): StreamParts['rules'] {
    return this.parts.streams;
  }

  get retryMs(): number {
    return this.parts.options.retryMs;
  }

  get logger(): Logger {
    return this.parts.endpoint.logger;
  }

  get told(): StreamParts['told'] {
    return this.parts.streamsTold;
  }

  get shared(): StreamParts['shared'] {
    return this.parts.sharedStreams;
  }

  renewed(principal: Principal): void {
    this.connection.renew(principal);
  }

  announceAll(): void {
    this.connection.announceAll();
  }

  /**
   * A function that receives a request and all scopes that the request needs. It returns the refusal for a principal
   * without these scopes.
   */
  get insufficientScope(): HandlerParts['insufficientScope'] {
    return this.parts.insufficientScope;
  }

  get streams(): SessionStreams {
    return (this.#streams ??= new SessionStreams(this));
  }

  /**
   * Serves a GET. With `Last-Event-ID`, resumes a stream; otherwise opens the stream for messages that belong to no
   * request.
   */
  get(http: HttpExchange): void {
    const lastEventId = http.header('last-event-id');
    if (!lastEventId || !this.parts.eventStore) return this.streams.listen(http);
    const scopes = scopesIn(readEventId(lastEventId).stream);
    if (lacksScopes(http.principal, scopes)) return refuseScopes(http, this.insufficientScope(http, scopes));
    this.streams.resume(http, lastEventId);
  }

  /** Records that a request of the session begins. */
  began(): void {
    this.#posts += 1;
  }

  /**
   * Starts a timer for a request that has not been answered immediately.
   *
   * @param waitedLong a function that is called when the request has run for `streams.afterMs`.
   * @returns the timer; `undefined` if the client cannot resume streams.
   */
  waits(waitedLong: () => void): Deadline | undefined {
    return this.resumable ? this.parts.longWaits.add(waitedLong) : undefined;
  }

  /** Records that a request of the session has ended. @param wait the result of `waits` for this request. */
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

  deliver(message: string): void {
    if (!this.parts.sessionStore || this.#streams?.isWriter) return this.send(message);
    const content = { sessionId: this.id, message };
    void this.parts.endpoint.backend.publish({ kind: 'message', about: ABOUT.notify, content });
  }

  /** See `SessionStreams.claimed`. */
  claimed(stream: string): void {
    this.#streams?.claimed(stream);
  }

  movedAway(stream: string, retryMs?: number): void {
    this.#streams?.movedAway(stream, retryMs);
  }

  /**
   * Closes the client's connections that do not wait for an answer, so that the client reconnects to another process.
   */
  letGo(): void {
    this.#streams?.letGo();
  }

  /** Waits until all messages are delivered or stored. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.changing, this.#streams?.settled()]);
  }

  close(reason: string): void {
    this.connection.close(reason);
    this.#streams?.close();
  }
}
