import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventStore, SessionStore } from '@sigil/core/backend';
import type { Authenticate, Authorization } from './authentication/authorization.js';
import type { RouteHandler } from './routes.js';

/** How long sessions live and how many there may be. */
export interface SessionOptions {
  /**
   * A session without traffic ends after this many milliseconds.
   *
   * @default 30 minutes
   */
  readonly idleMs?: number;
  /**
   * Maximum number of sessions. A new session replaces the longest idle one of the same client, or of the client with
   * most sessions. Sessions with an open request or stream stay. If none can be replaced, `initialize` is answered with
   * 503.
   *
   * @default 10,000
   */
  readonly max?: number;
  /**
   * Most sessions of one client at once: of a principal, or else of a network address (an IPv6 network of 64 bits). A new one
   * takes the place of the longest idle one of them. Addresses of this machine are exempt, for a proxy there speaks for many; so
   * does a proxy elsewhere: behind one, without `authenticate`, give as many as `max`.
   *
   * @default 1,000
   */
  readonly maxPerClient?: number;
  /**
   * Store of sessions, so that each process of the app serves all of them behind any load balancer. If `streams.store`
   * is the same store, a client can also resume a stream at any process. `max` and `maxPerClient` then limit the copies
   * in this process, and end no session. Services of the scope "session" are created in each process. `false` keeps
   * sessions in this process.
   *
   * @default that of the backend of the app, if it has one
   */
  readonly store?: SessionStore | false;
  /**
   * How long a session survives the loss of the store's data, in milliseconds from its beginning. The id of the session
   * then holds the values of `initialize`, encrypted with `state.keys`, so that any process can restore it. Ids have up
   * to 2,048 characters, which clients send with each request; a longer one is not sealed. A restored session has lost
   * its log level and subscriptions unless the process had them, and an ended one can come back. One that was opened
   * without a token belongs to its next principal. It needs a store, and used states in the same one, whose loss shows
   * that sessions are lost.
   *
   * @default undefined: with the store, sessions are lost, and clients get 404
   */
  readonly sealedMs?: number;
}

/** Limits on the memory and time that clients may use in the HTTP transport. */
export interface HttpLimits {
  /**
   * Largest body of a request, in bytes. A larger one is refused with 413.
   *
   * @default 1 MiB
   */
  readonly maxBodyBytes?: number;
  /**
   * Maximum bytes of all bodies in arrival, not counting the first 16 KiB of each. One client may use a quarter of
   * them, and always one body of `maxBodyBytes`. Loopback addresses may use all, because a proxy there serves many
   * clients. Beyond the limit, a body is refused with 503 and `Retry-After`.
   *
   * @default 64 MiB, or four times `maxBodyBytes` where that is more
   */
  readonly maxTotalBodyBytes?: number;
  /**
   * Maximum time for a request to arrive with its body, in milliseconds. A slower one is refused with 408. In a mounted
   * handler the time begins with the first bytes of the body; until then the server around it waits.
   *
   * @default 30 seconds
   */
  readonly requestTimeoutMs?: number;
  /**
   * A client that leaves more bytes than this of a stream unread is cut off.
   *
   * @default 16 MiB
   */
  readonly maxBufferedBytes?: number;
  /**
   * Maximum unread output over all clients, in bytes. The first 64 KiB of each response are not counted. One client may
   * use a quarter, and always `maxBufferedBytes`. Loopback addresses may use all, because a proxy there serves many
   * clients. Beyond the limit a stream is cut off, and an answer becomes 503 with `Retry-After`. A client that reads
   * nothing of a long answer for `requestTimeoutMs` is cut off.
   *
   * @default 256 MiB, or four times `maxBufferedBytes` where that is more
   */
  readonly maxTotalBufferedBytes?: number;
  /**
   * How long `authenticate` may take, in milliseconds. After that the request is refused with 503 and `Retry-After`, and the log says so.
   *
   * @default 10 seconds
   */
  readonly authenticateTimeoutMs?: number;
}

/** How streams of Server-Sent Events behave. */
export interface StreamOptions {
  /**
   * A comment is sent on a quiet stream after this many milliseconds.
   *
   * @default 15 seconds
   */
  readonly keepAliveMs?: number;
  /**
   * Milliseconds after which the answer to a request of a session (2025-11-25) moves to a stream, which the client can
   * resume. An earlier answer is one JSON object, which is lost if its connection breaks.
   *
   * @default 1 second
   */
  readonly afterMs?: number;
  /**
   * How long clients of sessions wait before they come back to a stream, in milliseconds.
   *
   * @default 1 second
   */
  readonly retryMs?: number;
  /**
   * Store of the streams of sessions. A client that loses its connection gets the rest of a stream, results included,
   * and handlers may close connections. `false` stores nothing: lost messages stay lost.
   *
   * @default that of the backend of the app, or else a `MemoryEventStore`
   */
  readonly store?: EventStore | false;
}

/** A header with credentials that would let others act as the client. */
export type CredentialHeader = 'authorization' | 'proxy-authorization' | 'cookie';

/** Options of the HTTP transport, for every way of mounting it. */
export interface HttpOptions {
  /**
   * Hosts that `Host` may name, without port; `'*'` for any.
   *
   * @default those of this machine; any if `http()` listens beyond it
   */
  readonly allowedHosts?: readonly string[] | '*';
  /**
   * Origins of pages that may call, such as `https://app.example`: these and no others.
   *
   * @default pages of this machine, if the server only answers for this machine
   */
  readonly allowedOrigins?: readonly string[];
  /** Limits on the memory and time that clients may use. */
  readonly limits?: HttpLimits;
  /** Sessions of clients up to 2025-11-25. */
  readonly sessions?: SessionOptions;
  /** Streams of Server-Sent Events. */
  readonly streams?: StreamOptions;
  /**
   * Whether to serve HTTP+SSE of 2024-11-05 too, at `/sse` and `/messages`, for clients that know nothing newer. A mounted
   * app takes whatever path ends so. Streams beyond `sessions.max` are refused. Its sessions are never shared: a load balancer in front of
   * several processes must send `/messages` to the process that has the stream.
   *
   * @default false
   */
  readonly sse?: boolean;
  /**
   * Returns the principal of a request, which guards, handlers and state see. If it returns `undefined`, the request is
   * refused with 401 before its body is read. A session belongs to the principal that opened it, and is unknown to
   * others.
   *
   * @default undefined: every client is served
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Makes the server an OAuth resource server, as `oauth()` of `@sigil/auth` does: it checks tokens, and points clients
   * to the authorization server. Replaces `authenticate`.
   *
   * @default undefined: `authenticate` decides
   */
  readonly authorization?: Authorization | undefined;
  /**
   * Headers with credentials that `ctx.headers` keeps for guards, middleware and handlers. The others are removed, so
   * that code cannot log or forward them.
   *
   * @default []: none
   */
  readonly exposeHeaders?: readonly CredentialHeader[];
  /**
   * Addresses of trusted proxies, such as `10.0.0.5`, or networks, such as `10.0.0.0/8`. The address that they name in
   * `X-Forwarded-For` is the client's, for rates, quotas and logs. It has no effect if the server does not know the
   * address of a connection, as with `fetchHandler`.
   *
   * @default []: `X-Forwarded-For` is not read
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Milliseconds after which `authenticate` checks the request of an open stream again. If it returns `undefined` or
   * another principal, the stream ends and its request is cancelled. If it fails or takes too long, the stream stays
   * open and the log says so. New scopes and claims apply at once.
   *
   * @default 1 minute
   */
  readonly reauthenticateMs?: number;
}

/** Limits on the memory and time that clients may use in a server of `http()`. */
export interface HttpServerLimits extends HttpLimits {
  /**
   * Maximum number of connections; further ones are closed before they are read.
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
   * How long an idle connection stays open, in milliseconds, as announced to clients. It is closed after more than
   * three times as long, so that late requests are served. Behind a load balancer it must exceed the balancer's idle
   * timeout.
   *
   * @default 5 seconds
   */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Maximum bytes of all headers of a request. Longer ones are refused with 431.
   *
   * @default 16 KiB
   */
  readonly maxHeaderBytes?: number;
}

/** Answers a request for metrics, in the way of Node. */
export type MetricsHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Serves metrics, such as those of OpenTelemetry to Prometheus. */
export interface MetricsOptions {
  /**
   * Answers GET and HEAD: any request handler of Node, such as `exporter.getMetricsRequestHandler.bind(exporter)` of
   * `@opentelemetry/exporter-prometheus`, made with `preventServerStart: true`.
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
   * beyond this machine. Also set it, or a port, if a proxy on this machine forwards every path.
   *
   * @default undefined: every client that reaches the path is answered
   */
  readonly token?: string | undefined;
  /**
   * Port of their own, 0 for any free one. With `workers` it is required: each worker has its own metrics, and serves
   * them on the ports from this one on.
   *
   * @default undefined: that of the endpoint
   */
  readonly port?: number;
  /**
   * Host name or IP address of the metrics' own port.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
}

/** Shows a server's activity to operators, as `sigil top` does. */
export interface EventsOptions {
  /**
   * Token that a watcher sends as `Authorization: Bearer …`: at least 32 letters, digits and `-._~+/`.
   *
   * @default the environment variable `SIGIL_EVENTS_TOKEN`; without that, no events are served
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
   * Port to listen on; 0 for any free one.
   *
   * @default 3000
   */
  readonly port?: number;
  /**
   * Host name or IP address to listen on, without port. One beyond this machine, such as `0.0.0.0`, needs `authorization`, `authenticate` or `allowAnonymous`.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
  /**
   * Whether to serve requests without authentication on a `host` beyond this machine, such as behind a gateway that
   * authenticates. The log warns of it at start.
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
   * Path, such as `/health`. GET is answered with 200 and `{"status":"ok"}`. While the server closes, open connections
   * get 503 and `{"status":"closing"}`. It needs no authentication.
   *
   * @default undefined: no such path
   */
  readonly health?: string;
  /**
   * Path, such as `/readyz`. GET is answered with 200 and `{"status":"ready",…}` if the server accepts requests. It is
   * answered with 503 if the backend does not answer or the server closes. Its `checks` are empty if nothing is shared.
   * It needs no authentication.
   *
   * @default undefined: no such path
   */
  readonly ready?: string;
  /**
   * Further handlers by path: `{ '/tasks/run': executor.handle }`. A handler answers every method and authenticates its
   * callers itself. `Host` and `Origin` are checked before it, as at the endpoint.
   *
   * @default {}
   */
  readonly routes?: Readonly<Record<string, RouteHandler>>;
  /**
   * Serves metrics with a request handler, such as that of OpenTelemetry's Prometheus exporter. Beyond this machine
   * they need a token. `Host` and `Origin` are checked as at the endpoint; at a port of their own, `Host` is checked on
   * this machine only.
   *
   * @default undefined: none are served
   */
  readonly metrics?: MetricsOptions;
  /**
   * Streams finished calls and refused requests as Server-Sent Events to `sigil top` or another watcher with the token.
   * Arguments and results are left out. With `workers`, a watcher sees those of the one worker that it reaches.
   *
   * @default {}: they are served at `/events` if the environment variable `SIGIL_EVENTS_TOKEN` has a token
   */
  readonly events?: EventsOptions;
  /** Limits on the memory and time that clients may use. */
  readonly limits?: HttpServerLimits;
  /**
   * How long requests in flight, and side effects of tasks (`ctx.once()`), may take to finish at close, in milliseconds.
   *
   * @default 5 seconds
   */
  readonly drainMs?: number;
  /**
   * How long everything is served after SIGTERM or SIGINT, while `ready` says no already, in milliseconds: the time that a load balancer
   * needs to take note.
   *
   * @default 0
   */
  readonly closeDelayMs?: number;
  /**
   * How many processes serve behind the one port (`node:cluster`). Each runs the program from its beginning; the process that was started
   * makes the app too, and serves nothing. They share what the backend of the app keeps. Without one they serve what needs none: clients
   * of 2026-07-28, without tasks. With `NODE_COMPILE_CACHE` their stop can take 2 s, because Node writes its cache then: call
   * `module.flushCompileCache()` a second after the start.
   *
   * @default 1: the process serves itself
   */
  readonly workers?: number;
  /**
   * Whether SIGTERM and SIGINT close the server and then end the process, whatever timers still run.
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

/** Options with every default filled in. */
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
  /** `undefined` by default; `false` for none. */
  readonly eventStore: EventStore | false | undefined;
  /** `undefined` by default; `false` for none. */
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
  /** Whether sessions are refused: processes beside this one would not know them. */
  readonly isStateless?: boolean;
}

/** The names a machine calls itself. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
