import {
  type CallEvent,
  type CallInfo,
  type ClientRequestInfo,
  InputResponseError,
  ProtocolError,
  type SessionEvent,
} from '@sigil/core';
import type { Values } from './attributes.js';

/** Stands for methods that the server does not have: any text would be a time series of its own. */
const OTHER = '_OTHER';
/** Longest URI that spans have, in characters. */
const MAX_URI_LENGTH = 1024;

/** The codes by which the caller is at fault: the server has not failed. */
const CALLER_FAULTS: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002]);

/** What is known of a call when it begins. Names are those that the server has: clients could send any. */
export function valuesOf(call: CallInfo): Values {
  const { isKnownMethod, isKnownName, requestId, params, protocolVersion, sessionId, source, address } = call;
  const method = isKnownMethod ? call.method : OTHER;
  const name = isKnownName ? call.name : undefined;
  const isTool = method === 'tools/call';
  const { uri } = params;
  const hasUri = method.startsWith('resources/') && typeof uri === 'string';
  return {
    method,
    tool: isTool ? name : undefined,
    operation: isTool ? 'execute_tool' : undefined,
    prompt: method === 'prompts/get' ? name : undefined,
    uri: hasUri ? uri.slice(0, MAX_URI_LENGTH) : undefined,
    requestId: requestId === undefined ? undefined : String(requestId),
    protocolVersion,
    sessionId,
    ...networkOf(call.transport, source),
    address,
    port: portOf(source, address),
  };
}

/** What is known of a request to a client when it is sent. */
export function clientValuesOf({ id, method, call }: ClientRequestInfo): Values {
  const { protocolVersion, sessionId, transport, source } = call;
  return { method, requestId: String(id), protocolVersion, sessionId, ...networkOf(transport, source) };
}

/** What is known of a session that has ended. */
export function sessionValuesOf({ protocolVersion, transport }: SessionEvent): Values {
  return { protocolVersion, ...networkOf(transport, undefined) };
}

/** How something ended. */
export interface End extends Pick<Values, 'errorType' | 'statusCode'> {
  readonly message?: string | undefined;
}

/** How a call ended, by its answer. */
export function endOf({ error, outcome, result }: CallEvent): End {
  if (error) {
    const statusCode = String(error.code);
    const errorType = CALLER_FAULTS.has(error.code) ? undefined : statusCode;
    return { statusCode, errorType, message: error.message };
  }
  const hasFailed = outcome === 'isError' || (outcome !== 'ok' && result()?.['isError'] === true);
  return hasFailed ? { errorType: 'tool_error' } : {};
}

/** How a request to a client ended, by what the wait for its answer failed with. */
export function clientEndOf(error: unknown): End {
  if (error === undefined) return {};
  if (!(error instanceof InputResponseError)) return { errorType: OTHER };
  const { cause, reason, message } = error;
  if (!(cause instanceof ProtocolError))
    return { errorType: reason === 'late' ? 'timeout' : reason, message };
  const statusCode = String(cause.code);
  return { statusCode, errorType: statusCode, message: cause.message };
}

type Network = Pick<Values, 'networkTransport' | 'networkProtocol' | 'networkProtocolVersion'>;

function networkOf(transport: CallInfo['transport'], source: unknown): Network {
  if (transport === 'stdio') return { networkTransport: 'pipe' };
  if (transport !== 'http') return {};
  // A message of Node; requests of the web do not say it.
  const version = member(source, 'httpVersion');
  const networkProtocolVersion = version === '2.0' ? '2' : typeof version === 'string' ? version : undefined;
  return { networkTransport: 'tcp', networkProtocol: 'http', networkProtocolVersion };
}

/** The port of the client, unless its address is what a proxy says of it. */
function portOf(source: unknown, address: string | undefined): number | undefined {
  const socket = member(source, 'socket');
  if (address === undefined || member(socket, 'remoteAddress') !== address) return undefined;
  const port = member(socket, 'remotePort');
  return typeof port === 'number' ? port : undefined;
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
