import { isObject, type JsonObject } from '../../../src/json.js';

/** Returns a value if it is a string; otherwise `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns a JSON value as text: a string unchanged, `undefined` as an empty string, and any other value as
 * JSON.
 */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the objects in a list; an empty list for any other value. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The protocol revisions that the page supports. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;

/** A protocol revision that the page supports. */
export type Revision = (typeof REVISIONS)[number];

/** The error of a JSON-RPC response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The progress of a running call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A log message from the server. */
export interface LogMessage {
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}

/** The outcome of a request. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'cancelled'; readonly reason?: string }
  /** It ended, but the page has not kept how. */
  | { readonly kind: 'dropped'; readonly reason: string }
  /** No JSON-RPC message answered it. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The answer to a request, with its measurements. */
export interface Answer {
  readonly outcome: Outcome;
  /**
   * Milliseconds from sending the request until the answer. In a session, this includes the time that the developer
   * takes to answer questions.
   */
  readonly ms: number;
  /** Size of the messages that answered the request, in bytes. */
  readonly bytes: number;
  /** The HTTP status; 0 if there was no response. */
  readonly httpStatus: number;
  /** The header `WWW-Authenticate`, if the server requires a login or more scopes. */
  readonly challenge?: string;
}

/**
 * A question from the server to the client: `elicitation/create`, `sampling/createMessage` or `roots/list`.
 */
export interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  /** Aborts when the answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** Callbacks and options for a running request. */
export interface RequestEvents {
  readonly signal?: AbortSignal;
  /** Headers in addition to those of the protocol. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * A result with questions that were open when the page was reloaded. The developer answers them before the request is
   * sent again.
   */
  readonly asked?: JsonObject | undefined;
  /**
   * Called with each result that contains questions, before the developer is asked. Called with `undefined` after the
   * developer has answered or refused the questions.
   */
  onAsked?(asked: JsonObject | undefined): void;
  onProgress?(progress: Progress): void;
  onLog?(message: LogMessage): void;
}

/** Options of a client. */
export interface ClientOptions {
  /** Sends one HTTP request to the server's endpoint. */
  send(init: RequestInit): Promise<Response>;
  /** Asks the developer a question. Returns `undefined` if the developer refuses the question. */
  ask(question: Question): Promise<JsonObject | undefined>;
  /** Called with each notification, except for those that `onProgress` and `onLog` of a request receive. */
  onNotification(method: string, params: JsonObject): void;
}

/** The server's name, version and capabilities. */
export interface ServerIdentity {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  readonly protocolVersion: string;
}

/** An MCP client for one protocol revision. */
export interface McpClient {
  readonly revision: Revision;
  /**
   * Opens a session, or reads the identity of a server without sessions.
   *
   * @throws Error if the server refuses the connection.
   */
  connect(): Promise<ServerIdentity>;
  /** Sends a request, and answers the server's questions. Never rejects. */
  request(method: string, params: JsonObject, events?: RequestEvents): Promise<Answer>;
  /** Subscribes to changes of the lists and of the given resources. Replaces the previous subscription. */
  listen(uris: readonly string[]): Promise<void>;
  close(): void;
}

/** The capabilities that this client declares. */
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

/** Thrown if the server answers a request with an error. */
export class RpcFailure extends Error {
  constructor(readonly error: RpcError) {
    super(`${error.message} (${error.code})`);
  }
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns all entries of a list, from all pages.
 *
 * @throws Error if the server answers with an error.
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
 * Returns the result in an answer.
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
