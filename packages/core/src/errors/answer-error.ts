import { ToolError } from './tool-error.js';

/** Why a question of a handler has no answer that could be used. */
export type AnswerFailure =
  /** The client answered with an error. */
  | 'refused'
  /** No answer came in time. */
  | 'late'
  /** The answer is none to the question, or does not satisfy its form. */
  | 'invalid'
  /** The client is gone or has cancelled the request, or the server is closing. */
  | 'gone';

/**
 * Thrown by `ctx.elicit()` and its siblings when the client gives no answer that can be used. A tool that does not catch it is
 * answered with an `isError` result that tells the model.
 */
export class AnswerError extends ToolError {
  /**
   * @param reason why there is no answer.
   * @param message what happened, for the model.
   */
  constructor(
    readonly reason: AnswerFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
