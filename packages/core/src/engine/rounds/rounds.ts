import { ERROR_CODES } from '../../errors/codes.js';
import { ProtocolError } from '../../errors/protocol-error.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import type { Question } from '../question.js';
import { questionDigest } from './digest.js';
import { noMemory, type RoundMemory } from './round-memory.js';

/** The questions of one round, as they are sent. */
export type InputRequests = Readonly<Record<string, Question>>;

/** Ends the round: the questions go to the client, and the handler is run again with its answers. */
export type Suspend = (questions: InputRequests, memory: RoundMemory) => void;

/**
 * The rounds of one request. A handler is run from its beginning in every round: questions that have been answered get their
 * answers at once, side effects that were made give their results, and the first question without an answer ends the round.
 */
export class Rounds {
  memory: RoundMemory = noMemory();
  readonly #effects = new Map<string, Promise<unknown>>();
  #asked: Record<string, Question> = {};
  #count = 0;
  #ending = false;

  constructor(private readonly suspend: Suspend) {}

  /**
   * Gives the answer to a question, if the client has given it.
   *
   * @param key names the question; by its place in the order of questions unless given.
   * @returns a promise that stays open when there is no answer: the handler ends here, and is run again later.
   * @throws ProtocolError (-32603) when the handler asks another question than it did in the round before.
   */
  ask(question: Question, key: string = `question-${this.#count + 1}`): Promise<Record<string, unknown>> {
    this.#count += 1;
    const digest = questionDigest(question);
    const known = this.memory.questions.get(key);
    if (known && known.digest !== digest) return Promise.reject(changed(key));
    const answer = known?.answer ?? this.memory.given.get(key);
    if (answer) {
      this.memory.questions.set(key, { digest, answer });
      return Promise.resolve({ ...answer });
    }
    if (Object.hasOwn(this.#asked, key)) return Promise.reject(repeated(key));
    this.#asked = { ...this.#asked, [key]: question };
    this.memory.questions.set(key, { digest });
    this.#endSoon();
    return new Promise(() => undefined);
  }

  /** Runs a side effect, unless an earlier round has. */
  once<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    const known = this.#effects.get(key) as Promise<T> | undefined;
    if (known) return known;
    const { effects } = this.memory;
    const result = effects.has(key) ? Promise.resolve(effects.get(key) as T) : this.#run(key, run);
    this.#effects.set(key, result);
    return result;
  }

  async #run<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    const result = await run();
    this.memory.effects.set(key, result);
    return result;
  }

  /** Other questions may be asked in the same breath, so the round ends when the handler has drawn it. */
  #endSoon(): void {
    if (this.#ending) return;
    this.#ending = true;
    setTimeout(() => void this.#end(), 0);
  }

  async #end(): Promise<void> {
    // An effect that has begun is made, and must be remembered.
    await Promise.allSettled(this.#effects.values());
    this.suspend(this.#asked, this.memory);
  }
}

function changed(key: string): ProtocolError {
  const message = `The handler asks something else as "${key}" than it did before: ask the same questions in the same order, or name them with { key }`;
  return new ProtocolError(ERROR_CODES.internalError, message);
}

function repeated(key: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.internalError, `The handler asks two questions with the key "${key}"`);
}
