import type { Gauge } from '../protocol/gauge.js';
import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ChangeBus } from './change-bus.js';
import type { TaskStore } from './tasks.js';

/**
 * Stores the data that outlives a request, for all processes of one app. By default, the data is kept in memory (folder
 * `memory`); other packages keep it in Redis or PostgreSQL. Each part has its own interface:
 *
 * - `SessionStore`: the sessions of clients of revision 2025-11-25 or earlier, so that any process can serve any
 *   request of a session.
 * - `EventStore`: the event streams of these sessions. After a lost connection, a client can get the rest of a stream
 *   from any process.
 * - `StateStore`: the ids of the request states (revision 2026-07-28) and the proofs of possession (RFC 9449) that
 *   clients have already sent. Each state and each proof is therefore accepted only once.
 * - `TaskStore` (`tasks.ts`): tasks, and the choice of the next task to run. `TaskExecutor` (`task-executor.ts`)
 *   chooses the process.
 * - `ChangeBus` (`change-bus.ts`): notifications of changes, and messages from one process to another.
 * - `Limiter`: rate limits that apply across all processes.
 *
 * Implementations measure time by the clock of the store, because the clocks of processes differ. When a method fails,
 * it throws. The request that needed the method is refused, and other requests continue.
 *
 * @example
 * ```ts
 * const backend: Backend = memoryBackend();
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { keys: [key] }, backend });
 * ```
 */
export interface Backend {
  /** The name of the backend in logs, such as `redis`. */
  readonly name: string;
  readonly sessions: SessionStore;
  readonly events: EventStore;
  readonly states: StateStore;
  readonly tasks: TaskStore;
  readonly bus: ChangeBus;
  readonly limiter: Limiter;
  /**
   * Whether the backend itself limits how long a call of its stores, bus or limiter takes. The backends for Redis and
   * PostgreSQL do. If `false`, the app ends each such call with an error after `limits.storeTimeoutMs`.
   *
   * @default false
   */
  readonly isBounded?: boolean;
  /** Lets telemetry watch the backend's connections. Called once, before `open`. */
  watch?(watch: BackendWatch): void;
  /**
   * Connects to the store. Called once, before all other methods except `watch`. If the store cannot be reached, this
   * method does not fail, and the backend connects later.
   *
   * @param logger the log for errors that happen outside of requests, such as a lost connection.
   * @throws Error when the backend can never work, for example because its address is invalid.
   */
  open?(logger: Logger): MaybePromise<void>;
  /**
   * Checks that the store answers, for `/readyz`. That endpoint also checks the bus and the task store.
   *
   * @throws Error when the store does not answer.
   */
  check(): MaybePromise<void>;
  /** Closes the connections. Called once, by the app that uses the backend. */
  close(): MaybePromise<void>;
}

/** One operation on a store, such as Redis. */
export interface StoreEvent {
  /** The part of the backend, such as `sessions`. The value `connections` means the connections of the backend. */
  readonly part: string;
  /** The called method of the part, such as `get`. The value `wait` means that the backend waited for a connection. */
  readonly operation: string;
  readonly ms: number;
  /** The error; `undefined` if the operation succeeded. */
  readonly error: unknown;
}

/** Reports to telemetry what happens on a backend's connections. */
export interface BackendWatch {
  /** Whether telemetry watches now. If `false`, the backend does not have to report events. */
  readonly isActive: boolean;
  /**
   * Reports an operation that is not a method of a store, the bus or the limiter, such as the wait for a connection.
   */
  storeAsked(event: StoreEvent): void;
  /** Adds a gauge, such as the number of waiting statements. */
  addGauge(gauge: Gauge): void;
}

/**
 * Creates the backend of an app. `redis({ url })` and `postgres({ url })` return such functions. The name of the app
 * keeps its data apart from the data of other apps.
 *
 * @param app the identity of the app.
 */
export type BackendFactory = (app: { readonly name: string }) => Backend;

/** A session as a store keeps it, in plain JSON. */
export interface StoredSession {
  /** A random id that cannot be guessed. */
  readonly id: string;
  /** The version of the session. Starts at 1, and grows by one with every change. */
  readonly version: number;
  /** The id of the session's principal; `null` without authentication, or until the user has logged in. */
  readonly owner: string | null;
  /**
   * Identifies the client for limits per client: a string that names a principal or a network address. Absent if
   * clients cannot be distinguished. In that case, only the limits for all clients together apply.
   */
  readonly client?: string | undefined;
  /**
   * When the session was opened, in milliseconds since 1970 by the clock of the process that opened it. It never
   * changes.
   */
  readonly openedAt: number;
  /** The protocol state of the session, in plain JSON. */
  readonly state: SessionState;
}

/** The protocol state of a session, in plain JSON. Stores keep it, but do not interpret it. */
export type SessionState = Readonly<Record<string, unknown>>;

/** A session as `SessionStore.list` returns it, with its expiry time. */
export interface KeptSession extends StoredSession {
  /**
   * The time when the store drops the session, unless a request uses the session earlier. In milliseconds since 1970,
   * by the clock of the store.
   */
  readonly expiresAt: number;
}

/** One page of the sessions in a store. */
export interface SessionPage {
  readonly sessions: readonly KeptSession[];
  /** The start of the next page; absent on the last page. */
  readonly cursor?: string | undefined;
}

/**
 * Keeps the sessions of clients of revision 2025-11-25 or earlier (2025-11-25, basic/transports, "Session Management").
 */
export interface SessionStore {
  /**
   * Stores a new session. Afterwards, `use` finds it.
   *
   * @param idleMs how long the session is kept without being used, in milliseconds.
   * @throws OverloadedError if the store is full; the client is asked to retry.
   */
  create(session: StoredSession, idleMs: number): MaybePromise<void>;
  /**
   * Reads a session, and counts this as use: from now on, the session is kept for another `idleMs`. Every request of a
   * session needs this call, so an implementation must use only one round trip to its database.
   *
   * @param knownVersion the version that the caller already has.
   * @returns the session; `'unchanged'` if it still has the known version; `undefined` if it does not exist or has
   *   expired.
   */
  use(
    id: string,
    idleMs: number,
    knownVersion?: number,
  ): MaybePromise<StoredSession | 'unchanged' | undefined>;
  /**
   * Replaces a stored session, if `session.version` is the stored version plus one. The session is then kept for
   * another `idleMs`.
   *
   * @returns whether the session was replaced; `false` if another request has changed the session, or if it no longer
   *   exists.
   */
  replace(session: StoredSession, idleMs: number): MaybePromise<boolean>;
  /** Ends a session. @returns whether the session existed. */
  delete(id: string): MaybePromise<boolean>;
  /**
   * Lists all sessions, in the store's order. This does not postpone their expiry. A session that changes during the
   * listing may be left out or appear twice.
   *
   * @param limit maximum number of sessions on a page.
   * @param cursor the start of the page; absent for the first.
   */
  list(limit: number, cursor?: string): MaybePromise<SessionPage>;
}

/** One stream of a session: the messages of one request, or the messages outside of requests. */
export interface StreamName {
  readonly session: string;
  /** The name of the stream. It is unique among all streams of all sessions, and cannot be guessed. */
  readonly stream: string;
}

/** A message of a stream. It is stored whether or not a client received it. */
export interface StoredEvent {
  /** The id that `append` returned. */
  readonly id: string;
  /** The JSON-RPC message as one line of JSON. */
  readonly message: string;
}

/** The rest of a stream after one of its events. */
export interface StreamRest {
  readonly events: readonly StoredEvent[];
  /** Whether the stream has ended, so that no more events will follow. */
  readonly ended: boolean;
}

/**
 * Stores the events of streams, so that a client that lost its connection can get the rest of a stream (2025-11-25,
 * basic/transports, "Resumability and Redelivery"). For each stream, a transport waits for the result of one call
 * before it makes the next call. A method that returns its value without a promise therefore makes a stream faster.
 *
 * A store may drop events at any time, the oldest of a stream first. A client that resumes the stream then gets only
 * the remaining events.
 */
export interface EventStore {
  /**
   * Appends a message to its stream. An ended stream does not change. If a process is slow and others consider it dead,
   * its late messages are therefore not appended.
   *
   * @param ends whether the message also ends the stream. The message is appended and the stream is ended in one atomic
   *   step. If two processes try to end a stream, only one of them succeeds.
   * @returns an id that is new in this stream. It is visible ASCII, so that it fits in an HTTP header. `undefined` if
   *   the stream had already ended; the message is then not stored. After the store has dropped the events of a stream,
   *   it may no longer know that the stream had ended.
   */
  append(name: StreamName, message: string, ends?: boolean): MaybePromise<string | undefined>;
  /** Ends a stream: no process can append to it any longer. */
  end(name: StreamName): MaybePromise<void>;
  /**
   * Returns the events that follow a given event of a stream, in order.
   *
   * @param id the id of the given event. If the store has dropped this event, the result begins with the first later
   *   event that is still stored. Without an id, all events are returned. The client sends the id, so it can be any
   *   text. For an unknown id, the result can be empty, or contain any of the events of this stream.
   */
  after(name: StreamName, id?: string): MaybePromise<StreamRest>;
  /** Drops the events of one stream, or of all streams of a session. */
  forget(session: string, stream?: string): MaybePromise<void>;
}

/** The kinds of values in a state store: request states, and proofs of possession (RFC 9449). */
export type StateKind = 'states' | 'proofs';

/**
 * A store's answer about the use of a state:
 *
 * - `'first'`: the state was not used before.
 * - `'used'`: the state was used before.
 * - `'forgotten'`: the state is older than the store's records, so the store cannot know whether it was used.
 */
export type StateUse = 'first' | 'used' | 'forgotten';

/**
 * Remembers which request states clients have sent back, so that each state is accepted only once (2026-07-28,
 * basic/patterns/mrtr, "Server Requirements"). Processes that share `state.keys` must also share a store.
 *
 * A store knows the time since which its records are complete. If data was lost, for example by a restart of Redis
 * without persistence, this is the time of the loss.
 */
export interface StateStore {
  /**
   * Marks a state as used, in one round trip to the database. Of concurrent calls with the same id, exactly one gets
   * `'first'`. If the call fails, the request is refused.
   *
   * @param id a random, unique id; the store never receives the state itself.
   * @param forMs how long to remember the id, in milliseconds. After that time, the state has expired, and is refused
   *   anyway.
   * @param client identifies the client for limits per client: a string that names a principal or a network address.
   *   Absent if clients cannot be distinguished.
   * @param kind the kind of value. Each kind has its own capacity. If they shared one, the proofs would leave no room
   *   for states, because proofs arrive with every request.
   * @default kind 'states'
   * @param ageMs how long ago the state was created, in milliseconds. The store subtracts this from the current time of
   *   its own clock.
   * @default ageMs 0
   * @returns `'first'` if the state is accepted. For any other value, the request with the state is refused.
   * @throws OverloadedError if the store is full. The store must not forget another id instead, because that id could
   *   then be used again.
   */
  use(id: string, forMs: number, client?: string, kind?: StateKind, ageMs?: number): MaybePromise<StateUse>;
}

/** The maximum rate of an operation, such as a call. */
export interface Rate {
  /** How many operations are allowed in each window; at least 1. */
  readonly limit: number;
  /** The length of the window, in milliseconds. */
  readonly windowMs: number;
  /**
   * How many operations are allowed in immediate succession after a long pause.
   * @default limit
   */
  readonly burst?: number;
}

/** A limiter's decision about one operation. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** How many more operations are allowed immediately. */
  readonly remaining: number;
  /** Milliseconds until the operation can be allowed; 0 if it was allowed. */
  readonly retryAfterMs: number;
}

/** The state of a rate limit for a client, after the limit has counted the client's request. */
export interface LimitState {
  /** The name of the rate limit, such as `tool search principal`. */
  readonly name: string;
  /** How many requests the limit allows in each window. */
  readonly limit: number;
  /** The length of the window, in milliseconds. */
  readonly windowMs: number;
  /** How many more requests the limit allows immediately. */
  readonly remaining: number;
  /** Milliseconds until the limit allows one more request than `remaining`. */
  readonly resetMs: number;
}

/**
 * Limits how often operations happen in all processes together, with the generic cell rate algorithm (GCRA). When all
 * allowed operations are used up, the limiter allows further operations one by one, at equal intervals. Refused callers
 * therefore do not all continue at the same moment.
 */
export interface Limiter {
  /**
   * Decides whether an operation is allowed now, and counts the operation if it is allowed.
   *
   * @param key the key to count by: a principal, a tool, an address, or several of them in one string.
   * @param cost how many operations this operation counts as.
   */
  take(key: string, rate: Rate, cost?: number): MaybePromise<LimitDecision>;
}
