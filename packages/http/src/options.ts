import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventStore, SessionStore } from '@sigil/core/backend';
import type { Authenticate, Authorization } from './authentication/authorization.js';
import type { RouteHandler } from './routes.js';

/** Limits on the lifetime, number and storage of sessions. */
export interface SessionOptions {
  /**
   * The time from the last use of a session until it ends, in milliseconds. While a request or stream of the session is
   * open, the session is in use.
   *
   * @default 30 minutes
   */
  readonly idleMs?: number;
  /**
   * Maximum number of sessions in this process. At the limit, a new session replaces an idle session. The server looks
   * for idle sessions in this order: sessions of the client that opens the new session, then those of the client with
   * the most sessions, then those of all clients. In the first group that has an idle session, the session that has
   * been idle for the longest time ends. A session with an open request or stream is not idle. If no session is idle,
   * `initialize` is answered with 503.
   *
   * @default 10,000
   */
  readonly max?: number;
  /**
   * Maximum number of sessions of one client in this process. A client is a principal or, without authentication, a
   * network address (for IPv6, a /64 network). At the limit, a new session replaces another session of its client: the
   * one that has been idle for the longest time. Loopback addresses have no such limit, because a proxy on this machine
   * serves many clients. Without authentication, all clients behind a proxy on another machine count as one client. In
   * that case, set `trustedProxies`, or set this option to the value of `max`.
   *
   * @default 1,000
   */
  readonly maxPerClient?: number;
  /**
   * The store that contains the sessions of all processes. With a store, every process of the app can serve every
   * session, behind any load balancer. If streams have a shared store too (`streams.store`), a client can resume a
   * stream at any process. Each process has copies of the sessions that it serves. `max` and `maxPerClient` limit these
   * copies, and dropping a copy does not end its session. Services with scope `session` are created separately in each
   * process. With `false`, each session exists only in the process that opened it.
   *
   * @default the store of the app's backend, if it has one
   */
  readonly store?: SessionStore | false;
  /**
   * Maximum age, in milliseconds, of a session that can be restored after the session store has lost its data. With
   * this option, a session id contains the values of `initialize`, encrypted with `state.keys`. Clients send this id
   * with each request, so any process can restore the session. If the id would have more than 2,048 characters, the
   * session cannot be restored. A restored session has lost its log level and subscriptions, unless the process that
   * restores it has a copy of the session. A session that ended before the loss can be restored too. If a restored
   * session was opened without a token, it belongs to the next principal that uses it. The server detects the loss
   * because the records of the `StateStore` are lost at the same time. Therefore, the `StateStore` and the session
   * store must use the same database.
   *
   * @default undefined: if the store loses its data, all sessions end, and their clients get 404
   */
  readonly sealedMs?: number;
}

/** Limits on the memory and time that clients can use in the HTTP transport. */
export interface HttpLimits {
  /**
   * Maximum length of a request body, in bytes. A longer body is refused with 413.
   *
   * @default 1 MiB
   */
  readonly maxBodyBytes?: number;
  /**
   * Maximum total size of all request bodies that are arriving at the moment, in bytes. The first 16 KiB of each body
   * are not counted. One client can use a quarter of this limit, or `maxBodyBytes` if that is more. Without
   * authentication, clients with a loopback address can use the whole limit, because a proxy on this machine serves
   * many clients. Beyond the limit, a body is refused with 503 and `Retry-After`.
   *
   * @default 64 MiB, or four times `maxBodyBytes` if that is more
   */
  readonly maxTotalBodyBytes?: number;
  /**
   * Maximum time for a request to arrive with its body, in milliseconds. A slower request is refused with 408. In a
   * mounted handler, the time begins with the first bytes of the body. Until then, the limits of the surrounding server
   * apply.
   *
   * @default 30 seconds
   */
  readonly requestTimeoutMs?: number;
  /**
   * Maximum unread output of one stream, in bytes. Beyond the limit, the client of the stream is disconnected.
   *
   * @default 16 MiB
   */
  readonly maxBufferedBytes?: number;
  /**
   * Maximum unread output of all responses together, in bytes. The first 64 KiB of each response are not counted. One
   * client can use a quarter of this limit, or `maxBufferedBytes` if that is more. Without authentication, clients with
   * a loopback address can use the whole limit, because a proxy on this machine serves many clients. Beyond the limit,
   * the client of a stream is disconnected, and any other response is replaced by 503 with `Retry-After`. Even below
   * the limit, a client is disconnected if it reads nothing of a long response for `requestTimeoutMs`.
   *
   * @default 256 MiB, or four times `maxBufferedBytes` if that is more
   */
  readonly maxTotalBufferedBytes?: number;
  /**
   * Maximum time for `authenticate` or `authorization` to check a request, in milliseconds. After this time, the
   * request is refused with 503 and `Retry-After`, and the log shows an error.
   *
   * @default 10 seconds
   */
  readonly authenticateTimeoutMs?: number;
}

/** How streams of Server-Sent Events behave. */
export interface StreamOptions {
  /**
   * Milliseconds between two comments that the server sends on each open stream to keep its connection open.
   *
   * @default 15 seconds
   */
  readonly keepAliveMs?: number;
  /**
   * How many milliseconds a request of a session (revision 2025-11-25) can run before its answer becomes a stream. The
   * client can resume this stream if the connection breaks. An answer before that time is one JSON object, which is
   * lost if the connection breaks.
   *
   * @default 1 second
   */
  readonly afterMs?: number;
  /**
   * How long clients of sessions wait before they reconnect to a stream, in milliseconds. The server sends this delay
   * to the clients as `retry`.
   *
   * @default 1 second
   */
  readonly retryMs?: number;
  /**
   * Store for the messages on the streams of sessions. With a store, a client that has lost its connection can resume a
   * stream and get the missed messages, including results. In addition, a handler can close the connection during long
   * work (`ctx.closeStream()`), and the client gets the result later. `false` stores nothing: messages are lost if a
   * connection breaks.
   *
   * @default the store of the app's backend, or else a `MemoryEventStore`
   */
  readonly store?: EventStore | false;
}

/** The name of a header with credentials. Code that has the credentials could act as the client. */
export type CredentialHeader = 'authorization' | 'proxy-authorization' | 'cookie';

/** Options of the HTTP transport, for `http()` and for handlers in other servers. */
export interface HttpOptions {
  /**
   * The accepted hosts in the header `Host`, without port; `'*'` accepts any host.
   *
   * @default the loopback names of this machine; any host if `http()` listens on a `host` that other machines can reach
   */
  readonly allowedHosts?: readonly string[] | '*';
  /**
   * The origins of web pages that can send requests, such as `https://app.example`. Requests from pages of other
   * origins are refused.
   *
   * @default loopback origins, such as `http://localhost:5173`, if `allowedHosts` lists their host
   */
  readonly allowedOrigins?: readonly string[];
  /** Limits on the memory and time that clients can use. */
  readonly limits?: HttpLimits;
  /** Options of sessions, which clients of revision 2025-11-25 or earlier use. */
  readonly sessions?: SessionOptions;
  /** Streams of Server-Sent Events. */
  readonly streams?: StreamOptions;
  /**
   * Whether to also serve HTTP+SSE, the transport of revision 2024-11-05, at `/sse` and `/messages`. It is for clients
   * that support no newer transport. A mounted app serves every path that ends in `/sse` or `/messages`. If the number
   * of open streams has reached `sessions.max`, further streams are refused. Processes do not share the sessions of
   * this transport. A load balancer must therefore send `/messages` to the process that has the stream of the client.
   *
   * @default false
   */
  readonly sse?: boolean;
  /**
   * A function that receives a request without its body, and returns the principal of the client. If the function
   * returns `undefined`, the request is refused with 401, and its body is not read. Guards and handlers receive the
   * principal. A `requestState` is accepted only from the principal that received it. Only the principal that opened a
   * session can use the session: requests of other principals get 404.
   *
   * @default undefined: every client is served
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Makes the server an OAuth resource server: it checks tokens, and tells clients the URL of the authorization server.
   * `oauth()` of `@sigil/auth` creates the value. Use it in place of `authenticate`.
   *
   * @default undefined: `authenticate` decides
   */
  readonly authorization?: Authorization | undefined;
  /**
   * The headers with credentials that `ctx.headers` contains for guards, middleware and handlers. Other headers with
   * credentials are removed, so that code cannot log or forward them.
   *
   * @default []: none
   */
  readonly exposeHeaders?: readonly CredentialHeader[];
  /**
   * The addresses (`10.0.0.5`) or networks (`10.0.0.0/8`) of proxies that you trust. These proxies add the address of
   * the client to `X-Forwarded-For`. Rate limits, quotas and logs then use that address, not the address of the proxy.
   * The option has no effect if the server does not know the address of a connection, as with `fetchHandler`.
   *
   * @default []: `X-Forwarded-For` is not read
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Milliseconds between two checks of an open stream. At each check, `authenticate` or `authorization` decides again
   * about the request that opened the stream. If the request is now refused, or if its principal has changed, the
   * stream ends and its request is cancelled. If the check fails or takes too long, the stream stays open and the log
   * shows the error. Changed scopes and claims apply immediately after the check.
   *
   * @default 1 minute
   */
  readonly reauthenticateMs?: number;
}

/** Limits on the memory and time that clients can use in a server that `http()` starts. */
export interface HttpServerLimits extends HttpLimits {
  /**
   * Maximum number of connections. Further connections are closed before anything is read from them.
   *
   * @default 10,000
   */
  readonly maxConnections?: number;
  /**
   * Maximum time for the headers of a request to arrive, in milliseconds; at most `requestTimeoutMs`.
   *
   * @default 10 seconds, or `requestTimeoutMs` if that is shorter
   */
  readonly headersTimeoutMs?: number;
  /**
   * How long clients can keep an idle connection, in milliseconds. The header `Keep-Alive` contains this time. The
   * server itself closes the connection only after more than three times this value, because a request can arrive late.
   * Behind a load balancer, the value must exceed the idle timeout of the load balancer.
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

/** Answers a request for metrics, with the parameters of a request listener of `node:http`. */
export type MetricsHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Options for serving metrics, such as those of OpenTelemetry, to Prometheus. */
export interface MetricsOptions {
  /**
   * A function that answers GET and HEAD requests for metrics. You can use any request listener of `node:http`, such as
   * `exporter.getMetricsRequestHandler.bind(exporter)`. Here, `exporter` is from `@opentelemetry/exporter-prometheus`,
   * and is created with the option `preventServerStart: true`.
   */
  readonly handler: MetricsHandler;
  /**
   * Path of the metrics.
   *
   * @default '/metrics'
   */
  readonly path?: string;
  /**
   * Token that a scraper must send as `Authorization: Bearer …`. It must have at least 32 characters: letters, digits
   * or `-._~+/`. A token is required if other machines can reach the metrics. If a proxy on this machine forwards every
   * path, other machines can reach the metrics through the proxy. In this case, set `token` or `port`.
   *
   * @default undefined: requests need no token
   */
  readonly token?: string | undefined;
  /**
   * A separate port for metrics; 0 for any free port. With several `workers`, this option is required, because each
   * worker has separate metrics. The first worker serves its metrics on this port, the second worker on the next port,
   * and so on.
   *
   * @default undefined: metrics are served on the port of the endpoint
   */
  readonly port?: number;
  /**
   * Host name or IP address for the separate port of metrics.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
}

/**
 * Options for the stream of events about a server's activity. The people who run the server can watch it, for example
 * in `sigil top`.
 */
export interface EventsOptions {
  /**
   * Token that a client such as `sigil top` must send as `Authorization: Bearer …`. It must have at least 32
   * characters: letters, digits or `-._~+/`.
   *
   * @default the environment variable `SIGIL_EVENTS_TOKEN`; if it is not set, no events are served
   */
  readonly token?: string | undefined;
  /**
   * Path of the stream of events.
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
   * Path of the health check, such as `/health`. A GET request is answered with 200 and `{"status":"ok"}`. While the
   * server closes, requests on open connections are answered with 503 and `{"status":"closing"}`. The path needs no
   * authentication.
   *
   * @default undefined: there is no health check
   */
  readonly health?: string;
  /**
   * Path of the readiness check, such as `/readyz`. A GET request is answered with 200 and `{"status":"ready",…}` if
   * the server accepts requests. It is answered with 503 if the backend does not respond or the server is closing. The
   * member `checks` of the answer is empty if the app shares no state with other processes. The path needs no
   * authentication.
   *
   * @default undefined: there is no readiness check
   */
  readonly ready?: string;
  /**
   * Handlers for paths other than the MCP endpoint: `{ '/tasks/run': executor.handle }`. A handler gets requests of
   * every HTTP method and must authenticate its callers itself. `Host` and `Origin` are checked before it runs, as at
   * the endpoint.
   *
   * @default {}
   */
  readonly routes?: Readonly<Record<string, RouteHandler>>;
  /**
   * Serves metrics with a request handler, such as that of OpenTelemetry's Prometheus exporter. A token is required if
   * other machines can reach the metrics. `Host` and `Origin` are checked as at the endpoint. On a separate port,
   * `Host` is checked only if that port listens on a loopback address.
   *
   * @default undefined: no metrics are served
   */
  readonly metrics?: MetricsOptions;
  /**
   * Options for the stream of events (Server-Sent Events) about finished calls, refused requests and other activity.
   * `sigil top` and other clients with the token can read the events. The events do not contain arguments and results
   * of calls. With `workers`, a client gets only the events of the worker that serves its connection.
   *
   * @default {}: events are served at `/events` if the environment variable `SIGIL_EVENTS_TOKEN` has a token
   */
  readonly events?: EventsOptions;
  /** Limits on the memory and time that clients can use. */
  readonly limits?: HttpServerLimits;
  /**
   * How long requests in flight and side effects of tasks (`ctx.once()`) can continue when the server closes, in
   * milliseconds. Requests that still run after this time are cancelled.
   *
   * @default 5 seconds
   */
  readonly drainMs?: number;
  /**
   * How long after SIGTERM or SIGINT the server still serves all requests, in milliseconds. During this time, the
   * readiness check (`ready`) already answers 503, so that a load balancer stops sending requests.
   *
   * @default 0
   */
  readonly closeDelayMs?: number;
  /**
   * How many worker processes serve requests on the port (`node:cluster`). Each worker runs the whole program. The
   * process that you start creates the app too, but serves no requests. Workers share the data in the backend of the
   * app. Without a backend, the workers serve only clients of revision 2026-07-28, and these clients cannot use tasks.
   * If the environment variable `NODE_COMPILE_CACHE` is set, stopping the workers can take 2 seconds, because Node
   * writes its cache first. To avoid this, call `module.flushCompileCache()` one second after the start.
   *
   * @default 1: the process serves requests itself
   */
  readonly workers?: number;
  /**
   * Whether SIGTERM and SIGINT close the server and then end the process, even if timers are still active.
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

/** The options of the HTTP transport with all defaults filled in. */
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
  /**
   * The option `streams.store`. `undefined` means the store of the app's backend, or else a `MemoryEventStore`; `false`
   * means no store.
   */
  readonly eventStore: EventStore | false | undefined;
  /**
   * The option `sessions.store`. `undefined` means the store of the app's backend, if it has one; `false` means no
   * store.
   */
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
  /** Whether sessions are refused, because the app runs in several processes that do not share sessions. */
  readonly isStateless?: boolean;
}

/** The loopback host names, which always refer to the machine itself. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
