import { AnswerError } from '../../errors/answer-error.js';

/** An answer of the client, as it came. */
type Answer = Readonly<Record<string, unknown>>;

/** How long a question waits. */
interface WaitOptions {
  /** Milliseconds until the wait ends with an error. */
  readonly timeoutMs?: number;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  /** Forgets what would end the waiting early. */
  readonly disarm: () => void;
}

/** The questions of one task that wait for their answers. */
export class Questions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #used = new Set<string>();

  /**
   * Adds a question.
   *
   * @param wanted the key it is to have. A key is used once in the life of a task (ext-tasks, "Task Update Requests"), so a
   *   later question of that name gets another one.
   * @returns its key, and its answer to come.
   */
  add(wanted: string, { timeoutMs, signal }: WaitOptions): { key: string; answer: Promise<Answer> } {
    const key = this.#unused(wanted);
    this.#used.add(key);
    const answer = new Promise<Answer>((resolve, reject) => {
      // Without a limit of the author's own, the life of the task is the limit.
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => this.#fail(key, tooLate(timeoutMs)), timeoutMs);
      const withdraw = (): void => this.#fail(key, signal?.reason as Error);
      const disarm = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', withdraw);
      };
      this.#waiting.set(key, { resolve, reject, disarm });
      signal?.addEventListener('abort', withdraw);
      if (signal?.aborted) withdraw();
    });
    return { key, answer };
  }

  /** Hands out the answers that have come. */
  settle(responses: Readonly<Record<string, Answer>>): void {
    for (const key of [...this.#waiting.keys()]) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (response) this.#take(key)?.resolve({ ...response });
    }
  }

  failAll(reason: string): void {
    for (const key of [...this.#waiting.keys()]) this.#fail(key, new AnswerError('gone', reason));
  }

  #fail(key: string, error: Error): void {
    this.#take(key)?.reject(error);
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    waiting?.disarm();
    this.#waiting.delete(key);
    return waiting;
  }

  #unused(wanted: string): string {
    let key = wanted;
    for (let count = 2; this.#used.has(key); count += 1) key = `${wanted}-${count}`;
    return key;
  }
}

function tooLate(timeoutMs: number): AnswerError {
  return new AnswerError('late', `The client has not answered within ${timeoutMs} ms`);
}
