import { ERROR_CODES, LATEST_LEGACY_VERSION, PROTOCOL_VERSIONS, type RequestId } from '@sigil/core/transport';
import { refuse } from './refusals.js';
import type { HttpExchange } from './http-exchange.js';
import { isFields } from './requests.js';
import type { HttpSession } from './session.js';
import type { SessionTable } from './session-table.js';

const SESSION_VERSIONS: readonly string[] = PROTOCOL_VERSIONS.filter(
  (version) => version <= LATEST_LEGACY_VERSION,
);
const STATELESS_VERSIONS: readonly string[] = PROTOCOL_VERSIONS.filter(
  (version) => version > LATEST_LEGACY_VERSION,
);
const NEEDS_ENVELOPE = '_meta["io.modelcontextprotocol/protocolVersion"]';

/**
 * Refuses a request whose `MCP-Protocol-Version` no session has (2025-06-18, basic/transports, "Protocol Version Header").
 *
 * @returns whether the request has been refused.
 */
export function refusesVersion(http: HttpExchange, id: RequestId | null): boolean {
  const version = http.header('mcp-protocol-version');
  if (version === undefined || SESSION_VERSIONS.includes(version)) return false;
  const known = PROTOCOL_VERSIONS.some((candidate) => candidate === version);
  const message = known
    ? `Version ${version} needs ${NEEDS_ENVELOPE} in the body`
    : `Unsupported MCP-Protocol-Version: ${version}`;
  refuse(http, 400, known ? ERROR_CODES.invalidParams : ERROR_CODES.invalidRequest, message, id);
  return true;
}

/** The version of a notification that claims none and belongs to no session: that of its header. Only requests must repeat it. */
export function versionOfNotification(http: HttpExchange, message: unknown): string | undefined {
  if (!isFields(message) || typeof message['method'] !== 'string' || message['id'] !== undefined)
    return undefined;
  const version = http.header('mcp-protocol-version');
  const isStateless = version !== undefined && STATELESS_VERSIONS.includes(version);
  return isStateless && http.header('mcp-session-id') === undefined ? version : undefined;
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
  if (refusesVersion(http, id)) return undefined;
  const sessionId = http.header('mcp-session-id');
  if (sessionId === undefined) {
    const message = `Send ${NEEDS_ENVELOPE} with the request, or Mcp-Session-Id of a session`;
    refuse(http, 400, ERROR_CODES.invalidParams, message, id);
    return undefined;
  }
  const session = sessions.find(sessionId, http.principal?.id);
  if (!session)
    refuse(http, 404, ERROR_CODES.invalidRequest, 'Session not found: open a new one with initialize', id);
  return session;
}
