import {
  ERROR_CODES,
  isInternal,
  isProtocolError,
  isToolError,
  MASKED_MESSAGE,
  messageOf,
  ProtocolError,
  type ToolError,
  toProtocolError,
} from '../errors/errors.js';
import { type Call, logDetails } from '../context/call.js';
import { toJson } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import type { CallToolResult } from '../protocol/results.js';
import { InvalidValueError } from '../schema/index.js';
import type { ErrorMapper } from '../context/policies.js';
import type { RequestContext } from '../context/context.js';

/** The inputs of error handling. */
export interface FailurePolicy {
  readonly logger: Logger;
  /** Whether the messages of unexpected errors reach the client. */
  readonly exposeErrors: boolean;
}

/**
 * Converts an error of a tool to its result.
 *
 * @throws ProtocolError if the tool threw one.
 */
export function toolFailure(error: unknown, call: Call, policy: FailurePolicy): CallToolResult {
  if (error instanceof InvalidValueError) return failed(error.message);
  if (isToolError(error)) {
    try {
      return toolErrorResult(error);
    } catch (unwritable) {
      report(unwritable, call, policy);
      return failed(messageOf(error));
    }
  }
  if (isProtocolError(error)) throw error;
  report(error, call, policy);
  return failed(policy.exposeErrors ? messageOf(error) : MASKED_MESSAGE);
}

/**
 * Returns the result of a tool that threw a `ToolError`.
 *
 * @throws UnwritableError if the structured content has no JSON form.
 */
export function toolErrorResult({ message, structuredContent }: ToolError): CallToolResult {
  const structured = structuredContent === undefined ? undefined : toJson(structuredContent);
  return { ...failed(message), ...(structured === undefined ? {} : { structuredContent: structured }) };
}

/** Returns the thrown value, or an error about it if it cannot be read, such as a revoked proxy. */
export function readable(thrown: unknown): unknown {
  if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) return thrown;
  try {
    Reflect.getPrototypeOf(thrown);
    Reflect.has(thrown, 'message');
    Reflect.get(thrown, 'message');
    return thrown;
  } catch (error) {
    return new Error('the error of a handler cannot be read', { cause: error });
  }
}

/** Returns what the first matching error mapper returns, or the error itself if none matches. */
export function mapped(
  error: unknown,
  mappers: readonly ErrorMapper[],
  context: RequestContext | undefined,
): unknown {
  const mapper = mappers.find((candidate) => error instanceof candidate.error);
  return mapper && typeof error === 'object' && error !== null ? mapper.map(error, context) : error;
}

/** Converts an error of a resource, prompt or completion to the error response. */
export function requestFailure(error: unknown, call: Call, policy: FailurePolicy): ProtocolError {
  if (error instanceof InvalidValueError) {
    return new ProtocolError(ERROR_CODES.invalidParams, error.message, { issues: error.issues });
  }
  if (isInternal(error)) report(error, call, policy);
  return toProtocolError(error, policy.exposeErrors);
}

/**
 * Returns the error for a result that violates its own output schema: a mistake of the author, not of the
 * caller.
 */
export function outputFailure(error: InvalidValueError, call: Call, policy: FailurePolicy): ProtocolError {
  policy.logger.error(
    { err: error, issues: error.issues, ...logDetails(call) },
    'a result does not match its output schema',
  );
  const message = 'The tool returned a result that does not match its output schema';
  return new ProtocolError(ERROR_CODES.internalError, message, undefined, { cause: error });
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function report(error: unknown, call: Call, { logger }: FailurePolicy): void {
  // A handler that stops because its client cancelled has not failed.
  if (call.signal.aborted) return;
  logger.error({ err: error, ...logDetails(call) }, 'a handler failed unexpectedly');
}
