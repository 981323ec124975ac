import type { RequestInfo } from '@sigil/core';
import { OverloadedError, type SessionStore, type StoredSession } from '@sigil/core/backend';
import { LogThrottle, unref } from '@sigil/core/internal';
import type { ConnectOptions, EndpointBackend, RequestId } from '@sigil/core/transport';
import { refuseForNow } from '../answers.js';
import type { HttpExchange } from '../http-exchange.js';
import { NodeMessages, type ReachedSession } from './node-messages.js';
import type { HandlerParts } from '../parts.js';
import { readName, SealedSessions } from './sealed-sessions.js';

/** The error message for requests and calls of a session that has ended. */
export const ENDED = 'The session has ended';

/** How many sessions are read again at the same time. */
const AT_ONCE = 32;

/** Maximum number of attempts to change a session while other processes change it. */
const MOST_TRIES = 10;

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Whether a principal is allowed to use a session: the principal must own the session, or the session must have no
 * owner. A session that was opened without a token belongs to the first principal that uses it. In this way, a client
 * keeps its session when its user logs in. This is safe, because only that client knows the session id.
 */
export function mayUse(
  { owner }: { readonly owner: string | null | undefined },
  principal: string | undefined,
): boolean {
  return (owner ?? undefined) === undefined || owner === principal;
}

/** The shared part of a session. */
interface SharedSession extends ReachedSession {
  readonly owner: string | undefined;
  readonly quotaKey: string | undefined;
  readonly busy: boolean;
  kept: StoredSession | undefined;
  changing: Promise<void> | undefined;
  belongTo(principal: string | undefined): void;
}

/** The sessions of this process. */
interface LocalSessions<S> {
  readonly all: readonly S[];
  get(id: string): S | undefined;
  create(owner: string | undefined, quotaKey: string | undefined, id: string): S | undefined;
  keep(session: S): void;
  use(session: S): void;
  end(session: S, reason: string): void;
}

/**
 * The sessions that every process of the app can serve. A store contains the state of each session. Each process that
 * serves a session has a copy of this state. Before each request, the process updates its copy with one call to the
 * store. Several processes can serve a session at the same time, so a change is stored first, and then announced to all
 * processes.
 */
export class SharedSessions<S extends SharedSession> {
  readonly messages: NodeMessages;
  readonly #backend: EndpointBackend;
  readonly #sealed: SealedSessions | undefined;
  readonly #idleMs: number;
  readonly #told = new LogThrottle();
  readonly #stop: () => void;
  readonly #touch: ReturnType<typeof setInterval>;
  /** The requests through which sessions came to this process. Guards of their notifications get these requests. */
  readonly #requests = new WeakMap<S, RequestInfo>();
  #closing = false;

  /**
   * @param store contains the sessions of all processes.
   * @param local the sessions in this process.
   */
  constructor(
    private readonly parts: HandlerParts,
    private readonly store: SessionStore,
    private readonly local: LocalSessions<S>,
  ) {
    this.#backend = parts.endpoint.backend;
    this.#idleMs = parts.options.sessionIdleMs;
    const { sessionSealedMs } = parts.options;
    this.#sealed = sessionSealedMs
      ? new SealedSessions(this.#backend, store, sessionSealedMs, this.#idleMs)
      : undefined;
    this.messages = new NodeMessages(this.#backend, local);
    const { sharedStreams } = parts;
    this.#stop = this.#backend.onChange((change) => {
      if (change.kind === 'session') void this.#refreshAll([local.get(change.sessionId)]);
      else if (change.kind === 'stream') sharedStreams?.tell(change.stream);
      else if (change.kind === 'message') this.messages.receive(change);
      else if (change.kind === 'all') {
        sharedStreams?.tell();
        void this.#refreshAll(local.all.filter(({ busy }) => busy));
      }
    });
    // Only this shows the store that a busy or listening session is in use.
    const touch = (): void => void this.#refreshAll(local.all.filter(({ busy }) => busy));
    this.#touch = setInterval(touch, Math.ceil(this.#idleMs / 3));
    unref(this.#touch);
  }

  /** Returns the options for the connection of a session. With them, the connection stores changes of the session. */
  connectOptions(session: S): ConnectOptions {
    return {
      node: this.#backend.node,
      persist: (change) => this.#change(session, (kept) => ({ ...kept, state: change(kept.state) })),
    };
  }

  /** Stores a new session. @returns the session id that the client must send. @throws the error of the store. */
  async open(session: S, { headers, address }: RequestInfo): Promise<string> {
    const { id, owner = null, quotaKey: client, connection } = session;
    const state = connection.sessionState ?? {};
    const openedAt = Date.now();
    const kept = { id, version: 1, owner, openedAt, state, ...(client === undefined ? {} : { client }) };
    await this.store.create(kept, this.#idleMs);
    const name = (await this.#sealed?.nameOf(kept)) ?? id;
    session.kept = kept;
    this.#requireOpen();
    this.local.keep(session);
    this.#requests.set(session, { headers, address });
    return name;
  }

  /** Reads a session and counts that as use. Restores a session that was lost with the data of the store. */
  async #read(
    name: string,
    known: StoredSession | undefined,
  ): Promise<StoredSession | 'unchanged' | undefined> {
    const found = await this.store.use(readName(name).id, this.#idleMs, known?.version);
    return found ?? this.#sealed?.restore(name, known);
  }

  /**
   * Finds a session that any process has opened, and counts this as use of the session.
   *
   * @throws OverloadedError when the session limits of this process are reached, and no session can be replaced.
   */
  async find(name: string, http: HttpExchange): Promise<S | undefined> {
    const { id } = readName(name);
    const principal = http.principal?.id;
    const before = this.local.get(id);
    if (!SESSION_ID.test(id) || (before && !mayUse(before, principal))) return undefined;
    const found = await this.#read(name, before?.kept);
    this.#requireOpen();
    const session = this.local.get(id);
    // This process dropped its copy in the meantime.
    if (found === 'unchanged' && !session) return this.find(name, http);
    if (found !== undefined && found !== 'unchanged' && !mayUse(found, principal)) return undefined;
    const served = session ? this.#update(session, found, http) : this.#adopt(found, http);
    if (!served) return undefined;
    // Exactly one principal becomes the owner, even if others use the session at the same time elsewhere.
    if (served.owner === undefined && principal !== undefined)
      await this.#change(served, (kept) => ({ ...kept, owner: kept.owner ?? principal }));
    if (served.owner !== principal) return undefined;
    this.local.use(served);
    return served;
  }

  /**
   * Ends a session in every process. @returns whether the session existed and the principal of the request was allowed
   * to use it.
   */
  async delete(name: string, http: HttpExchange): Promise<boolean> {
    const { id } = readName(name);
    if (!SESSION_ID.test(id)) return false;
    const found = await this.#read(name, undefined);
    if (found === undefined || found === 'unchanged') return false;
    if (!mayUse(found, http.principal?.id)) return false;
    await this.#sealed?.end(found);
    const wasThere = await this.store.delete(id);
    const session = this.local.get(id);
    if (session) this.local.end(session, ENDED);
    void this.#backend.publish({ kind: 'session', sessionId: id });
    try {
      await this.parts.eventStore?.forget(id);
    } catch (error) {
      // The store forgets the session by itself, only later.
      this.#report('forget', error);
    }
    return wasThere;
  }

  /**
   * Answers a request with 503, because this process cannot serve the session of the request. @param error the reason.
   */
  refuse(http: HttpExchange, error: unknown, id: RequestId | null): void {
    if (error instanceof OverloadedError) return this.parts.overload.refuse(http, error.message, id);
    this.#report('use', error);
    refuseForNow(http, 'Sessions cannot be served now', id);
  }

  /**
   * Refuses to open or find sessions from now on, because the server is closing. Existing sessions still get changes
   * from other processes.
   */
  refuseFromNow(): void {
    this.#closing = true;
    clearInterval(this.#touch);
  }

  /** Stops listening for changes of sessions. */
  close(): void {
    this.#stop();
  }

  /** Begins to serve a session that was opened elsewhere. */
  #adopt(found: StoredSession | 'unchanged' | undefined, http: HttpExchange): S | undefined {
    if (found === undefined || found === 'unchanged') return undefined;
    const session = this.local.create(found.owner ?? undefined, found.client, found.id);
    if (!session) throw new OverloadedError('Too many sessions, and all of them are in use');
    const { headers, address, principal } = http;
    try {
      const requestInfo = { headers, address, principal, quotaKey: found.client };
      if (!session.connection.restore(found.state, requestInfo)) return undefined;
    } catch (error) {
      session.connection.close(ENDED);
      throw error;
    }
    session.kept = found;
    this.local.keep(session);
    this.#requests.set(session, { headers, address });
    return session;
  }

  /** Updates a local session to the stored state. @returns the session, unless it has ended. */
  #update(
    session: S,
    found: StoredSession | 'unchanged' | undefined,
    requestInfo?: RequestInfo,
  ): S | undefined {
    if (found === 'unchanged') return session;
    const isNewer = found !== undefined && found.version > (session.kept?.version ?? 0);
    if (found && !isNewer) return session;
    const { headers, address } = requestInfo ?? this.#requests.get(session) ?? {};
    const { quotaKey } = session;
    if (found && session.connection.restore(found.state, { headers, address, quotaKey })) {
      this.#know(session, found);
      return session;
    }
    this.local.end(session, ENDED);
    return undefined;
  }

  /** Notes the stored state of a session. */
  #know(session: S, kept: StoredSession): void {
    session.kept = kept;
    const owner = kept.owner ?? undefined;
    if (owner !== session.owner) session.belongTo(owner);
  }

  /** Stores a change of a session, after earlier changes. */
  #change(session: S, edit: (kept: StoredSession) => StoredSession): Promise<void> {
    const before = session.changing ?? Promise.resolve();
    const changing = before.catch(() => undefined).then(() => this.#keepChange(session, edit));
    session.changing = changing;
    const settled = (): void => {
      if (session.changing === changing) session.changing = undefined;
    };
    changing.then(settled, settled);
    return changing;
  }

  /** @throws OverloadedError when the change cannot be stored. */
  async #keepChange(session: S, edit: (kept: StoredSession) => StoredSession): Promise<void> {
    const { id } = session;
    try {
      for (let tries = 0; tries < MOST_TRIES && session.kept; tries++) {
        const { kept } = session;
        const next = { ...edit(kept), version: kept.version + 1 };
        if (await this.store.replace(next, this.#idleMs)) {
          this.#know(session, next);
          // The other processes are notified before the client's next request.
          await this.#backend.publish({ kind: 'session', sessionId: id });
          return;
        }
        const found = await this.store.use(id, this.#idleMs);
        // From now on every stored version counts, even if the store has lost later versions.
        session.kept = undefined;
        if (!this.#update(session, found)) break;
      }
    } catch (error) {
      this.#report('change', error);
    }
    throw new OverloadedError('The session cannot be changed now');
  }

  /** Reads sessions again, not all at once, because requests use the store at the same time. */
  async #refreshAll(sessions: readonly (S | undefined)[]): Promise<void> {
    for (let at = 0; at < sessions.length; at += AT_ONCE) {
      const some = sessions.slice(at, at + AT_ONCE).filter((session) => session !== undefined);
      await Promise.all(some.map((session) => this.#refresh(session)));
    }
  }

  async #refresh(session: S): Promise<void> {
    const release = session.connection.hold();
    try {
      const found = await this.store.use(session.id, this.#idleMs, session.kept?.version);
      if (this.local.get(session.id) === session) this.#update(session, found);
    } catch (error) {
      this.#report('use', error);
    } finally {
      release();
    }
  }

  #requireOpen(): void {
    if (this.#closing) throw new OverloadedError('The server is closing');
  }

  #report(what: string, error: unknown): void {
    if (this.#told.allows(what))
      this.parts.endpoint.logger.error(
        { err: error },
        'the session store failed; sessions are refused for now',
      );
  }
}
