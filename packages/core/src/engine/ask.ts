import type { RoundOptions } from '../context/call.js';
import type { AnswersTo, Question, Questions } from '../context/questions.js';
import { METHODS } from '../protocol/methods.js';
import type { Asker, Asking, Carry, CarryOptions } from './asker.js';
import { demand } from './demand.js';
import type { InputRequest, InputRequests } from './input-request.js';
import type { QuestionCodec } from './question-codec.js';
import { noteRequired, readResponse, receiveResponses } from './rounds/required-input.js';
import { together } from './together.js';

/** Asks what handlers want to know: sees to it that the client can answer, and checks its answers. */
export function createAsker(carry: Carry, codec: QuestionCodec): Asker {
  function write(asking: Asking, question: Question): InputRequest {
    demand(asking, question);
    return codec.write(question, asking.revision);
  }

  function writeAll(asking: Asking, questions: Questions): InputRequests {
    const written = Object.entries(questions).map(([key, question]) => [key, write(asking, question)]);
    return Object.fromEntries(written) as InputRequests;
  }

  async function put<T>(
    asking: Asking,
    question: Question<T>,
    request: InputRequest,
    key: string | undefined,
    options?: CarryOptions,
  ): Promise<T> {
    const send = (named: string) => carry.ask(asking, named, request, options);
    return codec.read(question, await asking.rounds.ask(request, key, send), asking.revision);
  }

  return {
    async ask(asking, question, { key, ...options } = {}) {
      return put(asking, question, write(asking, question), key, options);
    },
    async askAll<Q extends Questions>(asking: Asking, questions: Q, options?: RoundOptions) {
      // All of them are written before the first is sent: one that cannot be asked keeps the others back.
      const requests = writeAll(asking, questions);
      const ask = (key: string, request: InputRequest, signal: AbortSignal) =>
        put(asking, questions[key] as Question, request, key, { ...options, signal });
      return (await together(requests, asking.signal, ask)) as AnswersTo<Q>;
    },
    async requireInput(asking, { questions, requestState }) {
      const requests = writeAll(asking, questions);
      const { rounds } = asking;
      noteRequired(rounds.memory, requests, requestState);
      receiveResponses(rounds.memory, await carry.askAll(asking, requests));
      await rounds.restart();
    },
    async inputResponse(asking, key, question) {
      const request = () => codec.write(question, asking.revision);
      const answer = readResponse(asking.rounds.memory, key, request);
      return answer && codec.read(question, answer, asking.revision);
    },
    async ping(asking, options) {
      if (!asking.revision.stateless)
        await carry.ask(asking, METHODS.ping, { method: METHODS.ping }, options);
    },
    carriedBy: (other) => createAsker(other, codec),
  };
}
