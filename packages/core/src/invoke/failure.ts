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

/** The options and dependencies of the functions that convert errors of handlers. */
export interface FailurePolicy {
  readonly logger: Logger;
  /** Whether the messages of unexpected errors reach the client. */
  readonly exposeErrors: boolean;
}

/**
 * Converts an error from a tool into the result of the tool call.
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

/**
 * Returns a thrown value unchanged. If the properties of the value cannot be read, for example because it is a revoked
 * proxy, returns a new error instead.
 */
export function readable(thrown: unknown): unknown {
  if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) return thrown;
  try {
    Reflect.getPrototypeOf(thrown);
    Reflect.has(thrown, 'message');
    Reflect.get(thrown, 'message');
    return thrown;
  } catch (error) {
    return new Error('a handler threw a value whose properties cannot be read', { cause: error });
  }
}

/** Returns the result of the first matching error mapper, or the error itself if no mapper matches. */
export function mapped(
  error: unknown,
  mappers: readonly ErrorMapper[],
  context: RequestContext | undefined,
): unknown {
  const mapper = mappers.find((candidate) => error instanceof candidate.error);
  return mapper && typeof error === 'object' && error !== null ? mapper.map(error, context) : error;
}

/** Converts an error from a resource, prompt or completion into the error for the response. */
export function requestFailure(error: unknown, call: Call, policy: FailurePolicy): ProtocolError {
  if (error instanceof InvalidValueError) {
    return new ProtocolError(ERROR_CODES.invalidParams, error.message, { issues: error.issues });
  }
  if (isInternal(error)) report(error, call, policy);
  return toProtocolError(error, policy.exposeErrors);
}

/**
 * Returns an internal error for a tool result that does not match the tool's output schema, and logs the mismatch. The
 * error is internal, because the mistake is in the tool and not in the request.
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
