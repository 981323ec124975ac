import {
  ERROR_CODES,
  LATEST_LEGACY_VERSION,
  METHODS,
  PROTOCOL_VERSIONS,
  readableId,
  type RequestId,
} from '@sigil/core/transport';
import { refuse } from './answers.js';
import type { HttpExchange } from './http-exchange.js';
import { isFields, isRequest } from './message.js';
import { PostOutlet } from './post-outlet.js';
import type { HttpSession } from './session.js';
import type { SessionTable } from './session-table.js';

const SESSION_VERSIONS: readonly string[] = PROTOCOL_VERSIONS.filter(
  (version) => version <= LATEST_LEGACY_VERSION,
);

/** Serves a message, or a batch, that belongs to a session or opens one (2025-03-26 to 2025-11-25). */
export function serveSessioned(
  http: HttpExchange,
  message: unknown,
  sessions: SessionTable,
  keepAliveMs: number,
): void {
  const id = readableId(message);
  const version = http.header('mcp-protocol-version');
  if (version !== undefined && !SESSION_VERSIONS.includes(version)) return refuseVersion(http, version, id);
  const sessionId = http.header('mcp-session-id');
  const initializes = isFields(message) && message['method'] === METHODS.initialize;
  if (initializes && sessionId === undefined) return openSession(http, message, sessions, keepAliveMs);
  const session = findSession(http, sessions, id);
  if (!session) return;
  if (initializes)
    return refuse(http, 400, ERROR_CODES.invalidRequest, 'This session has been initialized already', id);

  const wantsResponse = Array.isArray(message) ? message.some(isRequest) : isRequest(message);
  if (!wantsResponse && (Array.isArray(message) || isWellFormed(message))) {
    session.peer.receive(message);
    http.respond(202, {});
    return;
  }
  const close = session.open();
  const outlet = new PostOutlet(http, { keepAliveMs, statusOf });
  // A client that goes away has not cancelled: it may come back for the result.
  session.peer.receive(
    message,
    {
      send: (text) => outlet.send(text),
      end: (text, rejection) => (close(), outlet.end(text, rejection)),
      abandon: () => (close(), outlet.abandon()),
    },
    { headers: http.headers },
  );
}

/**
 * Finds the session a request names, or refuses it.
 *
 * @returns `undefined` when the request has been refused.
 */
export function findSession(
  http: HttpExchange,
  sessions: SessionTable,
  id: RequestId | null = null,
): HttpSession | undefined {
  const sessionId = http.header('mcp-session-id');
  if (sessionId === undefined) {
    const message =
      'Send _meta["io.modelcontextprotocol/protocolVersion"] with the request, or Mcp-Session-Id of a session';
    refuse(http, 400, ERROR_CODES.invalidParams, message, id);
    return undefined;
  }
  const session = sessions.find(sessionId);
  if (!session)
    refuse(http, 404, ERROR_CODES.invalidRequest, 'Session not found: open a new one with initialize', id);
  return session;
}

function openSession(
  http: HttpExchange,
  message: unknown,
  sessions: SessionTable,
  keepAliveMs: number,
): void {
  const session = sessions.create();
  const headers = (): Record<string, string> => {
    if (!session.peer.initialized) return {};
    sessions.keep(session);
    return { 'Mcp-Session-Id': session.id };
  };
  session.peer.receive(message, new PostOutlet(http, { keepAliveMs, statusOf, headers }), {
    headers: http.headers,
  });
  if (!session.peer.initialized) session.close('initialize was refused');
}

function refuseVersion(http: HttpExchange, version: string, id: RequestId | null): void {
  const known = PROTOCOL_VERSIONS.some((candidate) => candidate === version);
  const message = known
    ? `Version ${version} needs _meta["io.modelcontextprotocol/protocolVersion"] in the body`
    : `Unsupported MCP-Protocol-Version: ${version}`;
  refuse(http, 400, known ? ERROR_CODES.invalidParams : ERROR_CODES.invalidRequest, message, id);
}

/** A response or a notification; anything else that is no request is for the engine to refuse. */
function isWellFormed(message: unknown): boolean {
  if (!isFields(message) || message['jsonrpc'] !== '2.0') return false;
  return typeof message['method'] === 'string' || 'result' in message || 'error' in message;
}

function statusOf(rejection: number): number {
  // Clients of these revisions expect an unknown method as an ordinary answer.
  return rejection === ERROR_CODES.methodNotFound ? 200 : 400;
}
