import { isObject, type JsonObject } from '../../../src/json.js';

/** The value if it is a text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A JSON value as text: a string as it is, anything else as JSON, `undefined` as empty. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The objects of a list; empty for other values. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The protocol revisions that the page speaks. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;

/** A protocol revision that the page speaks. */
export type Revision = (typeof REVISIONS)[number];

/** The error of a JSON-RPC response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Progress of a running call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A log message of the server. */
export interface LogMessage {
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}

/** How a request ended. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'cancelled'; readonly reason?: string }
  /** It ended, but the page has not kept how. */
  | { readonly kind: 'dropped'; readonly reason: string }
  /** No JSON-RPC message answered it. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The answer to a request. */
export interface Answer {
  readonly outcome: Outcome;
  /** Milliseconds that the server took, without the developer's time for questions. */
  readonly ms: number;
  /** Bytes of the messages that answered it. */
  readonly bytes: number;
  /** The HTTP status; 0 without a response. */
  readonly httpStatus: number;
  /** `WWW-Authenticate`, if the server requires another login. */
  readonly challenge?: string;
}

/** A question of the server to the client: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  /** Aborts when the answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** The events of a running request. */
export interface RequestEvents {
  readonly signal?: AbortSignal;
  /** Headers beside those of the protocol. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The result whose questions were open when the page was loaded again: they are asked first. */
  readonly asked?: JsonObject | undefined;
  /** Hears of a result with questions, and of their answers by `undefined`. */
  onAsked?(asked: JsonObject | undefined): void;
  onProgress?(progress: Progress): void;
  onLog?(message: LogMessage): void;
}

/** The page's services for a client. */
export interface ClientOptions {
  /** Sends one HTTP request to the endpoint of the server. */
  send(init: RequestInit): Promise<Response>;
  /** Answers a question; `undefined` refuses it. */
  ask(question: Question): Promise<JsonObject | undefined>;
  /** Hears of notifications that belong to no request. */
  onNotification(method: string, params: JsonObject): void;
}

/** The server's name, version and capabilities. */
export interface ServerIdentity {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  readonly protocolVersion: string;
}

/** An MCP client of one revision. */
export interface McpClient {
  readonly revision: Revision;
  /**
   * Opens the session, or reads the identity of a server without sessions.
   *
   * @throws Error when the server refuses.
   */
  connect(): Promise<ServerIdentity>;
  /** Sends a request and answers the questions that it raises. Never rejects. */
  request(method: string, params: JsonObject, events?: RequestEvents): Promise<Answer>;
  /** Hears of changes of the lists, and of the given resources, instead of those before. */
  listen(uris: readonly string[]): Promise<void>;
  close(): void;
}

/** The capabilities of this client. */
export const CAPABILITIES: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
  extensions: {
    'io.modelcontextprotocol/tasks': {},
    'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
  },
};

export const CLIENT_INFO: JsonObject = { name: 'sigil-dev', title: 'sigil dev', version: '1' };

/** The server has answered a request with an error. */
export class RpcFailure extends Error {
  constructor(readonly error: RpcError) {
    super(`${error.message} (${error.code})`);
  }
}

/** The text of something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Every entry of a list, over all its pages.
 *
 * @throws Error when the server answers with an error.
 */
export async function listAll(client: McpClient, method: string, member: string): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const result = resultOf(await client.request(method, cursor === undefined ? {} : { cursor }));
    entries.push(...objectsOf(result[member]));
    cursor = textOf(result['nextCursor']);
    if (cursor === undefined) return entries;
  }
  throw new Error(`${method} has more than ${MOST_PAGES} pages`);
}

const MOST_PAGES = 1000;

/**
 * The result of an answer.
 *
 * @throws Error if the request failed.
 */
export function resultOf({ outcome }: Answer): JsonObject {
  switch (outcome.kind) {
    case 'result':
      return outcome.result;
    case 'error':
      throw new RpcFailure(outcome.error);
    case 'cancelled':
      throw new Error('cancelled');
    case 'dropped':
    case 'failed':
      throw new Error(outcome.reason);
  }
}
