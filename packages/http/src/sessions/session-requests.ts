/**
 * How a request that belongs to a session (revisions 2025-03-26 to 2025-11-25) is served. A POST opens a session or
 * names one. `session-table.ts` finds that session here or, through `shared-sessions.ts`, in the store. Messages for
 * another process go through `node-messages.ts`. The connection of the session serves the others. Its answer is one
 * JSON object, or a stream that a client can resume in any process (`session-streams.ts`). A GET resumes such a stream,
 * or listens; a DELETE ends the session.
 */

import { ERROR_CODES, type MaybePromise } from '@sigil/core';
import { lacksScopes } from '@sigil/core/extension';
import { type Deadline, isObject, isPromise, readableId, scopesToAnswer } from '@sigil/core/internal';
import {
  type ActiveRequest,
  METHODS,
  type Rejection,
  type RequestId,
  type Sink,
} from '@sigil/core/transport';
import {
  failed,
  failSafely,
  NOT_AUTHENTICATED,
  PostSink,
  rateHeaders,
  refuse,
  refuseScopes,
  respondJson,
  respondRejection,
  type StreamRules,
} from '../answers.js';
import type { HttpExchange } from '../http-exchange.js';
import { isRequest, NEEDS_ENVELOPE, refusesVersion } from '../requests.js';
import type { SessionStream } from './session-streams.js';
import type { HttpSession, SessionTable } from './session-table.js';
import { readName } from './sealed-sessions.js';
import { ENDED } from './shared-sessions.js';

/** Serves a message, or a batch, that belongs to a session or opens one (revisions 2025-03-26 to 2025-11-25). */
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
  // A call that waits here for its answer does not need the store.
  const alone = (session: HttpSession): boolean => {
    if (!sessions.shared?.messages.isOwnAnswer(message) || !isWellFormed(message)) return false;
    if (refusesAnswer(http, message, session)) return true;
    session.connection.receive(message);
    http.respond(202, {});
    return true;
  };
  const serveWith = (session: HttpSession): void => {
    if (refusesAnswer(http, message, session)) return;
    if (opens)
      return refuse(http, 400, ERROR_CODES.invalidRequest, 'This session has been initialized already', id);
    if (isObject(message) && !isRequest(message)) {
      if (!isWellFormed(message)) return refuse(http, 400, ERROR_CODES.invalidRequest, 'Invalid request', id);
      return notify(http, message, session, sessions);
    }
    if (!sessions.shared) return serve(http, message, session);
    const { own, isTaken } = sessions.shared.messages.forward(session, message);
    onceTaken(http, sessions, isTaken, () => {
      if (own === undefined) http.respond(202, {});
      else serve(http, own, session);
    });
  };
  withSession(http, sessions, id, serveWith, alone);
}

/**
 * Finds the session in the header `Mcp-Session-Id` and calls `serve` with it. If there is no such session, the request
 * is refused.
 *
 * @param alone a function that is called if the store fails. It receives the local copy of the session, and returns
 *   whether it has served the request.
 */
export function withSession(
  http: HttpExchange,
  sessions: SessionTable,
  id: RequestId | null,
  serve: (session: HttpSession) => void,
  alone: (session: HttpSession) => boolean = () => false,
): void {
  const sessionId = readSessionId(http, id);
  if (sessionId === undefined) return;
  const found = sessions.find(sessionId, http);
  const go = (session: HttpSession | undefined): void => (session ? serve(session) : refuseUnknown(http, id));
  if (!isPromise(found)) return go(found);
  once(http, sessions, found, go, (error) => {
    const here = sessions.get(readName(sessionId).id);
    const isServed = here !== undefined && here.owner === http.principal?.id && alone(here);
    if (!isServed) sessions.shared?.refuse(http, error, id);
  });
}

/**
 * Continues a request once a store or another process has answered. A closing server waits for such requests, because
 * official clients do not repeat them.
 *
 * @param fail receives the error.
 */
function once<T>(
  http: HttpExchange,
  sessions: SessionTable,
  answer: MaybePromise<T>,
  go: (answer: T) => void,
  fail: (error: unknown) => void,
): void {
  if (!isPromise(answer)) return go(answer);
  const goOn = (next: () => void): void => {
    failSafely(http, sessions.logger, next);
    sessions.goesOn();
  };
  sessions.waits();
  answer.then(
    (found) => goOn(() => go(found)),
    (error: unknown) => goOn(() => fail(error)),
  );
}

/**
 * Ends the session in the header `Mcp-Session-Id` of a DELETE request. If there is no such session, the request is
 * refused.
 */
export function endSession(http: HttpExchange, sessions: SessionTable): void {
  const { shared } = sessions;
  if (!shared) {
    return withSession(http, sessions, null, (session) => {
      sessions.end(session, ENDED);
      http.respond(204, {});
    });
  }
  const sessionId = readSessionId(http, null);
  if (sessionId === undefined) return;
  once(
    http,
    sessions,
    shared.delete(sessionId, http),
    (wasThere) => (wasThere ? http.respond(204, {}) : refuseUnknown(http, null)),
    (error) => shared.refuse(http, error, null),
  );
}

/** Reads which session a request names. @returns `undefined` when the request has been refused. */
function readSessionId(http: HttpExchange, id: RequestId | null): string | undefined {
  if (refusesVersion(http, id)) return undefined;
  const sessionId = http.header('mcp-session-id');
  if (sessionId !== undefined) return sessionId;
  const message = `Send ${NEEDS_ENVELOPE} in the request, or send the header Mcp-Session-Id of a session`;
  refuse(http, 400, ERROR_CODES.invalidParams, message, id);
  return undefined;
}

function refuseUnknown(http: HttpExchange, id: RequestId | null): void {
  refuse(http, 404, ERROR_CODES.invalidRequest, 'Session not found: open a new one with initialize', id);
}

/**
 * Refuses an answer to a call's question if the client lacks the scopes of the call.
 *
 * @returns whether it was refused.
 */
function refusesAnswer(http: HttpExchange, message: unknown, session: HttpSession): boolean {
  const scopes = scopesToAnswer(message);
  const isRefused = lacksScopes(http.principal, scopes);
  if (isRefused) refuseScopes(http, session.insufficientScope(http, scopes));
  return isRefused;
}

/** Accepts a message that gets no answer. It is confirmed once its changes are stored and its receiver has it. */
function notify(http: HttpExchange, message: unknown, session: HttpSession, sessions: SessionTable): void {
  const { shared } = sessions;
  const { own, isTaken } = shared
    ? shared.messages.forward(session, message)
    : { own: message, isTaken: true };
  const before = session.changing;
  if (own !== undefined) session.connection.receive(own);
  const { changing } = session;
  onceTaken(http, sessions, isTaken, () => {
    const change = changing === before ? undefined : changing;
    once(
      http,
      sessions,
      change,
      () => http.respond(202, {}),
      (error) => shared?.refuse(http, error, null),
    );
  });
}

/** Continues once other processes have received their messages. If they have not, the client is asked to send again. */
function onceTaken(
  http: HttpExchange,
  sessions: SessionTable,
  isTaken: MaybePromise<boolean>,
  go: () => void,
): void {
  once(
    http,
    sessions,
    isTaken,
    (isDone) => (isDone ? go() : sessions.overload.refuse(http, NOT_TAKEN)),
    (error) => failed(http, sessions.logger, error),
  );
}

const NOT_TAKEN = 'The process that waits for this message cannot be reached';

function serve(http: HttpExchange, message: unknown, session: HttpSession): void {
  const sink = new SessionSink(http, session, isObject(message) ? readableId(message) : null);
  // A client that disconnects has not cancelled: it may come back for the result.
  const request = session.connection.receive(message, sink, http);
  if (request && !request.done) sink.waits();
}

function openSession(
  http: HttpExchange,
  message: unknown,
  sessions: SessionTable,
  stream: StreamRules,
  id: RequestId | null,
): void {
  if (sessions.isStateless) return refuse(http, 400, ERROR_CODES.invalidRequest, NO_SESSIONS, id);
  const session = sessions.create(http.principal?.id, http.quotaKey);
  if (!session) return sessions.overload.refuse(http, 'Too many sessions, and all of them are in use', id);
  let sent = session.id;
  const headers = (): Record<string, string> =>
    session.connection.initialized ? { 'Mcp-Session-Id': sent } : {};
  const sink = new PostSink(http, {
    stream,
    statusOf,
    insufficientScope: session.insufficientScope,
    headers,
  });
  const opening: Sink = {
    send: (text) => sink.send(text),
    // Once a client knows its session, it may use it at once, at any process.
    end(text, rejection) {
      once(
        http,
        sessions,
        session.connection.initialized ? sessions.open(session, http) : undefined,
        (name) => {
          sent = name ?? sent;
          sink.end(text, rejection);
        },
        (error) => {
          session.close('The session could not be stored');
          sessions.shared?.refuse(http, error, id);
        },
      );
    },
  };
  session.connection.receive(message, opening, http);
  if (!session.connection.initialized) session.close('initialize was refused');
}

const NO_SESSIONS =
  'This server has no sessions, because it runs in several processes without a backend. It serves clients of revision 2026-07-28';

/** Whether a message without an id is a notification or a response. */
function isWellFormed(message: unknown): boolean {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return false;
  return typeof message['method'] === 'string' || 'result' in message || 'error' in message;
}

/** The HTTP status for a request that was refused with a JSON-RPC error code. */
function statusOf(code: number): number {
  if (code === ERROR_CODES.internalError) return 503;
  if (code === ERROR_CODES.rateLimited) return 429;
  // Clients of these revisions expect the error for an unknown method in an ordinary answer.
  return code === ERROR_CODES.methodNotFound ? 200 : 400;
}

/**
 * Answers one POST of a session with one JSON object. It answers with a stream once something is sent before the
 * response, or once the response takes long. A stream can be resumed. A client that disconnects before it has a stream
 * has no id to resume with, so nothing is kept for it. In both cases, disconnecting cancels nothing.
 */
class SessionSink implements Sink {
  #stream: SessionStream | undefined;
  #wait: Deadline | undefined;
  #request: ActiveRequest | undefined;
  #open = true;

  constructor(
    private readonly http: HttpExchange,
    private readonly session: HttpSession,
    private readonly id: RequestId | null,
  ) {
    session.began();
  }

  send(message: string): void {
    this.#streamed()?.send(message);
  }

  end(message: string, rejection?: Rejection): void {
    this.#close();
    if (this.#stream) {
      this.session.streams.end(this.#stream, message);
      return;
    }
    const { insufficientScope } = this.session;
    const headers = rateHeaders(this.#request?.limits);
    if (rejection) respondRejection(this.http, message, rejection, { statusOf, insufficientScope }, headers);
    else respondJson(this.http, 200, message, headers);
  }

  abandon(): void {
    this.#close();
    if (!this.#stream) return this.http.respond(202, {});
    // No client resumes a cancelled request.
    this.#stream.abandon();
    this.session.streams.end(this.#stream);
  }

  closeStream(retryMs?: number): void {
    const known = retryMs !== undefined && Number.isFinite(retryMs) && retryMs >= 0;
    // Clients accept only digits as a time.
    if (this.session.resumable) this.#streamed()?.disconnect(known ? Math.ceil(retryMs) : undefined);
  }

  serves(request: ActiveRequest): void {
    this.#request = request;
  }

  /** Notes that the request is not answered at once. */
  waits(): void {
    if (!this.#open) return;
    // After a while the client gets an event id, so that it can resume if it loses the connection.
    this.#wait = this.session.waits(() => {
      if (this.#open) this.#streamed();
    });
  }

  #streamed(): SessionStream | undefined {
    if (this.#stream || this.http.gone) return this.#stream;
    // Until the scopes that the request needs are known, all scopes of its principal count.
    const scopes = this.#request?.neededScopes ?? this.http.principal?.scopes ?? [];
    this.#stream = this.session.streams.open(this.http, this.id ?? undefined, scopes, () =>
      this.#request?.cancel(NOT_AUTHENTICATED),
    );
    // The session was opened without a token, and now belongs to a principal: the client must come back with a token.
    const { owner, resumable } = this.session;
    if (resumable && owner !== this.http.principal?.id) this.#stream.disconnect();
    return this.#stream;
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.session.finished(this.#wait);
  }
}
