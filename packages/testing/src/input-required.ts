import { isObject } from './is-object.js';
import type { Answerer } from './answerer.js';

type Result = Readonly<Record<string, unknown>>;

/** Most times one call may ask for input, before the server is taken to ask for ever. */
export const MAX_ROUNDS = 10;

/** Whether a result asks for input instead of being one (2026-07-28, basic/patterns/mrtr). */
export function wantsInput(result: Result): boolean {
  return result['resultType'] === 'input_required';
}

/**
 * Answers everything a result asks for, one after another in the order it is asked.
 *
 * @returns the parameters that a retry of the request has besides its own.
 * @throws Error when the result asks for nothing; whatever an answer throws, since no retry could carry it.
 */
export async function answerInputs(result: Result, answer: Answerer): Promise<Record<string, unknown>> {
  const { inputRequests, requestState } = result;
  if (inputRequests === undefined && requestState === undefined) {
    throw new Error('An input_required result has neither inputRequests nor requestState');
  }
  return {
    ...(isObject(inputRequests) ? { inputResponses: await responsesTo(inputRequests, answer) } : {}),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** Answers requests, one after the other. @returns the answers by the keys of the requests. */
export async function responsesTo(requests: Result, answer: Answerer): Promise<Record<string, unknown>> {
  const responses: [string, object][] = [];
  for (const [key, request] of Object.entries(requests)) {
    if (!isObject(request)) throw new Error(`The input request "${key}" is no request`);
    responses.push([key, await answer(String(request['method']), request['params'] ?? {}, key)]);
  }
  return Object.fromEntries(responses);
}
