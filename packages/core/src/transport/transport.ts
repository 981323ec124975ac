import type { Logger } from '../protocol/logging.js';
import type { Principal, RequestInfo } from '../protocol/principal.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';

/**
 * Where messages of one request go. HTTP makes one per POST; stdio has one for the whole connection.
 * Messages are serialised JSON-RPC without line breaks.
 */
export interface Sink {
  /** Sends a message that is not the response: a notification, or a request to the client. */
  send(message: string): void;
  /**
   * Sends the response, after which nothing more is sent for this request.
   *
   * @param rejection the JSON-RPC error code, when the request was refused before any handler saw it;
   *   HTTP chooses its status from it. Absent when a handler answered, with whatever result.
   */
  end(message: string, rejection?: number): void;
  /** Called instead of `end` when the request was cancelled and will get no response. */
  abandon?(): void;
  /**
   * Lets the connection go while the request runs on; the client comes back for the rest. Absent where nothing could be
   * fetched later.
   *
   * @param retryMs when the client is to come back, in milliseconds; the transport decides when absent.
   */
  closeStream?(retryMs?: number): void;
}

/** A request that has been accepted and not yet answered. */
export interface ActiveRequest {
  /** Whether the response has been sent or given up. */
  readonly done: boolean;
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
   * @param sink where everything about this message goes; the connection's own sink when absent.
   * @param claim what `claimOf` says of the message, where the transport has asked already.
   * @returns the request in flight, or `undefined` when nothing is left to wait for.
   */
  receive(
    message: unknown,
    sink?: Sink,
    requestInfo?: RequestInfo,
    claim?: unknown,
  ): ActiveRequest | undefined;
  /** Takes note of what is known of the principal of a session by now, such as fewer scopes: guards of what it hears of see it. */
  renew(principal: Principal | undefined): void;
  /**
   * Waits for the requests in flight, then closes.
   *
   * @param graceMs how long to wait, in milliseconds, before the rest are cancelled.
   */
  drain(graceMs: number): Promise<void>;
  /** Cancels everything in flight, fails what waits for the client, and frees the session. */
  close(reason?: string): void;
  /** The legacy session, once `initialize` has been answered. */
  readonly initialized: boolean;
  /** The revision negotiated by `initialize`, once there is one. */
  readonly version: string | undefined;
  /** Whether the client, by its revision, comes back to a stream of events that stops before its response. */
  readonly resumes: boolean;
}

/** The server as a transport sees it. */
export interface Endpoint {
  /** Where a transport reports what no client should see. */
  readonly logger: Logger;
  /**
   * Begins a connection.
   *
   * @param sink where messages go that belong to no request; without it they are dropped.
   */
  connect(sink?: Sink, options?: ConnectOptions): Connection;
}

/** What kind of connection a transport opens. */
export interface ConnectOptions {
  /**
   * Whether messages of many clients arrive on it, each with its own envelope and with the standard headers of HTTP
   * (2026-07-28, basic/transports/streamable-http). The headers in `requestInfo` are then held against the bodies, and only requests mean
   * anything: a client cancels by closing the stream of its request.
   * @default false
   */
  readonly shared?: boolean;
}

/** A started runtime. */
export interface RunningRuntime {
  /** Resolves when the runtime has ended by itself, as stdio does at the end of its input. */
  readonly closed: Promise<void>;
  /** Where clients reach it, such as a URL; empty for stdio. */
  readonly address: string;
  /** Stops taking requests, drains, and frees what it holds. */
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
  /** Where log lines go unless the author gave a logger. */
  readonly logger?: Logger;
  /**
   * Whether the process is there for this server: then promises of handlers that are rejected, and that nothing awaits, are logged
   * with their definition, and do not end the process.
   * @default false
   */
  readonly ownsProcess?: boolean;
  /** Serves an endpoint. It resolves when clients can connect. */
  start(endpoint: Endpoint): Promise<RunningRuntime>;
}

/** One stream of a session: the messages of one request, or those that belong to none. */
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

/**
 * Keeps what is sent on streams, so that a client that lost its connection gets the rest
 * (2025-11-25, basic/transports, "Resumability and Redelivery"). A transport calls the methods of one stream one after the
 * other, each when the one before is done. A store that answers without a promise costs no turn of the event loop.
 *
 * A store may drop events whenever it likes, the oldest of a stream first: a client that resumes gets what is left.
 */
export interface EventStore {
  /**
   * Keeps a message as the last of its stream.
   *
   * @returns an id unlike all others of the stream, ever: visible ASCII, fit for an HTTP header.
   */
  append(name: StreamName, message: string): MaybePromise<string>;
  /**
   * The events of a stream after the one of an id, in their order.
   *
   * @param id that of an event of this stream, kept or dropped; all events are given when it is absent. A client may send
   *   anything: an id the stream never had gives events of this stream or none.
   */
  after(name: StreamName, id?: string): MaybePromise<readonly StoredEvent[]>;
  /** Drops the events of one stream, or of all streams of a session. */
  forget(session: string, stream?: string): MaybePromise<void>;
}

/** One side of a connection within a process. */
export interface InMemoryConnection {
  /** Sends a message to the server, serialised on the way as on any wire. */
  send(message: unknown): void;
  /** Waits for what is in flight, then closes. @param graceMs how long to wait, in milliseconds. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Connects to a server within the process, without bytes or sockets: for tests, and for embedding.
 *
 * @param endpoint the server, such as `app.endpoint`.
 * @param receive takes every message of the server, parsed.
 * @param requestInfo what the server is to know of every message beside it, as an HTTP transport would: headers, principal.
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
