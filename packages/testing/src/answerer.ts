import { type CreateMessageParams, ERROR_CODES, ProtocolError } from '@sigil/core';
import { METHODS } from '@sigil/core/transport';
import type { Answers } from './connect-options.js';
import type { ElicitRequest } from './elicit-request.js';
import type { MaybePromise } from './maybe-promise.js';

/**
 * Answers one request of a server.
 *
 * @param key what the request is called in its round; requests outside rounds have none.
 * @returns the result.
 * @throws ProtocolError (-32601) when nothing answers the method; whatever the answer of the test throws.
 */
export type Answerer = (method: string, params: unknown, key?: string) => MaybePromise<object>;

/** Makes the one place that answers a server, whether it asks by requests or inside results. */
export function createAnswerer({ onElicit, onSample, roots }: Answers): Answerer {
  const answers = new Map<string, (params: unknown) => MaybePromise<object>>([[METHODS.ping, () => ({})]]);
  if (onElicit) answers.set(METHODS.elicit, (params) => onElicit(params as ElicitRequest));
  if (onSample) answers.set(METHODS.createMessage, (params) => onSample(params as CreateMessageParams));
  if (roots) answers.set(METHODS.listRoots, () => ({ roots }));
  return (method, params, key) => {
    const answer = answers.get(method);
    if (answer) return answer(params);
    const asked = key === undefined ? method : `${method}, which the server asks as "${key}"`;
    throw new ProtocolError(ERROR_CODES.methodNotFound, `The test client has no answer to ${asked}`);
  };
}
