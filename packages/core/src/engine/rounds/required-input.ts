import { questionDigest } from './digest.js';
import { sharedKey } from './key-errors.js';
import type { Answer, InputRequest, InputRequests, RoundMemory } from './round-memory.js';

/**
 * Notes what a handler has ended its run with. What it asked so before is kept, unless it is asked again.
 *
 * @throws ProtocolError (-32603) when a key is that of a question the handler waited for.
 */
export function noteRequired(
  memory: RoundMemory,
  requests: InputRequests,
  requestState: string | undefined,
): void {
  const { questions, required } = memory;
  for (const key of Object.keys(requests)) if (questions.has(key)) throw sharedKey(key);
  for (const [key, input] of required) required.set(key, { ...input, isLatest: false });
  for (const [key, request] of Object.entries(requests))
    required.set(key, { digest: questionDigest(request), isLatest: true });
  memory.requestState = requestState;
}

/** Takes the answers to what was required; others are left aside. */
export function receiveResponses(
  { required }: RoundMemory,
  responses: Readonly<Record<string, Answer>>,
): void {
  for (const [key, answer] of Object.entries(responses)) {
    const input = required.get(key);
    if (input) required.set(key, { ...input, answer });
  }
}

/** The answers to what the latest run required. */
export function inputResponses({ required }: RoundMemory): Readonly<Record<string, Answer>> {
  const latest = [...required].flatMap(([key, { answer, isLatest }]) =>
    answer && isLatest ? [[key, answer] as const] : [],
  );
  return Object.freeze(Object.fromEntries(latest));
}

/**
 * The answer to a question that was required.
 *
 * @param request makes the question as it is sent: an answer to another one, by the same key, is none to it.
 * @throws ProtocolError (-32603) when the key is that of a question the handler waited for.
 */
export function readResponse(
  { questions, required }: RoundMemory,
  key: string,
  request: () => InputRequest,
): Answer | undefined {
  if (questions.has(key)) throw sharedKey(key);
  const input = required.get(key);
  return input?.answer && input.digest === questionDigest(request()) ? input.answer : undefined;
}
