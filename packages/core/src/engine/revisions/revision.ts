import { ProtocolError } from '../../errors/errors.js';
import type { CreateMessageParams } from '../../protocol/client-requests.js';
import type { ContentBlock } from '../../protocol/content.js';
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/descriptors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { LogLevel } from '../../protocol/logging.js';
import type {
  ClientCapabilities,
  ProtocolVersion,
  RevisionFeatures,
  ServerCapabilities,
} from '../../protocol/protocol.js';
import type { CacheHint, CallToolResult, ReadResourceResult } from '../../protocol/results.js';

/** The log settings of a request, beyond its revision. */
interface LogThresholds {
  /** The level that the session has set, if any. */
  readonly session: LogLevel | undefined;
  /** The level that the request itself has set, if any. */
  readonly request: LogLevel | undefined;
}

/** The values of the members that are added to results. */
interface EnvelopeParts {
  /** `complete`, `input_required`, or a type of an extension. */
  readonly resultType: string;
  /** The identity of the server; `undefined` if it is kept private. */
  readonly serverInfo: Implementation | undefined;
  readonly cache: CacheHint | undefined;
  /** The `_meta` that the author gave the result. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

/**
 * All differences between protocol revisions. Each revision has a file with one such object. An older revision copies
 * the object of the next newer revision and changes some members, mostly to leave out features. Code outside this
 * folder contains no conditions on a version.
 */
export interface Revision extends RevisionFeatures {
  readonly version: ProtocolVersion;
  /** The methods of the requests that a client may send. */
  readonly requests: ReadonlySet<string>;
  /** The methods of the requests that can be answered with `input_required` instead of a complete result. */
  readonly rounds: ReadonlySet<string>;
  /** Whether clients accept SSE events without data, and reconnect if a stream ends before the response (SEP-1699). */
  readonly resumes: boolean;
  /** Whether clients may send several messages in one JSON array. */
  readonly batches: boolean;
  /**
   * Converts the schema of a form (elicitation) to the schema that this revision allows.
   *
   * @throws ProtocolError if clients of this revision cannot show the form.
   */
  form(schema: JsonSchema): JsonSchema;
  /** Returns the parameters of a sampling request in the format of this revision. */
  sampling(params: CreateMessageParams): CreateMessageParams;
  tool(tool: Tool): Tool;
  resource(resource: Resource): Resource;
  template(template: ResourceTemplate): ResourceTemplate;
  prompt(prompt: Prompt): Prompt;
  implementation(info: Implementation): Implementation;
  capabilities(capabilities: ServerCapabilities): ServerCapabilities;
  /** Returns a content block of a tool result or prompt message in the format of this revision. */
  content(block: ContentBlock): ContentBlock;
  /**
   * Returns the result of a tool in the format of this revision: an object, or serialised JSON (`RawJson`).
   *
   * @param tool the tool that returned the result. Its descriptor is created at first use.
   */
  callResult(result: CallToolResult, tool: { readonly descriptor: Tool }): object;
  /** Returns the result of `resources/read` in the format of this revision, without cache hints. */
  readResult(result: ReadResourceResult): object;
  /** Returns the parameters of a progress notification in the format of this revision. */
  progress(params: { readonly message?: string; readonly [key: string]: unknown }): object;
  /** Returns the lowest level of log messages that may be sent; `undefined` if none may be sent. */
  logThreshold(levels: LogThresholds): LogLevel | undefined;
  resourceNotFound(uri: string): ProtocolError;
  /** Returns an error with the code that this revision defines for it. Other revisions can define another code. */
  error(error: ProtocolError): ProtocolError;
  /** Returns the error for a client that has not declared a required capability. */
  missingCapability(message: string, required: ClientCapabilities): ProtocolError;
  /** Returns the members that this revision adds to every result, such as `resultType`. */
  envelope(parts: EnvelopeParts): object;
}

/**
 * Returns a copy of an object without the given keys. If the object has none of the keys, returns the object itself.
 */
export function omit<T extends object>(value: T, keys: readonly string[]): T {
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}

/** Replaces the code of an error if the table contains a replacement for this code. */
export function replaceCodes(error: ProtocolError, table: ReadonlyMap<number, number>): ProtocolError {
  const code = table.get(error.code);
  return code === undefined ? error : new ProtocolError(code, error.message, error.data, { cause: error });
}
