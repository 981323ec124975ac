import { ERROR_CODES } from '../../errors/codes.js';
import { ProtocolError } from '../../errors/protocol-error.js';

/** The error for a question that is not what its key stood for before. */
export function changedQuestion(key: string): ProtocolError {
  return failure(
    `The handler asks something else as "${key}" than it did before: ask the same questions in the same order, or name them with { key }`,
  );
}

/** The error for two open questions with one key. */
export function repeatedKey(key: string): ProtocolError {
  return failure(`The handler asks two questions with the key "${key}"`);
}

/** The error for a key that stands for a question of the context and for one of `inputRequired()`. */
export function sharedKey(key: string): ProtocolError {
  return failure(
    `The handler uses the key "${key}" with inputRequired() and for a question it waits for: give each a key of its own`,
  );
}

function failure(message: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.internalError, message);
}
