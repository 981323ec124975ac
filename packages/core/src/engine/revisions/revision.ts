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
  /** The level the session asked for, if it did. */
  readonly session: LogLevel | undefined;
  /** The level the request itself asked for, if it did. */
  readonly request: LogLevel | undefined;
}

/** The values of the members that results have beside their own. */
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
 * All differences between protocol revisions. Each revision has a file with one of these, mostly by removing features
 * from its successor. No code outside this folder branches on a version.
 */
export interface Revision extends RevisionFeatures {
  readonly version: ProtocolVersion;
  /** The requests a client may send. */
  readonly requests: ReadonlySet<string>;
  /** The requests that may be answered with questions instead of a result. */
  readonly rounds: ReadonlySet<string>;
  /** Whether clients come back to a stream that stops before its response, and know events without data (SEP-1699). */
  readonly resumes: boolean;
  /** Whether several messages may travel in one array. */
  readonly batches: boolean;
  /**
   * A form as clients of this revision know it.
   *
   * @throws ProtocolError when they cannot show it.
   */
  form(schema: JsonSchema): JsonSchema;
  /** A sampling request in the form of this revision. */
  sampling(params: CreateMessageParams): CreateMessageParams;
  tool(tool: Tool): Tool;
  resource(resource: Resource): Resource;
  template(template: ResourceTemplate): ResourceTemplate;
  prompt(prompt: Prompt): Prompt;
  implementation(info: Implementation): Implementation;
  capabilities(capabilities: ServerCapabilities): ServerCapabilities;
  /** One block of the result of a tool, or of a message of a prompt. */
  content(block: ContentBlock): ContentBlock;
  /**
   * The result of a tool as clients of this revision know it, or its text (`RawJson`).
   *
   * @param tool the tool that gave it; its descriptor is written when it is first read.
   */
  callResult(result: CallToolResult, tool: { readonly descriptor: Tool }): object;
  /** The contents of a resource, without cache hints. */
  readResult(result: ReadResourceResult): object;
  /** The parameters of a progress notification. */
  progress(params: { readonly message?: string; readonly [key: string]: unknown }): object;
  /** The mildest log message that may be sent; `undefined` when none may. */
  logThreshold(levels: LogThresholds): LogLevel | undefined;
  resourceNotFound(uri: string): ProtocolError;
  /** An error as this revision knows it: codes of other revisions never reach a client. */
  error(error: ProtocolError): ProtocolError;
  /** The error for a request that needs an undeclared capability of the client. */
  missingCapability(message: string, required: ClientCapabilities): ProtocolError;
  /** Members that a result has beside its own. */
  envelope(parts: EnvelopeParts): object;
}

/** A copy of an object without some keys; the object itself if it has none of them. */
export function omit<T extends object>(value: T, keys: readonly string[]): T {
  if (!keys.some((key) => key in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}

/** An error with another code, when its own is in the table. */
export function replaceCodes(error: ProtocolError, table: ReadonlyMap<number, number>): ProtocolError {
  const code = table.get(error.code);
  return code === undefined ? error : new ProtocolError(code, error.message, error.data, { cause: error });
}
