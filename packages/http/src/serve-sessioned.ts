import {
  type ActiveRequest,
  type Deadline,
  ERROR_CODES,
  isObject,
  METHODS,
  type Sink,
  readableId,
  type RequestId,
} from '@sigil/core/transport';
import { NOT_AUTHENTICATED, PostSink, refuse, respondJson } from './answers.js';
import type { StreamRules } from './event-stream.js';
import type { HttpExchange } from './http-exchange.js';
import { isRequest } from './requests.js';
import type { SessionStream } from './session-streams.js';
import { findSession, type HttpSession, type SessionTable } from './sessions.js';

/** Serves a message, or a batch, that belongs to a session or opens one (2025-03-26 to 2025-11-25). */
export function serveSessioned(
  http: HttpExchange,
  message: unknown,
  sessions: SessionTable,
  stream: StreamRules,
): void {
  const id = readableId(message);
  const opens = isObject(message) && message['method'] === METHODS.initialize && isRequest(message);
  if (opens && http.header('mcp-session-id') === undefined)
    return openSession(http, message, sessions, stream, id);
  if (Array.isArray(message) && http.header('mcp-session-id') === undefined) {
    return refuse(http, 400, ERROR_CODES.invalidRequest, 'Batches belong to sessions of 2025-03-26', id);
  }
  const session = findSession(http, sessions, id);
  if (!session) return;
  if (opens)
    return refuse(http, 400, ERROR_CODES.invalidRequest, 'This session has been initialized already', id);
  serve(http, message, session, id);
}

function serve(http: HttpExchange, message: unknown, session: HttpSession, id: RequestId | null): void {
  if (isObject(message) && !isRequest(message)) {
    if (!isWellFormed(message)) return refuse(http, 400, ERROR_CODES.invalidRequest, 'Invalid request', id);
    session.connection.receive(message);
    return http.respond(202, {});
  }
  const sink = new SessionSink(http, session);
  // A client that goes away has not cancelled: it may come back for the result.
  const request = session.connection.receive(message, sink, http);
  if (request && !request.done) sink.waits(request);
}

function openSession(
  http: HttpExchange,
  message: unknown,
  sessions: SessionTable,
  stream: StreamRules,
  id: RequestId | null,
): void {
  const session = sessions.create(http.principal?.id, http.quotaKey);
  if (!session) return sessions.overload.refuse(http, 'Too many sessions: all of them are at work', id);
  const headers = (): Record<string, string> => {
    if (!session.connection.initialized) return {};
    sessions.keep(session);
    return { 'Mcp-Session-Id': session.id };
  };
  session.connection.receive(message, new PostSink(http, { stream, statusOf, headers }), http);
  if (!session.connection.initialized) session.close('initialize was refused');
}

/** Whether a message without an id is a notification or a response. */
function isWellFormed(message: Readonly<Record<string, unknown>>): boolean {
  if (message['jsonrpc'] !== '2.0') return false;
  return typeof message['method'] === 'string' || 'result' in message || 'error' in message;
}

/** The HTTP status for a request that was refused with a JSON-RPC error code. */
function statusOf(rejection: number): number {
  if (rejection === ERROR_CODES.internalError) return 503;
  // Clients of these revisions expect an unknown method as an ordinary answer.
  return rejection === ERROR_CODES.methodNotFound ? 200 : 400;
}

/**
 * Answers one POST of a session: with one JSON object, or with a stream once something is sent before the response, or the
 * response is long in coming. A stream can be resumed; a client that goes away before there is one had no id to come back
 * with, so for it nothing is kept. Either way its going away cancels nothing.
 */
class SessionSink implements Sink {
  #stream: SessionStream | undefined;
  #wait: Deadline | undefined;
  #request: ActiveRequest | undefined;
  #open = true;

  constructor(
    private readonly http: HttpExchange,
    private readonly session: HttpSession,
  ) {
    session.began();
  }

  send(message: string): void {
    this.#streamed()?.send(message);
  }

  end(message: string, rejection?: number): void {
    this.#close();
    if (this.#stream) {
      this.#stream.send(message);
      this.session.streams.end(this.#stream);
      return;
    }
    respondJson(this.http, rejection === undefined ? 200 : statusOf(rejection), message);
  }

  abandon(): void {
    this.#close();
    if (!this.#stream) return this.http.respond(202, {});
    // No client comes back for what has been cancelled.
    this.#stream.forget();
    this.session.streams.end(this.#stream);
  }

  closeStream(retryMs?: number): void {
    const known = retryMs !== undefined && Number.isFinite(retryMs) && retryMs >= 0;
    // Clients take nothing but digits for a time.
    if (this.session.resumable) this.#streamed()?.disconnect(known ? Math.ceil(retryMs) : undefined);
  }

  /** Says that the request is not answered at once. */
  waits(request: ActiveRequest): void {
    this.#request = request;
    if (!this.#open) return;
    // After a while the client is given an id to come back with, should it lose the connection.
    this.#wait = this.session.waits(() => {
      if (this.#open) this.#streamed();
    });
  }

  #streamed(): SessionStream | undefined {
    if (!this.#stream && !this.http.gone)
      this.#stream = this.session.streams.open(this.http, () => this.#request?.cancel(NOT_AUTHENTICATED));
    return this.#stream;
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.session.finished(this.#wait);
  }
}
