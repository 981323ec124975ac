import { checkQuestions, type Questions } from './questions.js';

/** Marks what is required, of this copy of the package or another. */
export const INPUT_REQUIRED: symbol = Symbol.for('sigil:input-required');

/** What a handler needs before it can give its result. Made by `inputRequired()`. */
export class InputRequired {
  /** @param questions what the client is to answer, by key. @param requestState what the handler wants back. */
  constructor(
    readonly questions: Questions,
    readonly requestState: string | undefined,
  ) {
    Object.freeze(this);
  }
}

Object.defineProperty(InputRequired.prototype, INPUT_REQUIRED, { value: true });

/**
 * Ends this run of a tool, prompt or resource: return it instead of a result. The client is asked, and the handler is run
 * again from its beginning, with what was answered in `ctx.inputResponses` and `ctx.inputResponse()`. A client may leave
 * questions unanswered; ask those again (2026-07-28, basic/patterns/mrtr).
 *
 * @param questions what the client is to answer, by key; may be empty when there is a `requestState`.
 * @param requestState what `ctx.requestState` is to be in the next run. It is sealed on its way through the client, and
 *   comes back only with the same request of the same principal, and not after it has expired.
 * @throws TypeError when nothing is asked and there is no state, or something asked is no question.
 */
export function inputRequired(questions: Questions, requestState?: string): InputRequired {
  checkQuestions(questions, 'inputRequired()');
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw new TypeError('the requestState of inputRequired() is a string: give it JSON for anything else');
  }
  if (requestState === undefined && Object.keys(questions).length === 0) {
    throw new TypeError(
      'inputRequired() needs a question or a requestState: with neither, nothing is required',
    );
  }
  return new InputRequired(Object.freeze({ ...questions }), requestState);
}
