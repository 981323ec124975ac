import { AnswerError } from './answer-error.js';
import { ERROR_CODES } from './codes.js';
import { isProtocolError, ProtocolError } from './protocol-error.js';
import { isToolError } from './tool-error.js';

/** The text that stands for any error the author did not address to the peer. */
export const MASKED_MESSAGE = 'Internal error';

/** How an error of unknown origin is to be treated. */
export type ErrorKind = 'tool' | 'protocol' | 'internal';

/** Tells the three families of errors apart. */
export function kindOf(error: unknown): ErrorKind {
  if (isToolError(error)) return 'tool';
  return isProtocolError(error) ? 'protocol' : 'internal';
}

/**
 * The one way from `unknown` to an error that may cross the wire. Anything but a `ProtocolError` is masked:
 * no message, stack or path of it reaches the peer unless `expose` is set. The original stays as `cause`.
 */
export function toProtocolError(error: unknown, expose = false): ProtocolError {
  const kind = kindOf(error);
  if (kind === 'protocol') return error as ProtocolError;
  const message = kind === 'tool' || expose ? messageOf(error) : MASKED_MESSAGE;
  const isInvalidAnswer = error instanceof AnswerError && error.reason === 'invalid';
  const code = isInvalidAnswer ? ERROR_CODES.invalidParams : ERROR_CODES.internalError;
  return new ProtocolError(code, message, undefined, { cause: error });
}

/** The message of anything that can be thrown. */
export function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : String(error);
}
