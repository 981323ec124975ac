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
   * Most sessions at once. A new one takes the place of the longest idle one of the same client, or else of the client that has
   * most; never of one with a request or stream open. Where none may give way, `initialize` is answered with 503.
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
   * Where sessions are kept, so that every process that serves the app serves them, behind a load balancer that sends requests anywhere.
   * Where they are kept together with their streams (`streams.store`), a client that loses a stream goes on with it at any process, too.
   * `max` and `maxPerClient` are then what this process holds of them at once, and cost no session its life. What lives as long as a
   * session, such as services of that scope, is made in each process. `false` has sessions belong to this process.
   *
   * @default that of the backend of the app, if it has one
   */
  readonly store?: SessionStore | false;
  /**
   * How long after its beginning a session survives that the store loses its data, in milliseconds: what `initialize` said is encrypted with
   * `state.keys` into the id of the session, so that any process can keep it anew. Ids have up to 2,048 characters then, which clients send
   * with each request; one that would be longer is left as it is. Such a session has forgotten its log level and its subscriptions, unless
   * the process had it, and one that ended before the loss can come back. It needs a store.
   *
   * @default undefined: with the store, sessions are lost, and clients get 404
   */
  readonly sealedMs?: number;
}

/** What clients may make the HTTP transport keep and wait for, wherever it is mounted. */
export interface HttpLimits {
  /**
   * Largest body of a request, in bytes. A larger one is refused with 413.
   *
   * @default 1 MiB
   */
  readonly maxBodyBytes?: number;
  /**
   * Most bytes of all bodies that are arriving at once, of each what is beyond its first 16 KiB. One client may have a quarter of them,
   * and always one body of `maxBodyBytes`; addresses of this machine may have all, for a proxy there speaks for many. A body for which
   * there is no room is refused with 503 and `Retry-After`.
   *
   * @default 64 MiB, or four times `maxBodyBytes` where that is more
   */
  readonly maxTotalBodyBytes?: number;
  /**
   * How long a whole request may take to arrive, its body included, in milliseconds. A slower one is refused with 408. Where a
   * handler is mounted, the time of a body runs from its first bytes; as long as nothing comes, the server around it waits.
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
   * Most bytes that clients leave unread of all answers and streams at once, of each what is beyond its first 64 KiB. One client may have
   * a quarter of them, and always `maxBufferedBytes`; addresses of this machine may have all. A stream for which there is no room is cut
   * off; instead of an answer for which there is none, the client gets 503 with `Retry-After`. Once such an answer is sent, its client is
   * cut off when it reads nothing of it for `requestTimeoutMs`.
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
   * A request of a session (2025-11-25) that has waited this many milliseconds for its answer gets it on a stream, which
   * the client can resume should its connection break. An answer that comes sooner is one JSON object: when its connection
   * breaks on the way, it is lost.
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
   * Where the streams of sessions are kept, so that a client that loses its connection gets the rest of them, results
   * included, and handlers may let go of connections. `false` keeps nothing, and what is lost is lost.
   *
   * @default that of the backend of the app, or else a `MemoryEventStore`
   */
  readonly store?: EventStore | false;
}

/** A header by which others could act as the client. */
export type CredentialHeader = 'authorization' | 'proxy-authorization' | 'cookie';

/** What the HTTP transport may be told, wherever it is mounted. */
export interface HttpOptions {
  /**
   * Hosts that `Host` may name, without port; `'*'` for any.
   *
   * @default those of this machine; any where `http()` listens beyond it
   */
  readonly allowedHosts?: readonly string[] | '*';
  /**
   * Origins of pages that may call, such as `https://app.example`: these and no others.
   *
   * @default pages of this machine, where the server answers for this machine alone
   */
  readonly allowedOrigins?: readonly string[];
  /** What clients may make it keep and wait for. */
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
   * Says who a request is made for; guards, handlers and state get to know it. A request for which it gives `undefined` is
   * refused with 401 before its body is read. A session belongs to the principal that opened it: to others it is unknown.
   *
   * @default undefined: every client is served
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Makes the server a resource server of OAuth, as `oauth()` of `@sigil/auth` does: tokens are checked, and clients are told where to get
   * them. In place of `authenticate`.
   *
   * @default undefined: `authenticate` decides
   */
  readonly authorization?: Authorization | undefined;
  /**
   * Headers with credentials that guards, middleware and handlers see in `ctx.headers`: what they do not see, they cannot log or pass on.
   *
   * @default []: none
   */
  readonly exposeHeaders?: readonly CredentialHeader[];
  /**
   * The addresses of proxies in front, such as `10.0.0.5`, and networks of them, such as `10.0.0.0/8`: who is named by them in
   * `X-Forwarded-For` is the client, for rates, quotas and logs. Where the server does not tell the address of a connection, as with
   * `fetchHandler`, it changes nothing.
   *
   * @default []: `X-Forwarded-For` is not read
   */
  readonly trustedProxies?: readonly string[];
  /**
   * How often `authenticate` is asked again about the request of a stream that stays open, in milliseconds. Where it gives
   * `undefined`, or another principal, the stream ends, and the request is cancelled that waits on it; where it fails or takes too long
   * the stream stays, and the log says so. New scopes and claims count from then on.
   *
   * @default 1 minute
   */
  readonly reauthenticateMs?: number;
}

/** What clients may make a server of `http()` keep and wait for. */
export interface HttpServerLimits extends HttpLimits {
  /**
   * Most connections at once; further ones are closed before anything of them is read.
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
   * How long a connection is kept for a next request, in milliseconds, as clients are told. It is closed after more than three times as long, so that
   * what they send at the last moment is served. Behind a load balancer it should be longer than what that waits.
   *
   * @default 5 seconds
   */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Most bytes of the headers of a request, all together. Longer ones are refused with 431.
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
   * What a scraper must send as `Authorization: Bearer …`: at least 32 letters, digits and `-._~+/`. It is needed beyond this machine. A proxy
   * on this machine that passes on every path passes on this one, too: then give a token, or a port.
   *
   * @default undefined: every client that reaches the path is answered
   */
  readonly token?: string | undefined;
  /**
   * Port of their own to serve them on, 0 for any free one. With `workers` it is needed, as each of them has metrics of its own, which cannot be
   * told apart behind one port: they serve theirs on the ports from this one on.
   *
   * @default undefined: that of the endpoint
   */
  readonly port?: number;
  /**
   * Host name or IP address to listen on, where they have a port of their own.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
}

/** Shows operators what happens in a server, as `sigil top` does. */
export interface EventsOptions {
  /**
   * What a watcher must send as `Authorization: Bearer …`: at least 32 letters, digits and `-._~+/`.
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

/** What `http()` may be told. */
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
   * Path, such as `/health`, where GET is answered with 200 and `{"status":"ok"}`, and with 503 and `{"status":"closing"}` on
   * connections that are still open while the server closes. Everybody who asks is served.
   *
   * @default undefined: health is told nowhere
   */
  readonly health?: string;
  /**
   * Path, such as `/readyz`, where GET is answered with 200 and `{"status":"ready",…}` when requests are to be sent here, and with 503 when the
   * backend of the app does not answer or the server closes. Everybody who asks is served.
   *
   * @default undefined: readiness is told nowhere
   */
  readonly ready?: string;
  /**
   * What else is served, by its path: `{ '/tasks/run': executor.handle }`. A handler answers every method, and decides itself who may ask;
   * `Host` and `Origin` are checked before, as at the endpoint.
   *
   * @default {}
   */
  readonly routes?: Readonly<Record<string, RouteHandler>>;
  /**
   * Serves metrics, by a request handler such as that of OpenTelemetry's exporter for Prometheus. Beyond this machine they need a token.
   * `Host` and `Origin` are checked as at the endpoint; at a port of their own, `Host` where that is on this machine.
   *
   * @default undefined: none are served
   */
  readonly metrics?: MetricsOptions;
  /**
   * Streams to `sigil top`, or another watcher that has the token, which calls end and which requests are refused, as Server-Sent Events.
   * Arguments and results are left out. With `workers`, it is those of the worker that the watcher happens to reach.
   *
   * @default {}: they are served at `/events` where the environment variable `SIGIL_EVENTS_TOKEN` has a token
   */
  readonly events?: EventsOptions;
  /** What clients may make it keep and wait for. */
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
   * of 2026-07-28, without tasks.
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
  /** `undefined` where the author does not say; `false` for none. */
  readonly eventStore: EventStore | false | undefined;
  /** `undefined` where the author does not say; `false` for none. */
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
