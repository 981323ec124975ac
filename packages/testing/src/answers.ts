import { ERROR_CODES, type MaybePromise, ProtocolError } from '@sigil/core';
import { isObject } from '@sigil/core/internal';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ElicitUrlResult,
  JsonSchema,
  Root,
} from '@sigil/core/protocol';
import { METHODS } from '@sigil/core/transport';

/** A request to the user (`elicitation/create`) to fill in a form or to open a page. */
export interface ElicitRequest {
  /** The kind of request: `url` to open a page, `form` to fill in a form. If absent, it is `form`. */
  readonly mode?: 'form' | 'url';
  readonly message: string;
  /** The schema of the form: a flat object with primitive properties. Absent in URL mode. */
  readonly requestedSchema?: JsonSchema;
  /** The URL of the page; absent in form mode. */
  readonly url?: string;
  /** The id of a URL elicitation, in revision 2025-11-25 or earlier. */
  readonly elicitationId?: string;
}

/**
 * How the client answers requests from the server. Each member is for one kind of request. If a member is absent,
 * the client refuses requests of this kind with the error -32601.
 */
export interface Answers {
  /** Answers elicitation requests in place of a user: fills in forms, and agrees to open pages. */
  readonly onElicit?: (request: ElicitRequest) => MaybePromise<ElicitResult | ElicitUrlResult>;
  /** Answers sampling requests in place of the client's model. */
  readonly onSample?: (params: CreateMessageParams) => MaybePromise<CreateMessageResult>;
  /** The roots that the client shares with the server: directories and files. */
  readonly roots?: readonly Root[];
}

/**
 * Answers one request from a server.
 *
 * @param key the key of the request in `inputRequests`; absent for a JSON-RPC request from the server.
 * @returns the result.
 * @throws ProtocolError (-32601) if the client has no answer for the method. Errors of the functions in `Answers`
 * are thrown unchanged.
 */
export type Answerer = (method: string, params: unknown, key?: string) => MaybePromise<object>;

/**
 * Creates the function that answers JSON-RPC requests from a server, and input requests in results.
 */
export function createAnswerer({ onElicit, onSample, roots }: Answers): Answerer {
  const answers = new Map<string, (params: unknown) => MaybePromise<object>>([[METHODS.ping, () => ({})]]);
  if (onElicit) answers.set(METHODS.elicit, (params) => onElicit(params as ElicitRequest));
  if (onSample) answers.set(METHODS.createMessage, (params) => onSample(params as CreateMessageParams));
  if (roots) answers.set(METHODS.listRoots, () => ({ roots }));
  return (method, params, key) => {
    const answer = answers.get(method);
    if (answer) return answer(params);
    const asked = key === undefined ? method : `${method} (the input request "${key}")`;
    throw new ProtocolError(ERROR_CODES.methodNotFound, `The test client has no answer to ${asked}`);
  };
}

type Result = Readonly<Record<string, unknown>>;

/** How many times a server can ask for input during one call, so that it cannot ask endlessly. */
export const MAX_ROUNDS = 10;

/** Whether a result asks for input instead of answering (revision 2026-07-28, basic/patterns/mrtr). */
export function wantsInput(result: Result): boolean {
  return result['resultType'] === 'input_required';
}

/**
 * Answers all input requests of a result, in order, one after the other.
 *
 * @returns the parameters to add to the request when it is sent again.
 * @throws Error if the result contains no input requests and no state. Errors of the function `answer` are thrown
 *   unchanged, because the repeated request cannot contain an error in place of an answer.
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

/** Answers input requests, one after the other. @returns the answers, by the keys of the requests. */
export async function responsesTo(requests: Result, answer: Answerer): Promise<Record<string, unknown>> {
  const responses: [string, object][] = [];
  for (const [key, request] of Object.entries(requests)) {
    if (!isObject(request)) throw new Error(`The input request "${key}" must be an object`);
    responses.push([key, await answer(String(request['method']), request['params'] ?? {}, key)]);
  }
  return Object.fromEntries(responses);
}
