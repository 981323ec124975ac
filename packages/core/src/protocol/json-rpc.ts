import { isObject } from './json.js';
import { META } from './meta.js';

/** Identifies a request until its response has been sent. MCP forbids `null` and fractions. */
export type RequestId = string | number;

/** A JSON-RPC 2.0 request. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** A JSON-RPC 2.0 notification: a request that wants no response. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** The `error` member of a JSON-RPC 2.0 response. */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A JSON-RPC 2.0 response: exactly one of `result` and `error` is present. */
export interface JsonRpcResponse {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly result?: Record<string, unknown>;
  readonly error?: JsonRpcError;
}

/** Any single JSON-RPC 2.0 message. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** Longer ids and names are refused: they are kept, logged and sent back. */
const MAX_NAME_LENGTH = 256;

/** Whether a value may identify an MCP request: a string of at most 256 characters, or an integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_NAME_LENGTH : Number.isSafeInteger(value);
}

/** A name or URI that a client sent, as far as it is worth repeating. */
export function repeated(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
}

/** Reads the id of a message that may be malformed; `null` when it is not readable (JSON-RPC 2.0 §5). */
export function readableId(message: unknown): RequestId | null {
  return isObject(message) && isRequestId(message['id']) ? message['id'] : null;
}

/** Serialises an error response. */
export function errorResponse(id: RequestId | null, error: JsonRpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;
}

/**
 * The version that a message claims for itself in `_meta` (2026-07-28, basic/versioning).
 *
 * @returns `undefined` for a message that belongs to a session; anything else, of whatever type, is a claim.
 */
export function claimOf(message: unknown): unknown {
  if (!isObject(message) || !isObject(message['params'])) return undefined;
  const meta = message['params']['_meta'];
  return isObject(meta) ? meta[META.protocolVersion] : undefined;
}
