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
 * The destination of messages to a client. HTTP creates one sink for each POST request and for each session, and stdio
 * creates one for the whole connection. Messages are serialised JSON-RPC without line breaks.
 */
export interface Sink {
  /** Receives the request that the sink serves, before its handler runs. Not called if the request is refused first. */
  serves?(request: ActiveRequest): void;
  /** Sends a message that is not the response: a notification, or a request to the client. */
  send(message: string): void;
  /**
   * Sends the response, which is the last message for this request.
   *
   * @param rejection the reason why the request was refused before a handler answered it. Over HTTP, it determines the
   *   status. Absent if a handler answered, even with an error.
   */
  end(message: string, rejection?: Rejection): void;
  /**
   * Sends a message that only this process knows, such as the end of an elicitation. If the client is connected to
   * another process, the message is passed to that process. Notifications of changes are sent with `send` instead,
   * because every process receives the change over the bus. If this method is absent, `send` is used for all messages.
   */
  deliver?(message: string): void;
  /** Called instead of `end` when the request was cancelled and gets no response. */
  abandon?(): void;
  /**
   * Closes the connection while the request continues. The client reconnects to get the remaining messages. Absent if
   * clients cannot reconnect in this way.
   *
   * @param retryMs delay before the client reconnects, in milliseconds; the transport's default if absent.
   */
  closeStream?(retryMs?: number): void;
}

/** The reason why a request was refused. */
export interface Rejection {
  /** The code of the JSON-RPC error. */
  readonly code: number;
  /** All scopes that the request needs; present when the principal lacks at least one of them. */
  readonly scopes?: readonly string[];
  /** Seconds after which the client can retry; absent if the server does not set a time. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A request that has been accepted and not yet answered. */
export interface ActiveRequest {
  /** Whether the response has been sent or abandoned. */
  readonly done: boolean;
  /**
   * All scopes that the call needs. A caller who fetches the call's response later, or answers its questions, also
   * needs these scopes. `undefined` until the scopes are known.
   */
  readonly neededScopes?: readonly string[] | undefined;
  /**
   * The rate limits that counted the request. The response tells the client how many requests each limit still allows.
   * Absent if no rate limit counted the request.
   */
  readonly limits?: readonly LimitState[] | undefined;
  /** Aborts the handler's signal and abandons the response. */
  cancel(reason: string): void;
}

/**
 * The server's side of one connection: a stdio process, a legacy HTTP session, or an in-memory pair.
 * Requests of revision 2026-07-28 need no session, and can arrive on any connection.
 */
export interface Connection {
  /**
   * Processes one parsed JSON-RPC message, or a batch.
   *
   * @param sink the destination of all messages that answer this one; the connection's own sink if absent.
   * @param claim the result of `claimOf` for the message, if the transport has already called it.
   * @returns the request in flight, or `undefined` if the message needs no response or has already been answered.
   */
  receive(
    message: unknown,
    sink?: Sink,
    requestInfo?: RequestInfo,
    claim?: unknown,
  ): ActiveRequest | undefined;
  /**
   * Updates the principal of a session, for example if it has fewer scopes now. The guards that check the session's
   * notifications then receive the new principal.
   */
  renew(principal: Principal | undefined): void;
  /**
   * Waits for the requests in flight, then closes.
   *
   * @param graceMs how long to wait, in milliseconds. Requests that still run after this time are cancelled.
   * @param hasAnswers whether the client's answers can still arrive, for example through other processes. If so,
   *   handlers that wait for an answer can still finish; otherwise, their wait fails immediately.
   * @default hasAnswers false
   */
  drain(graceMs: number, hasAnswers?: boolean): Promise<void>;
  /**
   * Cancels the client's running requests, rejects the server's unanswered requests to the client, and releases the
   * session.
   */
  close(reason?: string): void;
  /** The state of the session as plain JSON, for the session store; `undefined` before `initialize`. */
  readonly sessionState: SessionState | undefined;
  /**
   * Takes over a session that was opened in another process, or updates the session of this connection to a newer
   * state.
   *
   * @param state a value that `sessionState` returned, in this process or another.
   * @param requestInfo the request that needs the session. Limits per client count the session as a session of this
   *   request's client. Guards receive this request when they check the session's notifications.
   * @returns whether the state could be read; a state from another version of this program may be unreadable.
   * @throws OverloadedError if the session needs more memory than a limit allows.
   */
  restore(state: SessionState, requestInfo: RequestInfo): boolean;
  /** Notifies the client that every list, and every resource that the client is subscribed to, may have changed. */
  announceAll(): void;
  /**
   * Delays change notifications to the client while the subscriptions of the session are read from the session store.
   *
   * @returns a function that ends the delay. The function sends the delayed notifications, except those about resources
   *   without a subscription.
   */
  hold(): () => void;
  /** Whether `initialize` has been answered. The answer begins a legacy session. */
  readonly initialized: boolean;
  /** The revision that `initialize` negotiated; `undefined` before that. */
  readonly version: string | undefined;
  /** Whether the revision of the session allows several messages in one array. */
  readonly batches: boolean;
  /** Whether clients of the session's revision resume an event stream that stops before the response. */
  readonly resumes: boolean;
}

/** The parts that the processes of an app share, with the methods that transports call. */
export interface EndpointBackend {
  /** The id of this process in messages of other processes: letters and digits. */
  readonly node: string;
  /**
   * The shared store of sessions, which lets every process serve every session. `undefined` if each session belongs to
   * one process.
   */
  readonly sessions: SessionStore | undefined;
  /**
   * The shared store of event streams, which lets clients resume a stream at any process. `undefined` if the transport
   * chooses its own store.
   */
  readonly events: EventStore | undefined;
  /**
   * The store that remembers which single-use values, such as request states, have been used. Therefore, no process of
   * the app accepts such a value twice.
   */
  readonly states: StateStore;
  /**
   * Encrypts data that a client stores for the server. The client cannot read the data, and changes are detected. Every
   * process with the same `state.keys` can decrypt the result with `unseal`.
   *
   * @param purpose what the data is for. `unseal` returns the data only if it gets the same purpose.
   */
  seal(purpose: string, value: unknown): Promise<string>;
  /** Reads data that was sealed for a purpose. @returns the data; `undefined` for any other text. */
  unseal(purpose: string, text: string): Promise<unknown>;
  /**
   * Publishes a change to every process of the app, including this one. Never throws.
   *
   * @returns `true` once the change is published, or `false` if that failed.
   */
  publish(change: ServerChange): MaybePromise<boolean>;
  /** Calls the listener for each change that any process publishes. @returns a function that removes the listener. */
  onChange(listener: (change: ServerChange) => void): () => void;
  /**
   * Wraps a store that was passed as an option of the transport, so that the app's `limits.storeTimeoutMs` also limits
   * the store's methods.
   *
   * @param name the name of the transport's option, for error messages.
   * @returns the wrapper of the store.
   */
  limited<T extends object>(part: T, name: string): T;
  /** Checks that each part responds. Never rejects. */
  check(): Promise<ReadinessReport>;
}

/**
 * The result of one readiness check. For a shared part: `ok`, or the problem of the part. For `keys`: `ok` if the
 * processes can read each other's data, otherwise `differ`. For `version`: `ok` if they have the same version,
 * otherwise `differs`.
 */
export type PartCheck =
  'ok' | 'does not answer' | 'is full' | 'can only be read' | 'fails' | 'differ' | 'differs';

/** Whether a process is ready for requests, and the result of each check. */
export interface ReadinessReport {
  readonly isReady: boolean;
  /**
   * The result of each check, by name. `store`, `bus` and `tasks` are the parts that processes share; parts that are
   * not shared are absent. `keys` and `version` compare this process with others. A difference does not make the
   * process unready.
   */
  readonly checks: Readonly<Record<string, PartCheck>>;
}

/** The call, or the part of the app, that runs an author's code. */
export interface Tracked {
  /** The logger that reports unhandled rejections of the code. */
  readonly logger: Logger;
  /** Returns the log fields that describe the call or part. */
  details(): object;
}

/**
 * Runs an author's code and tracks the promises that it creates. Unhandled rejections are logged, and do not end the
 * process.
 */
export type Track = <T>(about: Tracked, run: () => T) => T;

/** Contains the function that runs an author's code; `track` is absent unless promises are tracked. */
export interface Tracking {
  track?: Track | undefined;
}

/** A request that a transport has refused, with facts such as the reason and the HTTP status. */
export interface RefusalEvent {
  /** The check that refused the request. */
  readonly by:
    'host' | 'origin' | 'token' | 'bytes' | 'rate' | 'quota' | 'message' | 'session' | 'method' | 'headers';
  /** The id of the request in the log; the response repeats it. */
  readonly id: string;
  /** The reason: one of a few fixed sentences. */
  readonly reason: string;
  /** The HTTP status of the response. */
  readonly status: number;
  /**
   * The method of the HTTP request. Like `path`, this text comes from the client. It can be shortened, but is not
   * changed otherwise.
   */
  readonly httpMethod: string;
  readonly path: string;
  readonly address: string | undefined;
  /** The principal of the request, if known. */
  readonly principal: Principal | undefined;
}

/**
 * The facts about a call that a transport shows to the people who run the server. The app's `call` events contain more.
 */
export interface ShownCall {
  readonly id: string;
  readonly method: string;
  readonly name: string | undefined;
  /** The parameters of the request, unchecked. Do not display them. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: Principal | undefined;
  readonly client: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly transport: TransportName | undefined;
  readonly address: string | undefined;
  readonly task: { readonly id: string } | undefined;
}

/** The facts about a finished call that a transport shows to the people who run the server. */
export interface ShownCallEnd extends ShownCall {
  readonly outcome: string;
  readonly refusedBy: string | undefined;
  readonly ms: number;
  readonly bytes: number;
  readonly error: { readonly code: number } | undefined;
  /** Returns the result, which is created on demand; `undefined` if the call has no result. Do not display it. */
  readonly result: () => Readonly<Record<string, unknown>> | undefined;
}

/** A task that this process created, or whose status it changed. */
export interface TaskEvent {
  readonly id: string;
  /** The name of the task's tool. */
  readonly tool: string;
  readonly status: TaskStatus;
  /** Milliseconds since the task was created. */
  readonly ms: number;
}

/**
 * An object whose methods are called when something happens to a call or a task, or when a request is refused. A
 * transport shows these events to the people who run the server. An app's `Observer` has the same methods and more.
 */
export interface EndpointObserver {
  /**
   * Called when the server has accepted a call, or when the handler of a task begins to run.
   *
   * @returns an object whose methods are called during the rest of the call.
   */
  callStarted(call: ShownCall): {
    /**
     * Called when the handler sends a request to its client.
     *
     * @returns an object whose method is called when the request ends.
     */
    clientRequest(request: { readonly id: RequestId; readonly method: string }): {
      /** Called when the client has answered, or when the wait for the answer has failed with `error`. */
      ended(error: unknown): void;
    };
    /** Called when the call has ended. */
    ended(call: ShownCallEnd): void;
  };
  /** Called when the server refused a request before a call started. */
  callRefused(call: ShownCallEnd): void;
  /** Called when a transport refused a request before reading its message. */
  refused(event: RefusalEvent): void;
  /** Called when this process has created a task or changed its status. */
  taskChanged(event: TaskEvent): void;
}

/** The part of a server that transports use. */
export interface Endpoint {
  /** The logger. Log lines can contain errors that clients must not see. */
  readonly logger: Logger;
  /**
   * Sets the destination of log lines, unless the author passed a logger. The code that mounts the app calls this
   * method.
   */
  logTo?(logger: Logger): void;
  /**
   * Runs functions that the author has passed to the transport, such as `authenticate`; absent unless promises are
   * tracked.
   */
  readonly track?: Track | undefined;
  /** Reports a request that the transport has refused. */
  refused?(event: RefusalEvent): void;
  /** Adds a gauge of the transport for telemetry. @returns a function that removes the gauge. */
  addGauge?(gauge: Gauge): () => void;
  /**
   * Adds an observer of calls, refusals and tasks. With an observer, a transport can show these events to the people
   * who run the server.
   *
   * @returns a function that removes the observer.
   */
  observe?(observer: EndpointObserver): () => void;
  /**
   * A function that counts a request against the rate limits of its network address. Transports call it before any
   * other work. Absent if no rate limit counts by address.
   *
   * @returns the error of the refusal; `undefined` if the request is allowed.
   */
  readonly admitAddress?: ((address: string) => MaybePromise<RateLimitError | undefined>) | undefined;
  /**
   * A function that waits until the audit log contains all ended calls, but at most five seconds. Transports call it if
   * their platform can stop the program after each answer. Absent if the app has no audit log.
   */
  readonly written?: (() => Promise<void>) | undefined;
  /** The parts that the server shares with other processes. */
  readonly backend: EndpointBackend;
  /**
   * Tells the server that the process is about to end but still serves requests. If other processes can run tasks, this
   * process then starts no new tasks.
   */
  closes?(): void;
  /**
   * Opens a connection.
   *
   * @param sink the destination of messages outside of requests. Without a sink, these messages are dropped.
   */
  connect(sink?: Sink, options?: ConnectOptions): Connection;
}

/** The name of the transport that messages arrive on. */
export type TransportName = 'http' | 'stdio' | 'memory';

/** Options of a transport's connection. */
export interface ConnectOptions {
  /**
   * The transport, for telemetry.
   * @default 'memory'
   */
  readonly transport?: TransportName;
  /**
   * Whether messages of many clients arrive on the connection. Each message then contains its own protocol version and
   * client data in `_meta`. Its standard HTTP headers (2026-07-28, basic/transports/streamable-http) are in
   * `requestInfo`, and must agree with the message. Notifications have no effect: a client cancels a request by closing
   * the stream of the request.
   * @default false
   */
  readonly shared?: boolean;
  /**
   * A function that stores a change of the session, so that other processes know the new state. It is used for a
   * session that began with an `initialize` on this connection, and for a restored session. A request that changes the
   * session is answered after the change is stored. If storing fails, the request is refused, and the session does not
   * change.
   *
   * @param change a function that receives the stored state, and returns the changed state. It can be called several
   *   times.
   * @default undefined: sessions belong to this process
   */
  readonly persist?: ((change: (state: SessionState) => SessionState) => MaybePromise<void>) | undefined;
  /**
   * Whether the client may send `initialize` again. The second `initialize` ends the current session. Set this option
   * if several clients use the same streams one after another.
   * @default false
   */
  readonly restarts?: boolean;
  /**
   * The reason why the server cannot ask the client of a session anything. If a handler asks a question, the handler
   * gets an error with this text. Transports set it if they send nothing before the response, or if they cannot receive
   * the client's answers.
   * @default undefined: the client can be asked
   */
  readonly unaskable?: string | undefined;
  /**
   * The id of this process: letters and digits. Ids of requests to the client begin with this id (`<node>.<n>`). If the
   * answer arrives at another process, that process can therefore forward it to this one.
   * @default undefined: ids are numbers
   */
  readonly node?: string | undefined;
}

/** A started runtime. */
export interface RunningRuntime {
  /** Resolves when the runtime has ended by itself, as stdio does when its input ends. */
  readonly closed: Promise<void>;
  /** The address for clients, such as a URL; empty for stdio. */
  readonly address: string;
  /** Stops accepting requests, lets requests in flight finish, and releases resources. */
  close(): Promise<void>;
  /**
   * Called when the app closes because its last runtime has ended. A runtime that owns the process should end the
   * process in this method.
   *
   * @param closed settles when the services have been disposed of.
   */
  appCloses?(closed: Promise<void>): void;
}

/** Something that can serve an app: `stdio()`, `http()`, or your own runtime. */
export interface Runtime {
  readonly name: string;
  /** The destination of log lines, unless the author passed a logger. */
  readonly logger?: Logger;
  /**
   * Whether the process belongs to this server. If so, unhandled rejections after the start are logged, and do not end
   * the process. Rejections in handlers and in `authenticate` are logged with their definition or request.
   * @default false
   */
  readonly ownsProcess?: boolean;
  /**
   * Whether SIGTERM and SIGINT stop the runtime and end the process. In a process that only runs tasks, the runtime
   * never starts, but the signals still end the process.
   * @default false
   */
  readonly handleSignals?: boolean;
  /** Serves an endpoint. The promise resolves when clients can connect. */
  start(endpoint: Endpoint): Promise<RunningRuntime>;
}

/** One side of a connection within a process. */
export interface InMemoryConnection {
  /** Sends a message to the server. The message is serialised, as on any transport. */
  send(message: unknown): void;
  /** Waits for requests in flight, then closes. @param graceMs maximum wait, in milliseconds. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Connects to a server in the same process without sockets, for example in a test.
 *
 * @param endpoint the server, such as `app.endpoint`.
 * @param receive a function that is called with every message from the server, parsed.
 * @param requestInfo the facts that an HTTP transport would know about each message, such as headers and principal.
 * @returns the client's side of the connection.
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
