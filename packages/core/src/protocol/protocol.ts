import { isObject } from './json.js';

// The types of the protocol: JSON-RPC messages, methods, and the descriptions of client and server.

/** Identifies a request until its response has been sent. MCP forbids `null` and fractions. */
export type RequestId = string | number;

/** A JSON-RPC 2.0 request. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** A JSON-RPC 2.0 notification: a request that gets no response. */
interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** The `error` member of a JSON-RPC 2.0 response. */
interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A JSON-RPC 2.0 response: exactly one of `result` and `error` is present. */
interface JsonRpcResponse {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly result?: Record<string, unknown>;
  readonly error?: JsonRpcError;
}

/** Any single JSON-RPC 2.0 message. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** The maximum length of ids and names. Longer ones are refused, because they are stored, logged and sent back. */
const MAX_NAME_LENGTH = 256;

/**
 * Whether a value can identify an MCP request: it must be a string of at most 256 characters, or an integer.
 *
 * @param value the `id` of a message.
 * @example
 * ```ts
 * if (!isRequestId(message['id'])) return errorResponse(null, error);
 * ```
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_NAME_LENGTH : Number.isSafeInteger(value);
}

/** Shortens a name or URI from a client, so that an error message can repeat it. */
export function repeated(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
}

/**
 * Reads the id of a message that may be malformed. Returns `null` when the id is not readable (JSON-RPC 2.0 §5).
 *
 * @param message a parsed message, which may be malformed.
 * @example
 * ```ts
 * const id = readableId({ id: 7, method: 5 });
 * ```
 * @see https://www.jsonrpc.org/specification#response_object
 */
export function readableId(message: unknown): RequestId | null {
  return isObject(message) && isRequestId(message['id']) ? message['id'] : null;
}

/**
 * Serialises an error response.
 *
 * @param id the id of the request; `null` when it is not readable.
 * @param error code, message and data.
 * @returns the response as JSON.
 * @example
 * ```ts
 * const text = errorResponse(readableId(message), {
 *   code: ERROR_CODES.invalidRequest,
 *   message: 'The request has no method',
 * });
 * ```
 * @see https://www.jsonrpc.org/specification#error_object
 */
export function errorResponse(id: RequestId | null, error: JsonRpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;
}

/** The method names of the protocol. The last three are names of requests from the server to the client. */
export const METHODS = {
  initialize: 'initialize',
  discover: 'server/discover',
  ping: 'ping',
  setLevel: 'logging/setLevel',
  listTools: 'tools/list',
  callTool: 'tools/call',
  listResources: 'resources/list',
  listTemplates: 'resources/templates/list',
  readResource: 'resources/read',
  subscribe: 'resources/subscribe',
  unsubscribe: 'resources/unsubscribe',
  listen: 'subscriptions/listen',
  listPrompts: 'prompts/list',
  getPrompt: 'prompts/get',
  complete: 'completion/complete',
  /** Sent by the server to the client. */
  createMessage: 'sampling/createMessage',
  elicit: 'elicitation/create',
  listRoots: 'roots/list',
} as const;

/** Notification names of the protocol. */
export const NOTIFICATIONS = {
  initialized: 'notifications/initialized',
  cancelled: 'notifications/cancelled',
  progress: 'notifications/progress',
  message: 'notifications/message',
  rootsListChanged: 'notifications/roots/list_changed',
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
  resourceUpdated: 'notifications/resources/updated',
  acknowledged: 'notifications/subscriptions/acknowledged',
  elicitationComplete: 'notifications/elicitation/complete',
} as const;

/**
 * For each method, the member of `params` that names the requested tool, prompt or resource. The header `Mcp-Name`
 * repeats the value of this member.
 */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
  [METHODS.callTool, 'name'],
  [METHODS.getPrompt, 'name'],
  [METHODS.readResource, 'uri'],
]);

/** Reserved `_meta` keys of revision 2026-07-28 (page "basic" of the specification, section "_meta"). */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

const RESERVED_KEYS: readonly string[] = Object.values(META);

/**
 * Returns the `_meta` that an author set, without the keys that the protocol fills in.
 *
 * @throws TypeError if the `_meta` is not an object.
 */
export function authorMeta(
  meta: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (meta === undefined) return undefined;
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta))
    throw new TypeError('"_meta" must be an object');
  if (!RESERVED_KEYS.some((key) => key in meta)) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !RESERVED_KEYS.includes(key)));
}

/**
 * Returns the protocol version in a message's `_meta` (specification 2026-07-28, basic/versioning).
 *
 * @param message a parsed message, which may be malformed.
 * @returns the unchecked version, of any type; `undefined` if the `_meta` contains no version. The message then belongs
 *   to a session.
 * @example
 * ```ts
 * const isSessioned = claimOf(message) === undefined;
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function claimOf(message: unknown): unknown {
  if (!isObject(message) || !isObject(message['params'])) return undefined;
  const meta = message['params']['_meta'];
  return isObject(meta) ? meta[META.protocolVersion] : undefined;
}

/** Every protocol revision that Sigil supports, oldest first. */
export const PROTOCOL_VERSIONS = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const;

/** A protocol revision that Sigil supports. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** The newest revision whose sessions begin with an `initialize` handshake. */
export const LATEST_LEGACY_VERSION: ProtocolVersion = '2025-11-25';

/** The newest revision. In this revision, every request contains the protocol version. */
export const LATEST_VERSION: ProtocolVersion = '2026-07-28';

/** The features of a protocol revision that transports and callers of `connect` need to know. */
export interface RevisionFeatures {
  /** Whether clients open a session with `initialize`. If not, every request contains its version in `_meta`. */
  readonly sessions: boolean;
  /** How a server may ask the user: with a form (`form`), or by opening a page (`url`). */
  readonly elicitation: { readonly form: boolean; readonly url: boolean };
  /** Whether a sampling request from the server may offer tools to the client's model. */
  readonly samplingTools: boolean;
}

/** The features of each revision. Compare features, never the names of revisions. */
export const REVISION_FEATURES: Readonly<Record<ProtocolVersion, RevisionFeatures>> = {
  '2024-11-05': { sessions: true, elicitation: { form: false, url: false }, samplingTools: false },
  '2025-03-26': { sessions: true, elicitation: { form: false, url: false }, samplingTools: false },
  '2025-06-18': { sessions: true, elicitation: { form: true, url: false }, samplingTools: false },
  '2025-11-25': { sessions: true, elicitation: { form: true, url: true }, samplingTools: true },
  '2026-07-28': { sessions: false, elicitation: { form: true, url: true }, samplingTools: true },
};

type Settings = Readonly<Record<string, unknown>>;

/** The capabilities of a client. */
export interface ClientCapabilities {
  readonly experimental?: Settings;
  readonly roots?: { readonly listChanged?: boolean };
  readonly sampling?: { readonly context?: Settings; readonly tools?: Settings };
  readonly elicitation?: { readonly form?: Settings; readonly url?: Settings };
  readonly extensions?: Readonly<Record<string, Settings>>;
}

/**
 * The capabilities of a server. Sigil derives them from the app's definitions and extensions. Authors set only
 * `experimental`.
 */
export interface ServerCapabilities {
  readonly experimental?: Settings;
  readonly logging?: Settings;
  readonly completions?: Settings;
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
  readonly extensions?: Readonly<Record<string, Settings>>;
}
