import type { Logger } from '../protocol/logging.js';
import type { Gauge } from '../protocol/gauge.js';
import type { Principal, RequestInfo } from '../protocol/principal.js';
import type { RateLimitError } from '../errors/errors.js';
import type { EventStore, LimitState, SessionState, SessionStore, StateStore } from '../backend/backend.js';
import type { ServerChange } from '../backend/change-bus.js';
import type { TaskStatus } from '../backend/tasks.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { RequestId } from '../protocol/protocol.js';

/**
 * The destination of the messages of one request. HTTP makes one per POST; stdio has one for the whole connection.
 * Messages are serialised JSON-RPC without line breaks.
 */
export interface Sink {
  /** Takes note of the request that this is for, before its handler runs; not called for one that is refused at once. */
  serves?(request: ActiveRequest): void;
  /** Sends a message that is not the response: a notification, or a request to the client. */
  send(message: string): void;
  /**
   * Sends the response, after which nothing more is sent for this request.
   *
   * @param rejection why, when the request itself was refused: HTTP chooses its status by it. Absent when a handler answered, with
   *   whatever result.
   */
  end(message: string, rejection?: Rejection): void;
  /**
   * Sends a message that only this process has, to the process where the client listens. If it is absent, `send` is
   * used. `send` of a connection carries changes, which every process knows.
   */
  deliver?(message: string): void;
  /** Called instead of `end` when the request was cancelled and will get no response. */
  abandon?(): void;
  /**
   * Closes the connection while the request runs on; the client reconnects for the rest. Absent if nothing could be
   * fetched later.
   *
   * @param retryMs delay before the client reconnects, in milliseconds; the transport's default if absent.
   */
  closeStream?(retryMs?: number): void;
}

/** Why a request was refused. */
export interface Rejection {
  /** The code of the JSON-RPC error. */
  readonly code: number;
  /** All that the request needs, when its principal lacks any of them. */
  readonly scopes?: readonly string[];
  /** Seconds until the client may retry, if the server sets it. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A request that has been accepted and not yet answered. */
export interface ActiveRequest {
  /** Whether the response has been sent or given up. */
  readonly done: boolean;
  /**
   * All scopes that the call was found to need. A caller who fetches its answer later, or answers its questions, needs
   * them too. `undefined` until they are known.
   */
  readonly neededScopes?: readonly string[] | undefined;
  /** The states of the rates that counted it, for its client; absent if none did. */
  readonly limits?: readonly LimitState[] | undefined;
  /** Aborts the handler's signal and gives the response up. */
  cancel(reason: string): void;
}

/**
 * The server's side of one connection: a stdio process, a legacy HTTP session, a pair in memory.
 * Modern requests carry all they need and may arrive on any connection.
 */
export interface Connection {
  /**
   * Takes one parsed JSON-RPC message, or a batch.
   *
   * @param sink the destination of everything about this message; the connection's own sink if absent.
   * @param claim the result of `claimOf` for the message, if the transport has it already.
   * @returns the request in flight, or `undefined` when nothing is left to wait for.
   */
  receive(
    message: unknown,
    sink?: Sink,
    requestInfo?: RequestInfo,
    claim?: unknown,
  ): ActiveRequest | undefined;
  /** Updates the principal of a session, for example after fewer scopes. Guards of its notifications see the new one. */
  renew(principal: Principal | undefined): void;
  /**
   * Waits for the requests in flight, then closes.
   *
   * @param graceMs how long to wait, in milliseconds, before the rest are cancelled.
   * @param hasAnswers whether answers of the client still come, such as through other processes: handlers that wait for one are waited for,
   *   too. Else their wait fails at once.
   * @default hasAnswers false
   */
  drain(graceMs: number, hasAnswers?: boolean): Promise<void>;
  /** Cancels all requests in flight, fails pending requests to the client, and releases the session. */
  close(reason?: string): void;
  /** The state of the session for the store, after the answer to `initialize`. Plain JSON. */
  readonly sessionState: SessionState | undefined;
  /**
   * Takes over a session that was opened in another process, or brings the one that is here to a newer state.
   *
   * @param state as `sessionState` gave it, there or here.
   * @param requestInfo the request that needs the session: the session counts for its client, and guards of its
   *   notifications see it.
   * @returns whether the state could be read: that of another version of this program may not.
   * @throws OverloadedError if there is no room for the session's state.
   */
  restore(state: SessionState, requestInfo: RequestInfo): boolean;
  /** Notifies the client that everything may have changed: every list, and every resource it subscribed to. */
  announceAll(): void;
  /**
   * Holds back notifications of changes while the client's subscriptions are read.
   *
   * @returns a function that sends the held notifications, as far as the session is then subscribed to them.
   */
  hold(): () => void;
  /** The legacy session, once `initialize` has been answered. */
  readonly initialized: boolean;
  /** The revision negotiated by `initialize`, once there is one. */
  readonly version: string | undefined;
  /** Whether several messages may come in one array, by the revision of the session. */
  readonly batches: boolean;
  /** Whether the client, by its revision, comes back to a stream of events that stops before its response. */
  readonly resumes: boolean;
}

/** The parts that the processes of one app share, as far as transports use them. */
export interface EndpointBackend {
  /** Names this process in messages of the others: letters and digits. */
  readonly node: string;
  /** Store of sessions, so that any process serves them; absent if each session belongs to its process. */
  readonly sessions: SessionStore | undefined;
  /** Store of streams, so that clients resume them anywhere; absent if the transport decides. */
  readonly events: EventStore | undefined;
  /** Remembers values with a single use, in every process of the app. */
  readonly states: StateStore;
  /**
   * Encrypts and authenticates data that clients carry, for any process of the app with the same `state.keys`.
   *
   * @param purpose the purpose: data for another one is rejected.
   */
  seal(purpose: string, value: unknown): Promise<string>;
  /** Reads data that was sealed for a purpose. @returns `undefined` for other text. */
  unseal(purpose: string, text: string): Promise<unknown>;
  /**
   * Publishes a change to every process of the app, including this one. Never throws.
   *
   * @returns a promise that resolves once the change is published: later changes arrive later everywhere. `false` if it
   *   could not be published.
   */
  publish(change: ServerChange): MaybePromise<boolean>;
  /** Listens to the changes of all processes. @returns stops listening. */
  onChange(listener: (change: ServerChange) => void): () => void;
  /**
   * Gives a store that was given to the transport alone the time limit of the app (`limits.storeTimeoutMs`).
   *
   * @param name the option that it was given in, for the log.
   */
  limited<T extends object>(part: T, name: string): T;
  /** Asks each part of it whether it answers. Never rejects. */
  check(): Promise<ReadinessReport>;
}

/** The result of a readiness check of one part, or of a comparison between processes. */
export type PartCheck =
  'ok' | 'does not answer' | 'is full' | 'can only be read' | 'fails' | 'differ' | 'differs';

/** Whether a process accepts requests, and why not. */
export interface ReadinessReport {
  readonly isReady: boolean;
  /**
   * The checks by part: the `store`, the `bus`, the `tasks`; parts that are not shared are left out. `keys` and
   * `version` compare those of other processes; a difference does not make the process unready.
   */
  readonly checks: Readonly<Record<string, PartCheck>>;
}

/** The call or part that an author's code runs for. */
export interface Tracked {
  /** Receives reports of its unhandled rejections. */
  readonly logger: Logger;
  /** Returns its log fields. */
  details(): object;
}

/**
 * Runs an author's code and tracks the promises that it creates. Unhandled rejections are logged, and do not end the
 * process.
 */
export type Track = <T>(about: Tracked, run: () => T) => T;

/** Runs an author's code. `track` is absent unless promises are tracked. */
export interface Tracking {
  track?: Track | undefined;
}

/** A request that a transport has refused, with the facts it knows beside the message. */
export interface RefusalEvent {
  /** The check that refused it. */
  readonly by:
    'host' | 'origin' | 'token' | 'bytes' | 'rate' | 'quota' | 'message' | 'session' | 'method' | 'headers';
  /** Names the request in the log; its response repeats it. */
  readonly id: string;
  /** Why, by one of a few sentences. */
  readonly reason: string;
  /** The HTTP status it was answered with. */
  readonly status: number;
  /** The method of the HTTP request, and the path, as the client sent them, cut short. */
  readonly httpMethod: string;
  readonly path: string;
  readonly address: string | undefined;
  /** The principal of the request, if known. */
  readonly principal: Principal | undefined;
}

/** The part of a call that a transport shows to operators. The events of the app have more. */
export interface ShownCall {
  readonly id: string;
  readonly method: string;
  readonly name: string | undefined;
  /** The parameters of the request, unchecked; not to be shown. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: Principal | undefined;
  readonly client: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly transport: TransportName | undefined;
  readonly address: string | undefined;
  readonly task: { readonly id: string } | undefined;
}

/** The part of a finished call that a transport shows to operators. */
export interface ShownCallEnd extends ShownCall {
  readonly outcome: string;
  readonly refusedBy: string | undefined;
  readonly ms: number;
  readonly bytes: number;
  readonly error: { readonly code: number } | undefined;
  /** The result, not for display; `undefined` if there is none. Created on demand. */
  readonly result: () => Readonly<Record<string, unknown>> | undefined;
}

/** A task that this process has created, or whose status it has changed. */
export interface TaskEvent {
  readonly id: string;
  /** The name of its tool. */
  readonly tool: string;
  readonly status: TaskStatus;
  /** Milliseconds since it was created. */
  readonly ms: number;
}

/** Watches calls for a transport that shows them to operators: a part of an app's `Observer`. */
export interface EndpointObserver {
  /** A call has been admitted. @returns the observer of its end. */
  callStarted(call: ShownCall): {
    /** The handler asks its client. @returns the observer of the answer. */
    clientRequest(request: { readonly id: RequestId; readonly method: string }): {
      /** The client has answered, or the wait for its answer has failed with this error. */
      ended(error: unknown): void;
    };
    /** The call has ended. */
    ended(call: ShownCallEnd): void;
  };
  /** A request was refused before it was admitted. */
  callRefused(call: ShownCallEnd): void;
  /** A transport has refused a request before it read a message. */
  refused(event: RefusalEvent): void;
  /** This process has created a task, or changed its status. */
  taskChanged(event: TaskEvent): void;
}

/** The server as a transport sees it. */
export interface Endpoint {
  /** Receives errors that no client should see. */
  readonly logger: Logger;
  /** Sets the destination of log lines, unless the author gave a logger. The mounting code calls it. */
  logTo?(logger: Logger): void;
  /** Runs an author's functions for the transport, such as `authenticate`; absent unless promises are tracked. */
  readonly track?: Track | undefined;
  /** Takes note of a request that the transport has refused. */
  refused?(event: RefusalEvent): void;
  /** Lets telemetry measure something of the transport. @returns ends that. */
  addGauge?(gauge: Gauge): () => void;
  /** Watches calls, for a transport that shows them to operators. @returns ends the watch. */
  observe?(observer: EndpointObserver): () => void;
  /**
   * Counts a request by the rates per address, before any other work; absent if there are none.
   *
   * @returns the error to refuse it with, if any.
   */
  readonly admitAddress?: ((address: string) => MaybePromise<RateLimitError | undefined>) | undefined;
  /**
   * Waits at most five seconds until the audit has written the calls that have ended: for a transport whose platform
   * stops the program after an answer. Absent if there is no audit.
   */
  readonly written?: (() => Promise<void>) | undefined;
  /** The parts that it shares with other processes. */
  readonly backend: EndpointBackend;
  /** Takes note that the process is about to end, while it still serves: other processes begin tasks from then on, if there are any. */
  closes?(): void;
  /**
   * Begins a connection.
   *
   * @param sink the destination of messages outside of requests; without it they are dropped.
   */
  connect(sink?: Sink, options?: ConnectOptions): Connection;
}

/** The transport of messages. */
export type TransportName = 'http' | 'stdio' | 'memory';

/** Options of a transport's connection. */
export interface ConnectOptions {
  /**
   * The transport, for telemetry.
   * @default 'memory'
   */
  readonly transport?: TransportName;
  /**
   * Whether messages of many clients arrive on it, each with its own envelope and with the standard headers of HTTP
   * (2026-07-28, basic/transports/streamable-http). The headers in `requestInfo` are then held against the bodies, and only requests mean
   * anything: a client cancels by closing the stream of its request.
   * @default false
   */
  readonly shared?: boolean;
  /**
   * Stores a change of the session that this connection began with `initialize`, for other processes. Requests that
   * change the session are answered after that. If it fails, they are refused and the session stays as it was.
   *
   * @param change makes the next state of the one that is kept. It may be called several times.
   * @default undefined: sessions belong to this process
   */
  readonly persist?: ((change: (state: SessionState) => SessionState) => MaybePromise<void>) | undefined;
  /**
   * Whether its client may send `initialize` again, which ends the session so far. Programs need it if several clients
   * use the same streams one after another.
   * @default false
   */
  readonly restarts?: boolean;
  /**
   * Why nothing can be asked of the client of a session: a handler that asks fails at once, with this text. For transports that send
   * nothing before the answer, or that answers do not come back to.
   * @default undefined: it can be asked
   */
  readonly unaskable?: string | undefined;
  /**
   * Names this process with letters and digits. Ids of requests to the client begin with it, `<node>.<n>`, so that an
   * answer at another process finds its way back.
   * @default undefined: ids are numbers
   */
  readonly node?: string | undefined;
}

/** A started runtime. */
export interface RunningRuntime {
  /** Resolves when the runtime has ended by itself, as stdio does at the end of its input. */
  readonly closed: Promise<void>;
  /** The address for clients, such as a URL; empty for stdio. */
  readonly address: string;
  /** Stops accepting requests, drains, and releases its resources. */
  close(): Promise<void>;
  /**
   * Called when the app closes because its last runtime has ended. A runtime that owns the process ends it here.
   *
   * @param closed settles when the services have been disposed of.
   */
  appCloses?(closed: Promise<void>): void;
}

/** Something a server can be mounted on: `stdio()`, `http()`, or your own. */
export interface Runtime {
  readonly name: string;
  /** The destination of log lines unless the author gave a logger. */
  readonly logger?: Logger;
  /**
   * Whether the process belongs to this server. Unhandled rejections are then logged after start, and do not end the
   * process. Those of handlers and of `authenticate` are logged with their definition or request.
   * @default false
   */
  readonly ownsProcess?: boolean;
  /**
   * Whether SIGTERM and SIGINT end its service and the process. This also applies if the process only runs tasks, and
   * the runtime is not started.
   * @default false
   */
  readonly handleSignals?: boolean;
  /** Serves an endpoint. It resolves when clients can connect. */
  start(endpoint: Endpoint): Promise<RunningRuntime>;
}

/** One side of a connection within a process. */
export interface InMemoryConnection {
  /** Sends a message to the server, serialised on the way as on any wire. */
  send(message: unknown): void;
  /** Waits for requests in flight, then closes. @param graceMs maximum wait, in milliseconds. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Connects to a server within the process, without bytes or sockets: for tests, and for embedding.
 *
 * @param endpoint the server, such as `app.endpoint`.
 * @param receive takes every message of the server, parsed.
 * @param requestInfo facts about every message, as an HTTP transport would have them: headers, principal.
 * @returns the side of the client.
 * @example
 * ```ts
 * const connection = connectInMemory(app.endpoint, (answer) => console.log(answer));
 * connection.send({ jsonrpc: '2.0', id: 1, method: METHODS.ping });
 * await connection.close(1_000);
 * ```
 */
export function connectInMemory(
  endpoint: Endpoint,
  receive: (message: unknown) => void,
  requestInfo?: RequestInfo,
): InMemoryConnection {
  const deliver = (text: string): void => queueMicrotask(() => receive(JSON.parse(text)));
  const sink: Sink = { send: deliver, end: deliver };
  const connection: Connection = endpoint.connect(sink);
  return {
    send(message) {
      const text = JSON.stringify(message);
      queueMicrotask(() => connection.receive(JSON.parse(text), undefined, requestInfo));
    },
    close: (graceMs = 0) => connection.drain(graceMs),
  };
}
