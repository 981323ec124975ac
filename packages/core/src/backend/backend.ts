import type { Gauge } from '../protocol/gauge.js';
import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ChangeBus } from './change-bus.js';
import type { TaskStore } from './tasks.js';

/**
 * The state that outlives a request, and that the processes of one app share. Each part has its own interface. By
 * default it is kept in memory (`memory/`); packages keep it in Redis or PostgreSQL:
 *
 * - `SessionStore`: the sessions of clients up to 2025-11-25, so that any process serves any request of them.
 * - `EventStore`: the streams of these sessions, so that a client that lost its connection gets the rest anywhere.
 * - `StateStore`: used request states, so that each is accepted once (2026-07-28), and used proofs of possession.
 * - `TaskStore` (`tasks.ts`): tasks, and the next one for a process. `TaskExecutor` (`task-executor.ts`) chooses the
 *   process.
 * - `ChangeBus` (`change-bus.ts`): changes, and messages from one process to another.
 * - `Limiter`: how often something may happen in all processes together.
 *
 * Implementations measure milliseconds by the clock of the store, because the clocks of processes differ. A method that
 * fails throws: its request is refused, and others continue.
 *
 * @example
 * ```ts
 * const backend: Backend = memoryBackend();
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { keys: [key] }, backend });
 * ```
 */
export interface Backend {
  /** Names it in logs, such as `redis`. */
  readonly name: string;
  readonly sessions: SessionStore;
  readonly events: EventStore;
  readonly states: StateStore;
  readonly tasks: TaskStore;
  readonly bus: ChangeBus;
  readonly limiter: Limiter;
  /**
   * Whether each of its parts answers or fails within a time of its own, as those on Redis and PostgreSQL do. The parts of others fail after
   * `limits.storeTimeoutMs`.
   *
   * @default false
   */
  readonly isBounded?: boolean;
  /** Lets telemetry watch its connections. Called once, before `open`. */
  watch?(watch: BackendWatch): void;
  /**
   * Connects. Called once, before all other methods. An unreachable store is not a failure: the backend connects later.
   *
   * @param logger receives errors between requests.
   * @throws Error when it can never work, such as with a wrong address.
   */
  open?(logger: Logger): MaybePromise<void>;
  /**
   * Asks the store whether it answers, for `/readyz`, which asks the bus and the task store, too.
   *
   * @throws Error when it does not.
   */
  check(): MaybePromise<void>;
  /** Ends its connections. Called once, by the app it was given to. */
  close(): MaybePromise<void>;
}

/** One question to a store, such as Redis. */
export interface StoreEvent {
  /** The part of the backend, such as `sessions`; `connections` for events of its connections. */
  readonly part: string;
  /** The method of its interface, such as `get`; `wait` for the wait for a connection. */
  readonly operation: string;
  readonly ms: number;
  /** The error. */
  readonly error: unknown;
}

/** Reports a backend's connections to telemetry. */
export interface BackendWatch {
  /** Whether it watches now; while it does not, no event is needed. */
  readonly isActive: boolean;
  /** Reports the duration of an operation outside of the parts, such as the wait for a connection. */
  storeAsked(event: StoreEvent): void;
  /** Adds a gauge, such as the number of waiting statements. */
  addGauge(gauge: Gauge): void;
}

/**
 * Creates the backend of an app, as `redis({ url })` and `postgres({ url })` do. The name of the app separates its data
 * from that of others.
 *
 * @param app the identity of the app.
 */
export type BackendFactory = (app: { readonly name: string }) => Backend;

/** A session as it is kept. Plain JSON. */
export interface StoredSession {
  /** Random, and not to be guessed. */
  readonly id: string;
  /** Grows by one with every change; 1 at first. */
  readonly version: number;
  /** The id of its principal; `null` without authentication, and until its user has logged in. */
  readonly owner: string | null;
  /** The quota key: a text that names a principal or a network address; absent if clients are indistinguishable. */
  readonly client?: string | undefined;
  /** When it was opened, in milliseconds since 1970 by the clock of the process that did. It does not change. */
  readonly openedAt: number;
  /** The state of the session, as the engine serialises it. */
  readonly state: SessionState;
}

/** The engine's state of a session, in plain JSON. Stores do not read it. */
export type SessionState = Readonly<Record<string, unknown>>;

/** A session as a store lists it. */
export interface KeptSession extends StoredSession {
  /** When it is dropped unless it is used before, in milliseconds since 1970 by the clock of the store. */
  readonly expiresAt: number;
}

/** Some of the sessions that a store keeps. */
export interface SessionPage {
  readonly sessions: readonly KeptSession[];
  /** The start of the next page; absent on the last one. */
  readonly cursor?: string | undefined;
}

/** Keeps the sessions of clients up to 2025-11-25 (2025-11-25, basic/transports, "Session Management"). */
export interface SessionStore {
  /**
   * Keeps a new session: once this is done, `use` finds it.
   *
   * @param idleMs how long it is kept without being used, in milliseconds.
   * @throws OverloadedError if there is no room; the client is asked to retry.
   */
  create(session: StoredSession, idleMs: number): MaybePromise<void>;
  /**
   * Reads a session, and counts that as use: from now on it is kept for `idleMs` again. The one thing that is done for
   * every request of a session, so it takes one round trip.
   *
   * @param knownVersion the version that the caller has already.
   * @returns the session; `'unchanged'` if it still has the known version; `undefined` if it does not exist or has
   *   expired.
   */
  use(
    id: string,
    idleMs: number,
    knownVersion?: number,
  ): MaybePromise<StoredSession | 'unchanged' | undefined>;
  /**
   * Replaces a session with its next version, if the one that is kept is still the one before it.
   *
   * @returns whether it was; when not, it was changed in between, or it is gone.
   */
  replace(session: StoredSession, idleMs: number): MaybePromise<boolean>;
  /** Ends a session. @returns whether there was one. */
  delete(id: string): MaybePromise<boolean>;
  /**
   * Lists all sessions, in the store's order, without extending them. A session that changes during the listing may be
   * left out or appear twice.
   *
   * @param limit most of them on a page.
   * @param cursor the start of the page; absent for the first.
   */
  list(limit: number, cursor?: string): MaybePromise<SessionPage>;
}

/** One stream of a session: the messages of one request, or those outside of requests. */
export interface StreamName {
  readonly session: string;
  /** Unique among all streams of all sessions, and not to be guessed. */
  readonly stream: string;
}

/** A message that was sent, or would have been had anybody listened. */
export interface StoredEvent {
  /** As `append` gave it. */
  readonly id: string;
  /** Serialised JSON-RPC without line breaks. */
  readonly message: string;
}

/** The rest of a stream after one of its events. */
export interface StreamRest {
  readonly events: readonly StoredEvent[];
  /** Whether `end` has been called: nothing more will come. */
  readonly ended: boolean;
}

/**
 * Stores the events of streams, so that a client that lost its connection gets the rest (2025-11-25, basic/transports,
 * "Resumability and Redelivery"). A transport calls the methods of one stream one after another, each after the one
 * before has finished. A synchronous answer saves a turn of the event loop.
 *
 * A store may drop events at any time, the oldest of a stream first: a client that resumes gets the rest.
 */
export interface EventStore {
  /**
   * Appends a message to its stream. An ended stream does not change, because a process that was considered dead may
   * come back.
   *
   * @param ends whether the message ends the stream, in one step: if two processes end a stream, one of them wins.
   * @returns an id unlike all others of the stream, ever: visible ASCII, fit for an HTTP header; `undefined` when the
   *   stream had ended before, and the message is not kept. A store that has dropped a stream may have forgotten that.
   */
  append(name: StreamName, message: string, ends?: boolean): MaybePromise<string | undefined>;
  /** Ends a stream: no process can append to it any longer. */
  end(name: StreamName): MaybePromise<void>;
  /**
   * The events of a stream after an id, in order.
   *
   * @param id that of an event of this stream, kept or dropped; all events are given when it is absent. A client may
   *   send anything: an id the stream never had gives events of this stream or none.
   */
  after(name: StreamName, id?: string): MaybePromise<StreamRest>;
  /** Drops the events of one stream, or of all streams of a session. */
  forget(session: string, stream?: string): MaybePromise<void>;
}

/** The kinds of values in a state store: request states, and proofs of possession (RFC 9449). */
export type StateKind = 'states' | 'proofs';

/**
 * The verdict of a store on a state: `'first'` for its first use, `'used'` if it was used before. `'forgotten'` if the
 * state is older than the store's memory.
 */
export type StateUse = 'first' | 'used' | 'forgotten';

/**
 * Remembers which states clients have brought back, so that each is accepted once (2026-07-28, basic/patterns/mrtr,
 * "Server Requirements"). Processes that share `state.keys` share a store.
 *
 * A store knows the start of its memory. After a loss of data, such as a restart of a Redis without persistence, it
 * starts anew.
 */
export interface StateStore {
  /**
   * Marks a state as used, in one round trip. Of concurrent calls with one id exactly one gets `'first'`. A failure
   * refuses the request.
   *
   * @param id random and unique; the state itself is never told.
   * @param forMs how long to remember it, in milliseconds: the state is refused after that anyway.
   * @param client quota key: a text that names a principal or a network address; absent if clients cannot be told
   *   apart.
   * @param kind the kind of value. Each kind has room of its own: proofs come with every request, and would displace
   *   states.
   * @default kind 'states'
   * @param ageMs how long ago it was made, in milliseconds. The store counts back from now by its own clock.
   * @default ageMs 0
   * @returns `'first'` accepts the state; everything else refuses it.
   * @throws OverloadedError if there is no room: a forgotten id could be used again.
   */
  use(id: string, forMs: number, client?: string, kind?: StateKind, ageMs?: number): MaybePromise<StateUse>;
}

/** How often something may happen. */
export interface Rate {
  /** How many times in each window; at least 1. */
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
  /**
   * How many times at once, when nothing has happened for long.
   * @default limit
   */
  readonly burst?: number;
}

/** Whether something may happen now. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** How often it may still happen at once. */
  readonly remaining: number;
  /** Milliseconds until it is allowed again; 0 if it was allowed. */
  readonly retryAfterMs: number;
}

/** How a rate stands for the client of a request that was counted by it. */
export interface LimitState {
  /** The name of the rate within its app. */
  readonly name: string;
  /** How many requests it allows in each window. */
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
  /** How many more it allows at once. */
  readonly remaining: number;
  /** Milliseconds until it allows one more than that. */
  readonly resetMs: number;
}

/**
 * Limits rates over all processes by the generic cell rate algorithm (GCRA). Allowance returns evenly, so there is no
 * moment at which all callers may start again.
 */
export interface Limiter {
  /**
   * Asks whether something may happen now, and counts it when it may.
   *
   * @param key the key: a principal, a tool, an address, or several of them in one text.
   * @param cost how many times it counts.
   */
  take(key: string, rate: Rate, cost?: number): MaybePromise<LimitDecision>;
}
