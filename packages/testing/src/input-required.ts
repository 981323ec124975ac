import { isObject } from './is-object.js';
import type { Answerer } from './answerer.js';

type Result = Readonly<Record<string, unknown>>;

/** Most times one call may ask for input, before the server is taken to ask for ever. */
export const MAX_ROUNDS = 10;

/**
 * Whether a result asks for input instead of being one (2026-07-28, basic/patterns/mrtr).
 *
 * @throws Error when the result is of a type that no specification defines.
 */
export function wantsInput(result: Result): boolean {
  const type = result['resultType'] ?? 'complete';
  if (type !== 'complete' && type !== 'input_required')
    throw new Error(`Unknown resultType: ${JSON.stringify(type)}`);
  return type === 'input_required';
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

async function responsesTo(requests: Result, answer: Answerer): Promise<Record<string, unknown>> {
  const responses: [string, object][] = [];
  for (const [key, request] of Object.entries(requests)) {
    if (!isObject(request)) throw new Error(`The input request "${key}" is no request`);
    responses.push([key, await answer(String(request['method']), request['params'] ?? {}, key)]);
  }
  return Object.fromEntries(responses);
}
