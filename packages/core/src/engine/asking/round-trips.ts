import { isSuspension, Suspension } from '../../context/questions.js';
import { ERROR_CODES, ProtocolError } from '../../errors/errors.js';
import { quickDigest } from '../../protocol/digest.js';
import { toJson, UnwritableError } from '../../protocol/json.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import {
  type Answer,
  type InputRequest,
  type InputRequests,
  type Journal,
  journalOf,
  noMemory,
  type RoundTripState,
} from './round-trip-state.js';

/**
 * The rounds of one request. In each round, the handler runs from its beginning. If the handler repeats a question that
 * the client has answered, it gets the answer immediately. If it repeats a side effect that has run, it gets the stored
 * result. New questions are sent to the client.
 */
export class RoundTrips {
  memory: RoundTripState = noMemory();
  readonly #effects = new Map<string, Promise<unknown>>();
  readonly #open = new Set<string>();
  #ending: Promise<never> | undefined;
  #isOver = false;
  /** The suspension that has ended the run of the handler; `undefined` while the run continues. */
  suspension: Suspension | undefined;
  /** The questions that the client must answer before the handler continues. */
  left: InputRequests = {};
  /**
   * Called after each new side effect of a handler that runs in the background. Stores the record of the handler's
   * runs; the handler then continues.
   */
  keep: ((journal: Journal) => Promise<void>) | undefined;
  /**
   * Called before each new side effect of a handler that runs in the background. Returns whether the side effect is
   * allowed to begin.
   */
  mayBegin: (() => boolean) | undefined;
  /** How often the handler has run again within this request. */
  restarts = 0;
  #count = 0;

  /**
   * Whether the current round will end before the handler returns, for example because of a question that the client
   * must answer.
   */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /**
   * Checks that the round has not ended. @throws Suspension if the round has ended, because a handler must not use its
   * context after that.
   */
  throwIfEnded(): void {
    if (this.suspension) throw this.suspension;
  }

  /**
   * Returns the answer to a question. If no earlier run of the handler got an answer, `delivery` asks the client.
   *
   * @param key the name of the question. By default, `question-<n>`, where `n` is the number of the question within the
   *   run.
   * @throws ProtocolError (-32603) if the key belongs to another open question, to a different question of an earlier
   *   run, or to a question in `inputRequired()`.
   */
  async ask(
    request: InputRequest,
    key: string = `question-${this.#count + 1}`,
    delivery: (key: string) => Promise<Answer>,
  ): Promise<Answer> {
    this.#count += 1;
    const { questions, required } = this.memory;
    if (required.has(key)) throw sharedKey(key);
    const digest = quickDigest(request);
    const known = questions.get(key);
    if (known && known.digest !== digest) {
      const again = 'ask the same questions in the same order, or pass a { key } with each question';
      throw failure(
        `When the handler ran again, it asked a different question with the key "${key}": ${again}`,
      );
    }
    if (this.#open.has(key))
      throw failure(`The handler asks two questions with the key "${key}": use different keys`);
    questions.set(key, { digest });
    this.#open.add(key);
    try {
      const answer = known?.answer ?? (await delivery(key));
      questions.set(key, { digest, answer });
      return answer;
    } catch (error) {
      // A question that the client refused may be asked again; an open question remains.
      if (!isSuspension(error)) questions.delete(key);
      throw error;
    } finally {
      this.#open.delete(key);
    }
  }

  /**
   * Records the questions that the handler has passed to `inputRequired()`. A new question replaces an earlier question
   * with the same key, and the answer to the earlier question is discarded. All other earlier questions stay.
   *
   * @throws ProtocolError (-32603) if the handler has used one of the keys for a question of a `ctx` method, such as
   *   `ctx.elicit()`.
   */
  requireInput(requests: InputRequests, requestState: string | undefined): void {
    const { questions, required } = this.memory;
    for (const key of Object.keys(requests)) if (questions.has(key)) throw sharedKey(key);
    for (const [key, input] of required) required.set(key, { ...input, isLatest: false });
    for (const [key, request] of Object.entries(requests))
      required.set(key, { digest: quickDigest(request), isLatest: true });
    this.memory.requestState = requestState;
  }

  /** Stores the client's answers to questions from `inputRequired()`. Answers to other questions are ignored. */
  receive(responses: Readonly<Record<string, Answer>>): void {
    const { required } = this.memory;
    for (const [key, answer] of Object.entries(responses)) {
      const input = required.get(key);
      if (input) required.set(key, { ...input, answer });
    }
  }

  /** The client's answers to the questions that the latest run has passed to `inputRequired()`, by key. */
  get responses(): Readonly<Record<string, Answer>> {
    const latest = [...this.memory.required].flatMap(([key, { answer, isLatest }]) =>
      answer && isLatest ? [[key, answer] as const] : [],
    );
    return Object.freeze(Object.fromEntries(latest));
  }

  /**
   * Returns the answer to a question from `inputRequired()`; `undefined` if there is none.
   *
   * @param request a function that returns the question in the format that the client receives. An answer to a
   *   different question with this key is ignored.
   * @throws ProtocolError (-32603) if the handler has used the key for a question of a `ctx` method, such as
   *   `ctx.elicit()`.
   */
  response(key: string, request: () => InputRequest): Answer | undefined {
    const { questions, required } = this.memory;
    if (questions.has(key)) throw sharedKey(key);
    const input = required.get(key);
    return input?.answer && input.digest === quickDigest(request()) ? input.answer : undefined;
  }

  /**
   * Records questions that the client must answer, and ends the current run of the handler.
   *
   * @returns a promise that rejects with a `Suspension`: the current run of the handler ends, and the handler runs
   *   again later.
   */
  leave(requests: InputRequests): Promise<never> {
    this.left = { ...this.left, ...requests };
    // The handler may ask other questions at the same time, so the round ends in the next turn of the event loop.
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<never> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    // A handler that has ended does not wait for the answer: nothing would handle a rejection, and it would end the process.
    if (this.#isOver) return new Promise<never>(() => undefined);
    this.suspension = new Suspension();
    throw this.suspension;
  }

  /** Records that the handler has ended. */
  over(): void {
    this.#isOver = true;
  }

  /** Waits for the side effects that have begun, because their results must be stored. */
  async settleEffects(): Promise<void> {
    await Promise.allSettled(this.#effects.values());
  }

  /** Begins another run of the handler within this request. */
  async restart(): Promise<void> {
    await this.settleEffects();
    // Failed effects run anew; results are kept.
    this.#effects.clear();
    this.#count = 0;
    this.restarts += 1;
  }

  /** Runs a side effect, or returns its stored result if the side effect ran in an earlier round. */
  async once<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    this.throwIfEnded();
    requireKey(key);
    const known = this.#effects.get(key) as Promise<T> | undefined;
    if (known) return known;
    const { effects } = this.memory;
    const result = effects.has(key) ? Promise.resolve(effects.get(key) as T) : this.#run(key, run);
    this.#effects.set(key, result);
    return result;
  }

  async #run<T>(key: string, run: () => MaybePromise<T>): Promise<T> {
    if (this.mayBegin?.() === false) return this.leave({});
    const result = carried(key, await run());
    this.memory.effects.set(key, result);
    await this.keep?.(journalOf(this.memory));
    return result as T;
  }
}

/** The error for a key that is used both for a question of the context and for a question of `inputRequired()`. */
function sharedKey(key: string): ProtocolError {
  return failure(
    `The handler uses the key "${key}" both with inputRequired() and for another question: use different keys`,
  );
}

function failure(message: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.internalError, message);
}

/**
 * Refuses an invalid key, because all side effects without a key would share one result. @throws TypeError if
 * the key is invalid.
 */
function requireKey(key: unknown): void {
  if (typeof key === 'string' && key !== '') return;
  const given = key === '' ? 'an empty string' : key === null ? 'null' : `a value of type ${typeof key}`;
  throw new TypeError(
    `the key of ctx.once() must be a non-empty string that identifies the side effect; it is ${given}`,
  );
}

/** Returns the value as later runs get it: converted to JSON and back. */
function carried(key: string, result: unknown): unknown {
  if (result === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(toJson(result)));
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    throw new TypeError(`The result of once('${key}') cannot be stored: ${error.message}`, {
      cause: error,
    });
  }
}
