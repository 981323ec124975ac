import {
  type CallEvent,
  type CallInfo,
  type ClientRequestInfo,
  InputResponseError,
  ProtocolError,
  type SessionEvent,
} from '@sigil/core';
import type { Values } from './attributes.js';

/**
 * Replaces methods that the server does not have. Otherwise, each text from a client would create a time
 * series.
 */
const OTHER = '_OTHER';
/** Maximum length of a URI in spans, in characters. */
const MAX_URI_LENGTH = 1024;

/**
 * The error codes for faults of the caller, which do not count as server errors: those of the conventions,
 * and Sigil's own codes for scopes and rates.
 */
const CALLER_FAULTS: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002, 403, 429]);

/**
 * Returns the attributes that are known when a call begins, for metrics and spans. Names of unknown tools and prompts
 * are not included, because clients can send any name.
 */
export function measuredOf(call: CallInfo): Values {
  const { isKnownMethod, isKnownName, params, protocolVersion, transport } = call;
  const method = isKnownMethod ? call.method : OTHER;
  const name = isKnownName ? call.name : undefined;
  const isTool = method === 'tools/call';
  const { uri } = params;
  const isHttp = transport === 'http';
  return {
    method,
    tool: isTool ? name : undefined,
    operation: isTool ? 'execute_tool' : undefined,
    prompt: method === 'prompts/get' ? name : undefined,
    uri:
      typeof uri === 'string' && method.startsWith('resources/') ? uri.slice(0, MAX_URI_LENGTH) : undefined,
    protocolVersion,
    networkTransport: transport && NETWORK_TRANSPORTS[transport],
    networkProtocol: isHttp ? 'http' : undefined,
    networkProtocolVersion: isHttp ? httpVersionOf(call.source) : undefined,
  };
}

/**
 * Returns the attributes of a call that are set on spans, but not on metrics. Their values differ for each call.
 */
export function tracedOf({ requestId, sessionId, address, source }: CallInfo): Values {
  return {
    requestId: requestId === undefined ? undefined : String(requestId),
    sessionId,
    address,
    port: portOf(source, address),
  };
}

/** Returns the attributes of a request to a client, including attributes of the call that the request belongs to. */
export function clientValuesOf({ id, method, call }: ClientRequestInfo, measured: Values): Values {
  const { protocolVersion, networkTransport, networkProtocol, networkProtocolVersion } = measured;
  const network = { networkTransport, networkProtocol, networkProtocolVersion };
  return { method, requestId: String(id), protocolVersion, sessionId: call.sessionId, ...network };
}

/** Returns the attributes of a session that has ended. */
export function sessionValuesOf({ protocolVersion, transport }: SessionEvent): Values {
  return { protocolVersion, networkProtocol: transport === 'http' ? 'http' : undefined };
}

/** How a call failed, or how a request to a client failed. */
export interface End extends Pick<Values, 'errorType' | 'statusCode'> {
  readonly message?: string | undefined;
}

/** Returns how a call failed; `undefined` if it succeeded. */
export function endOf({ error, outcome, result }: CallEvent): End | undefined {
  if (error) {
    const statusCode = String(error.code);
    const errorType = CALLER_FAULTS.has(error.code) ? undefined : statusCode;
    return { statusCode, errorType, message: error.message };
  }
  const hasFailed = outcome === 'isError' || (outcome !== 'ok' && result()?.['isError'] === true);
  return hasFailed ? { errorType: 'tool_error' } : undefined;
}

/**
 * Returns how a request to a client failed; `undefined` if it succeeded.
 *
 * @param error the error of the request, or `undefined`.
 */
export function clientEndOf(error: unknown): End | undefined {
  if (error === undefined) return undefined;
  if (!(error instanceof InputResponseError)) return { errorType: OTHER };
  const { cause, reason, message } = error;
  if (!(cause instanceof ProtocolError))
    return { errorType: reason === 'late' ? 'timeout' : reason, message };
  const statusCode = String(cause.code);
  return { statusCode, errorType: statusCode, message: cause.message };
}

/** The names of Sigil's transports in OpenTelemetry's conventions. */
export const NETWORK_TRANSPORTS: Readonly<Record<string, string | undefined>> = {
  stdio: 'pipe',
  http: 'tcp',
  memory: undefined,
};

/** Returns the HTTP version. Requests of Node have it; web requests do not. */
function httpVersionOf(source: unknown): string | undefined {
  const version = member(source, 'httpVersion');
  return version === '2.0' ? '2' : typeof version === 'string' ? version : undefined;
}

/** Returns the port of the client, unless its address comes from a proxy. */
function portOf(source: unknown, address: string | undefined): number | undefined {
  const socket = member(source, 'socket');
  if (address === undefined || member(socket, 'remoteAddress') !== address) return undefined;
  const port = member(socket, 'remotePort');
  return typeof port === 'number' ? port : undefined;
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
