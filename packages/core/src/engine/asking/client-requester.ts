import type { AskOptions, RoundOptions } from '../../context/call.js';
import {
  checkQuestion,
  checkQuestions,
  type InputResponsesTo,
  type InputRequired,
  type InputQuestion,
  type InputQuestions,
} from '../../context/questions.js';
import { InputResponseError } from '../../errors/errors.js';
import { type ClientCapabilities, METHODS } from '../../protocol/protocol.js';
import { type RequesterContext, type DeliveryOptions, send, together } from './delivery.js';
import type { QuestionCodec } from './question-codec.js';
import type { Answer, InputRequest, InputRequests } from './round-trip-state.js';

/**
 * Sends the questions of handlers to the client, in these steps:
 *
 * 1. `ClientRequester` checks that the client has declared the capability that the question needs.
 * 2. `QuestionCodec` writes the question in the format of the client's revision.
 * 3. If an earlier run of the handler received the answer, `RoundTrips` returns this answer. Otherwise, `delivery.ts`
 *    sends the question in one of these ways:
 *    - in the result of the request: the client repeats the request with the answer, and sends back the state that
 *      `RoundTripStates` has sealed
 *    - as a request to the client: `PendingRequests` waits for the answer
 *    - through the task, if the handler runs as a task
 * 4. `QuestionCodec` reads the answer. Handlers never get an answer that does not fit the question.
 */
export class ClientRequester {
  constructor(private readonly codec: QuestionCodec) {}

  async ask<T>(
    asking: RequesterContext,
    question: InputQuestion<T>,
    { key, ...options }: AskOptions = {},
  ): Promise<T> {
    // A client returns keys as text, so the answer to any other key would never be found.
    if (key !== undefined && typeof key !== 'string')
      throw new TypeError(`the key of a question must be a string, not ${typeof key}`);
    requireOpen(asking);
    return this.#put(asking, question, this.#write(asking, question), key, options);
  }

  async askAll<Q extends InputQuestions>(
    asking: RequesterContext,
    questions: Q,
    options?: RoundOptions,
  ): Promise<InputResponsesTo<Q>> {
    checkQuestions(questions, 'ctx.ask()');
    requireOpen(asking);
    // All questions are written before the first is sent, so that none is sent if one cannot be asked.
    const requests = this.#writeAll(asking, questions);
    const ask = (key: string, request: InputRequest, signal: AbortSignal): Promise<unknown> =>
      this.#put(asking, questions[key] as InputQuestion, request, key, { ...options, signal });
    return (await together(requests, asking.signal, ask)) as InputResponsesTo<Q>;
  }

  /**
   * Asks the questions that a handler has passed to `inputRequired()`. The promise is fulfilled when the answers have
   * arrived, so that the handler can run again within this request. If the client uses revision 2026-07-28, or if the
   * handler runs in the background, the promise rejects with a `Suspension` instead. The run then ends without a
   * result.
   */
  async requireInput(asking: RequesterContext, { questions, requestState }: InputRequired): Promise<void> {
    const requests = this.#writeAll(asking, questions);
    const { rounds, delivery, signal } = asking;
    rounds.requireInput(requests, requestState);
    const ask = (key: string, request: InputRequest, either: AbortSignal): Promise<Answer> =>
      delivery.ask(asking, key, request, { signal: either });
    const asked = () => delivery.askAll?.(asking, requests) ?? together(requests, signal, ask);
    rounds.receive(await asking.waiting(asked));
    await rounds.restart();
  }

  /**
   * Returns the answer to a question that the handler has passed to `inputRequired()`; `undefined` if there is no
   * answer.
   */
  async inputResponse<T>(
    asking: RequesterContext,
    key: string,
    question: InputQuestion<T>,
  ): Promise<T | undefined> {
    checkQuestion(question, key, 'ctx.inputResponse()');
    asking.rounds.throwIfEnded();
    const request = (): InputRequest => this.codec.write(question, asking.revision);
    const answer = asking.rounds.response(key, request);
    return answer && this.codec.read(question, answer, asking.revision);
  }

  async ping(asking: RequesterContext, options?: AskOptions): Promise<void> {
    requireOpen(asking);
    // In a stateless revision, the request itself is a sign of life.
    if (!asking.revision.sessions) return;
    await asking.waiting(() => send(asking, { method: METHODS.ping }, options));
  }

  #write(asking: RequesterContext, question: InputQuestion): InputRequest {
    requireCapability(asking, question);
    return this.codec.write(question, asking.revision);
  }

  #writeAll(asking: RequesterContext, questions: InputQuestions): InputRequests {
    const written = Object.entries(questions).map(
      ([key, question]) => [key, this.#write(asking, question)] as const,
    );
    return Object.fromEntries(written);
  }

  async #put<T>(
    asking: RequesterContext,
    question: InputQuestion<T>,
    request: InputRequest,
    key: string | undefined,
    options?: DeliveryOptions,
  ): Promise<T> {
    const delivery = (named: string): Promise<Answer> =>
      asking.waiting(() => asking.delivery.ask(asking, named, request, options));
    return this.codec.read(question, await asking.rounds.ask(request, key, delivery), asking.revision);
  }
}

/** Checks that the handler may still ask. @throws Suspension or InputResponseError if its run has ended. */
function requireOpen({ rounds, isOver, signal }: RequesterContext): void {
  rounds.throwIfEnded();
  if (isOver && !signal.aborted)
    throw new InputResponseError(
      'gone',
      'The request has been answered, so the handler can no longer ask questions',
    );
}

/** Checks that the client can answer a question. @throws ProtocolError with the missing capability. */
function requireCapability({ client, revision }: RequesterContext, question: InputQuestion): void {
  const { elicitation, sampling, roots } = client.capabilities;
  const need = (met: unknown, required: ClientCapabilities, lack: string): void => {
    if (!met) throw revision.missingCapability(`The client ${lack}`, required);
  };
  switch (question.asks) {
    case 'elicit': {
      // A bare `elicitation: {}` means forms (2025-11-25, client/elicitation, "Capabilities").
      const showsForms = revision.elicitation.form && elicitation && (elicitation.form || !elicitation.url);
      return need(showsForms, { elicitation: { form: {} } }, 'cannot show forms');
    }
    case 'elicitUrl': {
      const opensPages = revision.elicitation.url && elicitation?.url;
      return need(opensPages, { elicitation: { url: {} } }, 'cannot open pages');
    }
    case 'sample':
      need(sampling, { sampling: {} }, 'has no model to offer');
      if (!question.params.tools) return;
      return need(
        revision.samplingTools && sampling?.tools,
        { sampling: { tools: {} } },
        'has no model that uses tools',
      );
    case 'roots':
      return need(roots, { roots: {} }, 'does not share its roots');
  }
}
