import { type Endpoint, ERROR_CODES, type Peer } from '@sigil/core/transport';
import { refuse } from './answers.js';
import { accepts, acceptsAnswer, isJson } from './content-negotiation.js';
import { preflight } from './cors.js';
import { EventStream } from './event-stream.js';
import { findSession } from './find-session.js';
import type { BodyProblem, HttpExchange } from './http-exchange.js';
import { claimOf, isFields } from './message.js';
import type { ResolvedOptions } from './options.js';
import { OriginCheck } from './origin-check.js';
import { serveClaimed } from './serve-claimed.js';
import { serveSessioned } from './serve-sessioned.js';
import { SessionTable } from './session-table.js';

const METHODS_ALLOWED = 'POST, GET, DELETE, OPTIONS';
const NOT_JSON = Symbol('not JSON');

/** One MCP endpoint over HTTP: every protocol revision, on whatever server its exchanges come from. */
export class EndpointHandler {
  readonly #endpoint: Endpoint;
  readonly #options: ResolvedOptions;
  readonly #sessions: SessionTable;
  readonly #stateless: Peer;
  readonly #origins: OriginCheck;
  #closing = false;

  constructor(endpoint: Endpoint, options: ResolvedOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#sessions = new SessionTable(endpoint, options.sessionIdleMs, options.maxSessions);
    this.#origins = new OriginCheck(options);
    // Requests that carry their own envelope share a peer: nothing of one is visible to another.
    this.#stateless = endpoint.connect();
  }

  /** Sessions that are open. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Serves one HTTP request. Whatever goes wrong is an answer, never an exception. */
  handle(http: HttpExchange): void {
    this.#guarded(http, () => this.#route(http));
  }

  /** Lets requests in flight finish, then ends everything. @param graceMs how long they may take. */
  async drain(graceMs: number): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#stateless.drain(graceMs), this.#sessions.drain(graceMs)]);
  }

  #guarded(http: HttpExchange, serve: () => void): void {
    try {
      serve();
    } catch (error) {
      this.#endpoint.logger.error({ err: error }, 'an HTTP request could not be served');
      refuse(http, 500, ERROR_CODES.internalError, 'Internal error');
    }
  }

  #route(http: HttpExchange): void {
    const origin = http.header('origin');
    if (!this.#origins.allowsHost(http.header('host'))) {
      return refuse(
        http,
        403,
        ERROR_CODES.invalidRequest,
        'This Host is not served here; see the option allowedHosts',
      );
    }
    if (!this.#origins.allowsOrigin(origin)) {
      return refuse(
        http,
        403,
        ERROR_CODES.invalidRequest,
        'This Origin may not call; see the option allowedOrigins',
      );
    }
    http.corsOrigin = origin;
    if (this.#closing) return refuse(http, 503, ERROR_CODES.internalError, 'The server is closing');
    switch (http.method) {
      case 'POST':
        return this.#post(http);
      case 'GET':
        return this.#get(http);
      case 'DELETE':
        return this.#delete(http);
      case 'OPTIONS':
        return preflight(http, METHODS_ALLOWED);
      default: {
        const message = `${http.method} is not allowed`;
        return refuse(http, 405, ERROR_CODES.invalidRequest, message, null, { Allow: METHODS_ALLOWED });
      }
    }
  }

  #post(http: HttpExchange): void {
    if (!isJson(http.header('content-type'))) {
      return refuse(http, 415, ERROR_CODES.invalidRequest, 'Content-Type must be application/json');
    }
    if (!acceptsAnswer(http.header('accept'))) {
      const message = 'Accept must allow both application/json and text/event-stream';
      return refuse(http, 406, ERROR_CODES.invalidRequest, message);
    }
    http.readBody(this.#options.maxBodyBytes, (body, problem) =>
      this.#guarded(http, () => this.#received(http, body, problem)),
    );
  }

  #received(http: HttpExchange, body: string | undefined, problem: BodyProblem | undefined): void {
    if (problem === 'too long') {
      const message = `The body is longer than ${this.#options.maxBodyBytes} bytes`;
      return refuse(http, 413, ERROR_CODES.invalidRequest, message);
    }
    const message = body === undefined ? NOT_JSON : parse(body);
    if (message === NOT_JSON) {
      return refuse(http, 400, ERROR_CODES.parseError, 'Parse error: the body is not JSON in UTF-8');
    }
    if (isFields(message)) {
      const claimed = claimOf(message);
      if (claimed !== undefined) return serveClaimed(http, message, claimed, this.#stateless, this.#options);
    }
    return serveSessioned(http, message, this.#sessions, this.#options);
  }

  #get(http: HttpExchange): void {
    if (!accepts(http.header('accept'), 'text/event-stream')) {
      return refuse(http, 406, ERROR_CODES.invalidRequest, 'Accept must allow text/event-stream');
    }
    const session = findSession(http, this.#sessions);
    session?.attach(new EventStream(http, this.#options));
  }

  #delete(http: HttpExchange): void {
    const session = findSession(http, this.#sessions);
    if (!session) return;
    this.#sessions.end(session, 'The client ended the session');
    http.respond(204, {});
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return NOT_JSON;
  }
}
