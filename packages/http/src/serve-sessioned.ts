import { ERROR_CODES, METHODS, readableId, type RequestId } from '@sigil/core/transport';
import { factsOf, refuse } from './answers.js';
import type { StreamRules } from './event-stream.js';
import { findSession } from './find-session.js';
import type { HttpExchange } from './http-exchange.js';
import { isFields, isRequest } from './message.js';
import { PostOutlet } from './post-outlet.js';
import type { HttpSession } from './session.js';
import { SessionOutlet } from './session-outlet.js';
import type { SessionTable } from './session-table.js';

/** Serves a message, or a batch, that belongs to a session or opens one (2025-03-26 to 2025-11-25). */
export function serveSessioned(
  http: HttpExchange,
  message: unknown,
  sessions: SessionTable,
  stream: StreamRules,
): void {
  const id = readableId(message);
  const opens = isFields(message) && message['method'] === METHODS.initialize && isRequest(message);
  if (opens && http.header('mcp-session-id') === undefined)
    return openSession(http, message, sessions, stream);
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
  if (isFields(message) && !isRequest(message)) {
    if (!isWellFormed(message)) return refuse(http, 400, ERROR_CODES.invalidRequest, 'Invalid request', id);
    session.peer.receive(message);
    return http.respond(202, {});
  }
  const outlet = new SessionOutlet(http, session, statusOf);
  // A client that goes away has not cancelled: it may come back for the result.
  const request = session.peer.receive(message, outlet, factsOf(http));
  if (request && !request.done) outlet.waits();
}

function openSession(
  http: HttpExchange,
  message: unknown,
  sessions: SessionTable,
  stream: StreamRules,
): void {
  const session = sessions.create(http.principal?.id);
  const headers = (): Record<string, string> => {
    if (!session.peer.initialized) return {};
    sessions.keep(session);
    return { 'Mcp-Session-Id': session.id };
  };
  session.peer.receive(message, new PostOutlet(http, { stream, statusOf, headers }), factsOf(http));
  if (!session.peer.initialized) session.close('initialize was refused');
}

/** Whether a message without an id is a notification or a response. */
function isWellFormed(message: Readonly<Record<string, unknown>>): boolean {
  if (message['jsonrpc'] !== '2.0') return false;
  return typeof message['method'] === 'string' || 'result' in message || 'error' in message;
}

function statusOf(rejection: number): number {
  // Clients of these revisions expect an unknown method as an ordinary answer.
  return rejection === ERROR_CODES.methodNotFound ? 200 : 400;
}
