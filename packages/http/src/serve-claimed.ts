import {
  type Endpoint,
  ERROR_CODES,
  LATEST_VERSION,
  METHODS,
  type Peer,
  readableId,
} from '@sigil/core/transport';
import { refuse } from './answers.js';
import { argumentMismatch } from './argument-headers.js';
import type { StreamRules } from './event-stream.js';
import { factsOf } from './facts.js';
import type { HttpExchange } from './http-exchange.js';
import { type Fields, isRequest, paramsOf } from './message.js';
import { PostOutlet } from './post-outlet.js';
import { headerMismatch } from './standard-headers.js';

/**
 * Serves a message that claims a protocol version for itself (2026-07-28 and later): without a session, after the headers
 * have been held against the body.
 */
export function serveClaimed(
  http: HttpExchange,
  message: Fields,
  claimed: unknown,
  peer: Peer,
  endpoint: Endpoint,
  stream: StreamRules,
): void {
  const id = readableId(message);
  const mismatch = versionMismatch(http, claimed) ?? mirrorMismatch(http, message, claimed, endpoint);
  if (mismatch !== undefined) {
    refuse(http, 400, ERROR_CODES.headerMismatch, `Header mismatch: ${mismatch}`, id);
    return;
  }
  // Nothing but requests means anything here: a client cancels by closing the stream of its request.
  if (!isRequest(message)) {
    http.respond(202, {});
    return;
  }
  const outlet = new PostOutlet(http, { stream, statusOf });
  const request = peer.receive(message, outlet, factsOf(http));
  if (request && !request.done) http.onGone(() => request.cancel('The client closed the response stream'));
}

function statusOf(rejection: number): number {
  if (rejection === ERROR_CODES.internalError) return 503;
  return rejection === ERROR_CODES.methodNotFound ? 404 : 400;
}

function versionMismatch(http: HttpExchange, claimed: unknown): string | undefined {
  const sent = http.header('mcp-protocol-version');
  if (sent === undefined) return 'the header MCP-Protocol-Version is missing';
  if (sent.trim() === claimed) return undefined;
  // What the client sent may be anything, and not all of it can be shown.
  const shown = typeof claimed === 'string' ? `'${claimed}'` : 'something else than a string';
  return `the header MCP-Protocol-Version says '${sent}', the body ${shown}`;
}

function mirrorMismatch(
  http: HttpExchange,
  message: Fields,
  claimed: unknown,
  endpoint: Endpoint,
): string | undefined {
  const { method } = message;
  // A version this server does not speak is for the engine to refuse.
  if (claimed !== LATEST_VERSION || typeof method !== 'string') return undefined;
  const params = paramsOf(message);
  const mismatch = headerMismatch(http, method, params, endpoint.namedBy(method));
  if (mismatch !== undefined || method !== METHODS.callTool) return mismatch;
  const { name, arguments: args } = params;
  return typeof name === 'string'
    ? argumentMismatch(http, endpoint.mirroredArguments(name), args)
    : undefined;
}
