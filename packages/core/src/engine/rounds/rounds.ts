import { isSuspension, Suspension } from '../../context/suspension.js';
import { toJson, UnwritableError } from '../../protocol/json.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import { questionDigest } from './digest.js';
import { changedQuestion, repeatedKey, sharedKey } from './key-errors.js';
import {
  type Answer,
  type InputRequest,
  type InputRequests,
  noMemory,
  type RoundMemory,
} from './round-memory.js';

/**
 * The rounds of one request. A handler is run from its beginning in every round: questions that have been answered get their
 * answers at once, side effects that were made give their results, and what has no answer yet is carried to the client.
 */
export class Rounds {
  memory: RoundMemory = noMemory();
  readonly #effects = new Map<string, Promise<unknown>>();
  readonly #open = new Set<string>();
  #left: InputRequests | undefined;
  #ending: Promise<never> | undefined;
  #ended: Suspension | undefined;
  #isOver = false;
  #count = 0;
  #restarts = 0;

  /** What ends the run of the handler, once a question has gone to the client in its result. */
  get suspension(): Suspension | undefined {
    return this.#ended;
  }

  /** The questions that the client has to answer before the handler goes on. */
  get left(): InputRequests {
    return this.#left ?? {};
  }

  /** Whether a question waits for the end of the round. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** @throws Suspension when the round has ended: the context of the handler is closed. */
  throwIfEnded(): void {
    if (this.#ended) throw this.#ended;
  }

  /** How often the handler has been run again within this request. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Gives the answer to a question: the client's of an earlier round, or else what carrying the question brings.
   *
   * @param key names the question; by its place in the order of questions unless given.
   * @throws ProtocolError (-32603) when the handler asks another question by that key than it did before.
   */
  async ask(
    request: InputRequest,
    key: string = `question-${this.#count + 1}`,
    carry: (key: string) => Promise<Answer>,
  ): Promise<Answer> {
    this.#count += 1;
    const { questions, required } = this.memory;
    if (required.has(key)) throw sharedKey(key);
    const digest = questionDigest(request);
    const known = questions.get(key);
    if (known && known.digest !== digest) throw changedQuestion(key);
    if (this.#open.has(key)) throw repeatedKey(key);
    questions.set(key, { digest });
    this.#open.add(key);
    try {
      const answer = known?.answer ?? (await carry(key));
      questions.set(key, { digest, answer });
      return answer;
    } catch (error) {
      // What the client refused may be asked once more; what it is asked now stays.
      if (!isSuspension(error)) questions.delete(key);
      throw error;
    } finally {
      this.#open.delete(key);
    }
  }

  /**
   * Leaves questions to the client and ends the round.
   *
   * @returns a promise that rejects with a `Suspension`: the handler ends there, and runs again later.
   */
  leave(requests: InputRequests): Promise<never> {
    this.#left = { ...this.#left, ...requests };
    // Other questions may be put in the same breath, so the round ends when the handler has drawn it.
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<never> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    // A handler that has ended does not wait for the answer: nothing would handle a rejection, and it would end the process.
    if (this.#isOver) return new Promise<never>(() => undefined);
    this.#ended = new Suspension();
    throw this.#ended;
  }

  /** Takes note that the handler has ended. */
  over(): void {
    this.#isOver = true;
  }

  /** Waits for the side effects that have begun: they are made, and must be remembered. */
  async settleEffects(): Promise<void> {
    await Promise.allSettled(this.#effects.values());
  }

  /** Begins another run of the handler within this request. */
  async restart(): Promise<void> {
    await this.settleEffects();
    // What failed is run anew; results are remembered.
    this.#effects.clear();
    this.#count = 0;
    this.#restarts += 1;
  }

  /** Runs a side effect, unless an earlier round has. */
  async once<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    this.throwIfEnded();
    const known = this.#effects.get(key) as Promise<T> | undefined;
    if (known) return known;
    const { effects } = this.memory;
    const result = effects.has(key) ? Promise.resolve(effects.get(key) as T) : this.#run(key, run);
    this.#effects.set(key, result);
    return result;
  }

  async #run<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    const result = carried(key, await run());
    this.memory.effects.set(key, result);
    return result as T;
  }
}

/** What a later run will be given, so that the first run and every protocol revision are given the same. */
function carried(key: string, result: unknown): unknown {
  if (result === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(toJson(result) ?? null));
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    throw new TypeError(`What once('${key}') gave cannot be remembered: ${error.message}`, { cause: error });
  }
}
