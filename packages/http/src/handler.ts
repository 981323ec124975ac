/**
 * How an HTTP request passes through this package. A bridge (`node-exchange.ts`, `web-exchange.ts`) turns the request
 * into an `HttpExchange`. The handler checks the caller and the method (`requests.ts`, `authentication.ts`) and reads
 * the message. It passes the message to the shared connection of stateless requests, or to a session (`sessions/`).
 * `answers.ts` writes the answers.
 */

import { ERROR_CODES, type Logger } from '@sigil/core';
import { claimOf } from '@sigil/core/internal';
import type { Connection, Endpoint } from '@sigil/core/transport';
import {
  admitAddress,
  type AnswerRules,
  failSafely,
  PostSink,
  preflight,
  refuse,
  refuseForNow,
} from './answers.js';
import { checkResource, serveDocument } from './authentication/authorization.js';
import type { HttpExchange } from './http-exchange.js';
import type { ResolvedOptions } from './options.js';
import type { OutputBudget } from './output-budget.js';
import { type HandlerParts, partsOf } from './parts.js';
import {
  acceptsAnswer,
  isRequest,
  OriginCheck,
  readMessage,
  refuseMethod,
  refusesCaller,
  refusesContentType,
  refusesStream,
  versionOfNotification,
} from './requests.js';
import { SessionTable } from './sessions/session-table.js';
import { endSession, serveSessioned, withSession } from './sessions/session-requests.js';
import { SSE_PATHS, SseEndpoint, sseTarget } from './sse-endpoint.js';

/** Serves the HTTP requests for one app, from any kind of server. */
export interface HttpHandler {
  /** Limits the amount of output that clients can leave unread. */
  readonly output: OutputBudget;
  /** Number of open sessions in this process. */
  readonly sessions: number;
  /** Whether a request target is the path of a public document of the authorization. */
  hasDocument(target: string): boolean;
  /**
   * Whether a request is for the app, on a server that also serves other paths. The app serves its endpoint, the public
   * documents of the authorization, and HTTP+SSE if that is enabled.
   *
   * @param target the path and query of the request, from the root of the server.
   * @param path the path of the endpoint. Without it, the result is `true` only for public documents of the
   *   authorization.
   */
  serves(target: string, path?: string): boolean;
  /**
   * Logs a warning if the `resource` of the authorization does not match this path. @param path the path of the
   * endpoint.
   */
  mountedAt(path: string): void;
  /** Serves one HTTP request. It never throws: an error is logged and answered with 500. */
  handle(http: HttpExchange): void;
  /**
   * Lets requests in flight finish, then ends every session and stream.
   * @param graceMs how long to wait for the requests, in milliseconds. Requests that still run after this time are
   *   cancelled.
   */
  drain(graceMs: number): Promise<void>;
}

/** Creates the handler that serves the MCP endpoint of an app and, if the option `sse` is set, HTTP+SSE. */
export function createHandler(endpoint: Endpoint, options: ResolvedOptions): HttpHandler {
  const parts = partsOf(endpoint, options);
  const mcp = new EndpointHandler(parts);
  const handler = options.sse ? withSse(mcp, parts) : mcp;
  endpoint.addGauge?.({
    name: 'sigil.sessions.active',
    description: 'Number of open sessions in this process.',
    unit: '{session}',
    read: () => [{ value: handler.sessions }],
  });
  endpoint.addGauge?.({
    name: 'sigil.streams.active',
    description: 'Number of open event streams in this process.',
    unit: '{stream}',
    read: () => [{ value: parts.streams.open.size }],
  });
  return handler;
}

function withSse(mcp: HttpHandler, parts: HandlerParts): HttpHandler {
  const sse = new SseEndpoint(parts);
  return {
    output: parts.output,
    get sessions() {
      return mcp.sessions + sse.sessions;
    },
    hasDocument: (target) => mcp.hasDocument(target),
    serves: (target, path) =>
      mcp.serves(target, path) ||
      (path !== undefined &&
        SSE_PATHS.some((end) => isAt(target, path.slice(0, path.lastIndexOf('/')) + end))),
    mountedAt: (path) => mcp.mountedAt(path),
    handle(http) {
      const target = sseTarget(http.target);
      if (target) sse.handle(http, target);
      else mcp.handle(http);
    },
    async drain(graceMs) {
      await Promise.all([mcp.drain(graceMs), sse.drain(graceMs)]);
    },
  };
}

/** The path of documents about a server (RFC 8615). */
const WELL_KNOWN = '/.well-known/';

const METHODS_ALLOWED = 'POST, GET, DELETE, OPTIONS';

/** One MCP endpoint over HTTP. It serves every protocol revision, on any server. */
class EndpointHandler {
  readonly output: OutputBudget;
  readonly #logger: Logger;
  readonly #answers: AnswerRules;
  readonly #sessions: SessionTable;
  readonly #stateless: Connection;
  readonly #origins: OriginCheck;
  #closing = false;

  constructor(private readonly parts: HandlerParts) {
    this.output = parts.output;
    this.#logger = parts.endpoint.logger;
    this.#answers = { stream: parts.streams, statusOf, insufficientScope: parts.insufficientScope };
    this.#sessions = new SessionTable(parts);
    this.#origins = new OriginCheck(parts.options);
    // Requests that carry their own envelope share a connection: no request can see data of another.
    this.#stateless = parts.endpoint.connect(undefined, { shared: true, transport: 'http' });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  hasDocument(target: string): boolean {
    return target.startsWith(WELL_KNOWN) && this.parts.document(target) !== undefined;
  }

  serves(target: string, path?: string): boolean {
    return (path !== undefined && isAt(target, path)) || this.hasDocument(target);
  }

  mountedAt(path: string): void {
    const { resource } = this.parts;
    if (resource !== undefined) checkResource(resource, path, this.#logger);
  }

  /** Serves one HTTP request. It never throws: an error is logged and answered with 500. */
  handle(http: HttpExchange): void {
    failSafely(http, this.#logger, () => this.#route(http));
  }

  /**
   * Lets requests in flight finish, then ends every session and stream.
   * @param graceMs how long to wait for the requests, in milliseconds. Requests that still run after this time are
   *   cancelled.
   */
  async drain(graceMs: number): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#stateless.drain(graceMs), this.#sessions.drain(graceMs)]);
  }

  #route(http: HttpExchange): void {
    const { authentication, endpoint, options } = this.parts;
    http.endpoint = this.parts.endpoint;
    http.exposeHeaders = options.exposeHeaders;
    http.trustedProxies = options.trustedProxies;
    const document = http.target.startsWith(WELL_KNOWN) ? this.parts.document(http.target) : undefined;
    if (document) return serveDocument(http, document);
    if (refusesCaller(http, this.#origins, endpoint)) return;
    if (http.method === 'OPTIONS') return this.#serve(http);
    admitAddress(http, endpoint, () => {
      if (authentication) authentication.admit(http, () => this.#serve(http));
      else this.#serve(http);
    });
  }

  #serve(http: HttpExchange): void {
    if (this.#closing) return refuseForNow(http, 'The server is closing');
    switch (http.method) {
      case 'POST':
        return this.#post(http);
      case 'GET':
        return this.#get(http);
      case 'DELETE':
        return endSession(http, this.#sessions);
      case 'OPTIONS':
        return preflight(http, METHODS_ALLOWED);
      default:
        return refuseMethod(http, METHODS_ALLOWED);
    }
  }

  #post(http: HttpExchange): void {
    if (refusesContentType(http)) return;
    if (!acceptsAnswer(http.header('accept'))) {
      const message = 'Accept must allow both application/json and text/event-stream';
      return refuse(http, 406, ERROR_CODES.invalidRequest, message);
    }
    readMessage(http, this.parts.bodies, (message) =>
      failSafely(http, this.#logger, () => this.#received(http, message)),
    );
  }

  #received(http: HttpExchange, message: unknown): void {
    const claim = claimOf(message) ?? versionOfNotification(http, message);
    if (claim === undefined) return serveSessioned(http, message, this.#sessions, this.parts.streams);
    const sink = new PostSink(http, this.#answers);
    const request = this.#stateless.receive(message, sink, http, claim);
    if (request && !request.done) http.onGone(() => request.cancel('The client closed the response stream'));
    // A notification that was not refused is accepted. It gets no JSON-RPC answer.
    if (!isRequest(message)) http.respond(202, {});
  }

  #get(http: HttpExchange): void {
    if (refusesStream(http)) return;
    withSession(http, this.#sessions, null, (session) => session.get(http));
  }
}

/** Whether the path of a request target equals `path`. A final slash and the query are ignored, as in `/mcp/?a=1`. */
export function isAt(target: string, path: string): boolean {
  return target === path || (target.startsWith(path) && /^\/?(\?|$)/.test(target.slice(path.length)));
}

/** The HTTP status for a request of 2026-07-28 that was refused with a JSON-RPC error code. */
function statusOf(code: number): number {
  if (code === ERROR_CODES.internalError) return 503;
  if (code === ERROR_CODES.rateLimited) return 429;
  return code === ERROR_CODES.methodNotFound ? 404 : 400;
}
