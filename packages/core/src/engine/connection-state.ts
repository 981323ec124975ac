import type { ClientView } from '../context/call.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { LogLevel } from '../protocol/logging.js';
import type { Principal } from '../protocol/principal.js';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/protocol.js';
import type { SessionState } from '../backend/backend.js';
import { OverloadedError } from '../errors/errors.js';
import { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import { bytesOf } from '../protocol/json.js';
import type { Quota } from '../transport/quota.js';
import type { ConnectOptions, Sink } from '../transport/transport.js';
import { PendingRequests } from './asking/pending-requests.js';
import type { Answer } from './asking/round-trip-state.js';
import { fromDialect, resultFromDialect, type Spoken, toDialect } from './revisions/message-dialect.js';
import type { Revision } from './revisions/index.js';
import { writeSession } from './session-state.js';

/** The session of a client: the results of `initialize`, and settings that the client changes later. */
export class Session implements ClientView {
  /**
   * Whether the client has reported that it is ready. Until then, the server sends only responses to the client. See
   * `becomeReady`.
   */
  ready = false;
  #readyListeners: Set<() => void> | undefined;
  logLevel: LogLevel | undefined;
  /** When the session was opened in this process, in milliseconds of `performance.now()`. */
  readonly openedAt: number = performance.now();
  /** The principal of the latest request, with its current scopes and claims. */
  principal: Principal | undefined;
  /**
   * The URIs of the resources that the client is subscribed to. The set is created at the first subscription, to keep
   * idle sessions small.
   */
  subscriptions: Set<string> | undefined;

  /** The size of the stored client description, in bytes. */
  bytes = 0;
  /** The roots from `initialize`; `undefined` if the server must ask the client for its roots. */
  roots: readonly unknown[] | undefined;

  /**
   * @param announced the server's capabilities, as announced to the client.
   * @param quotaKey the client's quota key.
   */
  constructor(
    readonly revision: Revision,
    readonly info: Implementation | undefined,
    readonly capabilities: ClientCapabilities,
    readonly announced: ServerCapabilities,
    readonly quotaKey: string | object | undefined,
  ) {}

  get protocolVersion(): string {
    return this.revision.version;
  }

  /** Records that the client is ready. */
  becomeReady(): void {
    this.ready = true;
    for (const listener of this.#readyListeners ?? []) listener();
    this.#readyListeners = undefined;
  }

  /** Calls the listener when the client becomes ready. @returns a function that removes the listener. */
  onReady(listener: () => void): () => void {
    const listeners = (this.#readyListeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
}

/** Maximum number of pages that are remembered for one client. The oldest are forgotten first. */
const MAX_ELICITATIONS = 1000;

/** A sink that discards messages, for connections without a transport. */
export const NOWHERE: Sink = Object.freeze({ send: () => undefined, end: () => undefined });

/** The state that all requests of a connection share: the session, the sink, and the pending requests to the client. */
export class ConnectionState {
  session: Session | undefined;
  #elicitations: Set<string> | undefined;
  #pending: PendingRequests | undefined;
  /** Whether messages to the client use the older dialect (`message-dialect.ts`). */
  speaksDialect = false;
  /**
   * A promise that is pending while the store records that the client uses the older dialect. The requests of the
   * session wait for this promise. `undefined` if the store is not recording this.
   */
  dialectKept: Promise<void> | undefined;

  /**
   * @param options `persist` stores changes of the session. `node` is the name of this process in request ids.
   *   `unaskable` is the reason why the server cannot send questions to the client.
   * @param endSession a function that ends the session and all its requests except `beginning`, the request that begins
   *   the next session. Absent if the connection can have only one session.
   */
  constructor(
    readonly sink: Sink = NOWHERE,
    private readonly options: Pick<ConnectOptions, 'node' | 'persist' | 'unaskable'> = {},
    readonly endSession?: (beginning: object) => void,
  ) {}

  /** The reason why the server cannot send questions to the client; `undefined` if it can send them. */
  get unaskable(): string | undefined {
    return this.options.unaskable;
  }

  /** Removes the session, and all data about its client. */
  forget(): void {
    this.session = undefined;
    this.#elicitations = undefined;
    this.speaksDialect = false;
    this.dialectKept = undefined;
  }

  /**
   * Begins a session, and reserves memory for the client's name, capabilities and roots.
   *
   * @throws OverloadedError if this data exceeds the memory limit for the sessions of this client, or of all clients
   *   together.
   */
  begin(session: Session, sessionBytes: Quota): void {
    session.bytes = bytesOf([session.info, session.capabilities, session.roots]);
    if (!sessionBytes.take(session.quotaKey, session.bytes)) {
      const { total, perClient } = sessionBytes;
      throw new OverloadedError(
        `Sessions have reached a memory limit: ${total} bytes for all clients, or ${perClient} bytes for one client`,
      );
    }
    this.session = session;
  }

  /** The stored form of the session; `undefined` if the connection has no session. */
  get sessionState(): SessionState | undefined {
    const { session } = this;
    if (!session) return undefined;
    const { subscriptions = new Set() } = session;
    return writeSession({ ...session, dialect: this.speaksDialect, subscriptions });
  }

  /**
   * Changes the session: first in the session store, if the connection has one, and then in this process.
   *
   * @param edit a function that returns the new stored state.
   * @param apply a function that changes the local state; not called if the store failed.
   */
  change(edit: (state: SessionState) => SessionState, apply: () => void): MaybePromise<void> {
    const { persist } = this.options;
    return persist ? after(persist(edit), apply) : apply();
  }

  /**
   * The server's requests to the client that have no answer yet. The object is created at the first request, to keep
   * idle sessions small.
   */
  get pending(): PendingRequests {
    return (this.#pending ??= new PendingRequests(this.options.node));
  }

  /** Remembers the page that the user was asked to open. Call `removeElicitation` to forget the page. */
  addElicitation(elicitationId: string): void {
    const known = (this.#elicitations ??= new Set());
    const [oldest] = known;
    if (oldest !== undefined && known.size >= MAX_ELICITATIONS) known.delete(oldest);
    known.add(elicitationId);
  }

  /** Forgets a page that the user was asked to open. @returns whether the page was known. */
  removeElicitation(elicitationId: string): boolean {
    return this.#elicitations?.delete(elicitationId) ?? false;
  }

  /** Whether the server has ever sent a request to the client. */
  get hasAsked(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Translates a message whose method is unknown, if the older dialect has the method (`message-dialect.ts`). After the
   * first such message, this session uses the dialect.
   */
  understand(method: string, params: unknown): Spoken | undefined {
    if (!this.session) return undefined;
    const translated = fromDialect(method, params);
    if (translated && !this.speaksDialect && !this.dialectKept) this.#keepDialect();
    return translated;
  }

  #keepDialect(): void {
    const kept = this.change(
      (state) => ({ ...state, dialect: true }),
      () => void (this.speaksDialect = true),
    );
    if (!isPromise(kept)) return;
    this.dialectKept = kept;
    const settled = (): void => (this.dialectKept = undefined);
    // If this fails, the requests that wait for it are refused, and the next request tries again.
    kept.then(settled, settled);
  }

  /** Writes a request or notification for the client, in the dialect that the client uses. */
  write(message: object): string {
    return JSON.stringify(this.speaksDialect ? toDialect(message as Spoken) : message);
  }

  /** Reads the client's answer to a request from the server, in the dialect that the client uses. */
  read(method: string, result: Answer): Answer {
    return this.speaksDialect ? resultFromDialect(method, result) : result;
  }
}
