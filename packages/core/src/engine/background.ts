import type { ProtocolError } from '../errors/protocol-error.js';
import { type Carry, type CarryOptions, together } from './asking.js';
import type { Answer, InputRequest } from './rounds/round-memory.js';

/** What becomes of a handler that goes on after its request has been answered. An extension implements it. */
export interface Background {
  /**
   * Puts a question to the client.
   *
   * @param key names it; the handler asks no two open questions by one key.
   * @throws AnswerError when there is no answer that could be used.
   */
  ask(key: string, request: InputRequest, options: CarryOptions): Promise<Answer>;
  /** Tells how far the handler has come, in words. */
  report(message: string): void;
  /** Takes the result of the handler, as it would have been sent. */
  succeed(result: Readonly<Record<string, unknown>>): void;
  /** Takes the error the handler ended with. */
  fail(error: ProtocolError): void;
}

/** Carries the questions of a handler in the background. */
export function carryInBackground(background: Background): Carry {
  return {
    ask: (_asking, key, request, options = {}) => background.ask(key, request, options),
    askAll: ({ signal }, requests) =>
      together(requests, signal, (key, request, either) => background.ask(key, request, { signal: either })),
  };
}
