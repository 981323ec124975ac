import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventStore, SessionStore } from '@sigil/core/backend';
import type { Authenticate, Authorization } from './authentication/authorization.js';
import type { RouteHandler } from './routes.js';

/** How long sessions live, and how many may be open. */
export interface SessionOptions {
  /**
   * How long a session may have no traffic before it ends, in milliseconds.
   *
   * @default 30 minutes
   */
  readonly idleMs?: number;
  /**
   * Maximum number of sessions. Beyond it, a new session replaces the longest idle session of the same client, or else
   * of the client with the most sessions. Sessions with an open request or stream are not replaced. If no session can
   * be replaced, `initialize` is answered with 503.
   *
   * @default 10,000
   */
  readonly max?: number;
  /**
   * Maximum number of sessions of one client: of a principal, or else of a network address (an IPv6 network of 64
   * bits). Beyond it, a new session replaces the longest idle session of this client. Addresses of this machine are
   * exempt, because a proxy there serves many clients. Behind a proxy elsewhere and without `authenticate`, set it to
   * the value of `max`.
   *
   * @default 1,000
   */
  readonly maxPerClient?: number;
  /**
   * Store of sessions. With a store, each process of the app serves all sessions, behind any load balancer. If streams
   * have a shared store too (`streams.store`), a client can resume a stream at any process. `max` and `maxPerClient`
   * then limit the copies of sessions in this process, and end no session. Services with scope `session` are created in
   * each process. `false` keeps sessions in this process.
   *
   * @default the store of the app's backend, if it has one
   */
  readonly store?: SessionStore | false;
  /**
   * How long after its beginning a session can be restored if the store loses its data, in milliseconds. The id of the
   * session then contains the values of `initialize`, encrypted with `state.keys`, so that any process can restore it.
   * Such an id, which clients send with each request, has up to 2,048 characters; if it would be longer, the session
   * cannot be restored. A restored session has lost its log level and subscriptions unless the process had a copy of
   * them. A session that has ended can come back. A session that was opened without a token belongs to the next
   * principal that uses it. This option needs a store that also keeps the used states: their loss shows that sessions
   * are lost.
   *
   * @default undefined: if the store loses its data, sessions are lost, and clients get 404
   */
  readonly sealedMs?: number;
}

/** Limits on the memory and time that clients may use in the HTTP transport. */
export interface HttpLimits {
  /**
   * Maximum length of a request body, in bytes. A longer body is refused with 413.
   *
   * @default 1 MiB
   */
  readonly maxBodyBytes?: number;
  /**
   * Maximum bytes of all bodies that are arriving, not counting the first 16 KiB of each body. One client may use a
   * quarter of this limit, and always one body of `maxBodyBytes`. Loopback addresses may use all of it, because a proxy
   * there serves many clients. Beyond the limit, a body is refused with 503 and `Retry-After`.
   *
   * @default 64 MiB, or four times `maxBodyBytes` where that is more
   */
  readonly maxTotalBodyBytes?: number;
  /**
   * Maximum time for a request to arrive with its body, in milliseconds. A slower request is refused with 408. In a
   * mounted handler, the time begins with the first bytes of the body; until then, the limits of the server around it
   * apply.
   *
   * @default 30 seconds
   */
  readonly requestTimeoutMs?: number;
  /**
   * Maximum bytes of a stream that a client may leave unread. Beyond the limit, the client is cut off.
   *
   * @default 16 MiB
   */
  readonly maxBufferedBytes?: number;
  /**
   * Maximum unread output for all clients together, in bytes. The first 64 KiB of each response are not counted. One
   * client may use a quarter of this limit, and always `maxBufferedBytes`. Loopback addresses may use all of it,
   * because a proxy there serves many clients. Beyond the limit, a stream is cut off, and an answer becomes 503 with
   * `Retry-After`. A client that reads nothing of a long answer for `requestTimeoutMs` is cut off.
   *
   * @default 256 MiB, or four times `maxBufferedBytes` where that is more
   */
  readonly maxTotalBufferedBytes?: number;
  /**
   * How long `authenticate` may take, in milliseconds. After that, the request is refused with 503 and `Retry-After`,
   * and the log shows it.
   *
   * @default 10 seconds
   */
  readonly authenticateTimeoutMs?: number;
}

/** How streams of Server-Sent Events behave. */
export interface StreamOptions {
  /**
   * How long a stream may be quiet before a comment is sent, in milliseconds.
   *
   * @default 15 seconds
   */
  readonly keepAliveMs?: number;
  /**
   * Milliseconds after which the answer to a request of a session (revision 2025-11-25) becomes a stream, which the
   * client can resume. An answer before that is one JSON object, which is lost if its connection breaks.
   *
   * @default 1 second
   */
  readonly afterMs?: number;
  /**
   * How long clients of sessions wait before they reconnect to a stream, in milliseconds.
   *
   * @default 1 second
   */
  readonly retryMs?: number;
  /**
   * Store for the streams of sessions. With a store, a client that loses its connection can get the rest of a stream,
   * including results, and handlers may close connections. `false` stores nothing: messages on a broken connection are
   * lost.
   *
   * @default the store of the app's backend, or else a `MemoryEventStore`
   */
  readonly store?: EventStore | false;
}

/** A header with credentials that would let others act as the client. */
export type CredentialHeader = 'authorization' | 'proxy-authorization' | 'cookie';

/** Options of the HTTP transport, for every way of mounting it. */
export interface HttpOptions {
  /**
   * The hosts that the header `Host` may name, without port; `'*'` for any.
   *
   * @default the names of this machine; any host if `http()` listens beyond this machine
   */
  readonly allowedHosts?: readonly string[] | '*';
  /**
   * The origins of pages that may call, such as `https://app.example`. Pages of other origins are refused.
   *
   * @default pages of this machine, if `allowedHosts` lists their host
   */
  readonly allowedOrigins?: readonly string[];
  /** Limits on the memory and time that clients may use. */
  readonly limits?: HttpLimits;
  /** Sessions, for clients of revision 2025-11-25 or earlier. */
  readonly sessions?: SessionOptions;
  /** Streams of Server-Sent Events. */
  readonly streams?: StreamOptions;
  /**
   * Whether to serve the transport HTTP+SSE of revision 2024-11-05 too, at `/sse` and `/messages`, for clients that
   * support nothing newer. A mounted app serves every path that ends in one of these. Streams beyond `sessions.max` are
   * refused. Sessions of this transport are never shared: a load balancer in front of several processes must send
   * `/messages` to the process that has the stream.
   *
   * @default false
   */
  readonly sse?: boolean;
  /**
   * Returns the principal of a request, for guards, handlers and state. If the function returns `undefined`, the
   * request is refused with 401 before its body is read. A session belongs to the principal that opened it; for other
   * principals it is unknown.
   *
   * @default undefined: every client is served
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Makes the server an OAuth resource server: it checks tokens, and shows clients where the authorization server is.
   * `oauth()` of `@sigil/auth` creates the value. Use it in place of `authenticate`.
   *
   * @default undefined: `authenticate` decides
   */
  readonly authorization?: Authorization | undefined;
  /**
   * Headers with credentials that guards, middleware and handlers find in `ctx.headers`. The other headers with
   * credentials are removed, so that code cannot log or forward them.
   *
   * @default []: none
   */
  readonly exposeHeaders?: readonly CredentialHeader[];
  /**
   * Addresses of trusted proxies, such as `10.0.0.5`, or their networks, such as `10.0.0.0/8`. The address that they
   * write into `X-Forwarded-For` then counts as the client's address in rates, quotas and logs. The option has no
   * effect if the server does not know the address of a connection, as with `fetchHandler`.
   *
   * @default []: `X-Forwarded-For` is not read
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Time until `authenticate` checks the request of an open stream again, in milliseconds. If it returns `undefined` or
   * another principal, the stream ends and its request is cancelled. If it fails or takes too long, the stream stays
   * open and the log shows the error. New scopes and claims apply at once.
   *
   * @default 1 minute
   */
  readonly reauthenticateMs?: number;
}

/** Limits on the memory and time that clients may use in a server that `http()` starts. */
export interface HttpServerLimits extends HttpLimits {
  /**
   * Maximum number of connections. Further connections are closed before anything is read from them.
   *
   * @default 10,000
   */
  readonly maxConnections?: number;
  /**
   * How long the headers of a request may take to arrive, in milliseconds; at most `requestTimeoutMs`.
   *
   * @default 10 seconds, or `requestTimeoutMs` where that is shorter
   */
  readonly headersTimeoutMs?: number;
  /**
   * How long an idle connection stays open, in milliseconds, as announced to clients. In fact it is closed only after
   * more than three times as long, so that late requests are served. Behind a load balancer, the value must exceed the
   * idle timeout of the load balancer.
   *
   * @default 5 seconds
   */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Maximum bytes of all headers of a request together. Longer headers are refused with 431.
   *
   * @default 16 KiB
   */
  readonly maxHeaderBytes?: number;
}

/** Answers a request for metrics: a request handler as Node has them. */
export type MetricsHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Options for serving metrics, such as those of OpenTelemetry, to Prometheus. */
export interface MetricsOptions {
  /**
   * Answers GET and HEAD. Any request handler of Node fits, such as `exporter.getMetricsRequestHandler.bind(exporter)`
   * with an exporter of `@opentelemetry/exporter-prometheus` that was created with `preventServerStart: true`.
   */
  readonly handler: MetricsHandler;
  /**
   * Path of the metrics.
   *
   * @default '/metrics'
   */
  readonly path?: string;
  /**
   * Token that a scraper sends as `Authorization: Bearer …`: at least 32 letters, digits and `-._~+/`. It is required
   * if the metrics can be reached from other machines. Also set it, or `port`, if a proxy on this machine forwards
   * every path.
   *
   * @default undefined: every client that reaches the path is answered
   */
  readonly token?: string | undefined;
  /**
   * A separate port for metrics; 0 for any free port. With `workers` it is required: each worker has its own metrics,
   * and the workers serve them on consecutive ports from this one on.
   *
   * @default undefined: the port of the endpoint
   */
  readonly port?: number;
  /**
   * Host name or IP address that the separate port of metrics listens on.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
}

/** Options for the stream of events that shows a server's activity to operators, for example in `sigil top`. */
export interface EventsOptions {
  /**
   * Token that a watcher sends as `Authorization: Bearer …`: at least 32 letters, digits and `-._~+/`.
   *
   * @default the environment variable `SIGIL_EVENTS_TOKEN`; if it is not set, no events are served
   */
  readonly token?: string | undefined;
  /**
   * Path of the events.
   *
   * @default '/events'
   */
  readonly path?: string;
}

/** Options of `http()`. */
export interface HttpRuntimeOptions extends HttpOptions {
  /**
   * Port to listen on; 0 for any free port.
   *
   * @default 3000
   */
  readonly port?: number;
  /**
   * Host name or IP address to listen on, without port. A host that other machines can reach, such as `0.0.0.0`, needs
   * `authorization`, `authenticate` or `allowAnonymous`.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
  /**
   * Whether to serve requests without authentication on a `host` that other machines can reach, for example behind a
   * gateway that authenticates. The log warns about this at start.
   *
   * @default false
   */
  readonly allowAnonymous?: boolean;
  /**
   * Path of the MCP endpoint.
   *
   * @default '/mcp'
   */
  readonly path?: string;
  /**
   * Path of the health check, such as `/health`. GET is answered with 200 and `{"status":"ok"}`. While the server
   * closes, requests on open connections get 503 and `{"status":"closing"}`. The path needs no authentication.
   *
   * @default undefined: no such path
   */
  readonly health?: string;
  /**
   * Path of the readiness check, such as `/readyz`. GET is answered with 200 and `{"status":"ready",…}` if the server
   * accepts requests. It is answered with 503 if the backend does not answer or the server is closing. `checks` in the
   * answer is empty if the app shares no state with other processes. The path needs no authentication.
   *
   * @default undefined: no such path
   */
  readonly ready?: string;
  /**
   * Further handlers by path: `{ '/tasks/run': executor.handle }`. A handler gets requests of every method and must
   * authenticate its callers itself. `Host` and `Origin` are checked before it runs, as at the endpoint.
   *
   * @default {}
   */
  readonly routes?: Readonly<Record<string, RouteHandler>>;
  /**
   * Serves metrics with a request handler, such as the one of OpenTelemetry's Prometheus exporter. A token is required
   * if other machines can reach the metrics. `Host` and `Origin` are checked as at the endpoint. On a separate port,
   * `Host` is only checked if the port listens on this machine only.
   *
   * @default undefined: no metrics are served
   */
  readonly metrics?: MetricsOptions;
  /**
   * Streams finished calls and refused requests as Server-Sent Events to `sigil top` or another watcher that has the
   * token. Arguments and results are left out. With `workers`, a watcher gets the events of the one worker that it is
   * connected to.
   *
   * @default {}: events are served at `/events` if the environment variable `SIGIL_EVENTS_TOKEN` has a token
   */
  readonly events?: EventsOptions;
  /** Limits on the memory and time that clients may use. */
  readonly limits?: HttpServerLimits;
  /**
   * How long requests in flight and side effects of tasks (`ctx.once()`) may take to finish when the server closes, in
   * milliseconds.
   *
   * @default 5 seconds
   */
  readonly drainMs?: number;
  /**
   * How long after SIGTERM or SIGINT the server still serves everything, in milliseconds. In this time `ready` already
   * answers 503, so that a load balancer can stop sending requests.
   *
   * @default 0
   */
  readonly closeDelayMs?: number;
  /**
   * How many worker processes serve on the one port (`node:cluster`). Each worker runs the whole program. The process
   * that you start creates the app too, but serves no requests. Workers share the data in the backend of the app.
   * Without a backend they only serve clients of revision 2026-07-28, without tasks. With `NODE_COMPILE_CACHE`,
   * stopping the workers can take 2 s, because Node then writes its cache: call `module.flushCompileCache()` a second
   * after the start.
   *
   * @default 1: the process serves requests itself
   */
  readonly workers?: number;
  /**
   * Whether SIGTERM and SIGINT close the server and then end the process, even if timers still run.
   *
   * @default true
   */
  readonly handleSignals?: boolean;
}

declare module '@sigil/core' {
  interface RuntimeOptionTypes {
    readonly http: HttpRuntimeOptions;
  }
}

/** The options with all defaults filled in. */
export interface ResolvedOptions {
  readonly maxBodyBytes: number;
  readonly maxTotalBodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly allowedHosts: readonly string[] | '*';
  readonly allowedOrigins: readonly string[] | undefined;
  readonly sessionIdleMs: number;
  readonly sessionSealedMs: number | undefined;
  readonly maxSessions: number;
  readonly maxSessionsPerClient: number;
  readonly keepAliveMs: number;
  readonly maxBufferedBytes: number;
  readonly maxTotalBufferedBytes: number;
  /** The store of events; `undefined` for the default, `false` for none. */
  readonly eventStore: EventStore | false | undefined;
  /** The store of sessions; `undefined` for the default, `false` for none. */
  readonly sessionStore: SessionStore | false | undefined;
  readonly retryMs: number;
  readonly streamAfterMs: number;
  readonly sse: boolean;
  readonly authenticate: Authenticate | undefined;
  readonly authorization: Authorization | undefined;
  readonly authenticateTimeoutMs: number;
  readonly reauthenticateMs: number;
  readonly exposeHeaders: readonly CredentialHeader[] | undefined;
  readonly trustedProxies: readonly string[] | undefined;
  /** Whether sessions are refused, because the other processes would not know them. */
  readonly isStateless?: boolean;
}

/** The names that a machine uses for itself. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
