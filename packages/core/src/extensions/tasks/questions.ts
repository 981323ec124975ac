import type { AskOptions } from '../../context/call.js';
import { ERROR_CODES } from '../../errors/codes.js';
import { ProtocolError } from '../../errors/protocol-error.js';

type Answer = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** The questions of one task that wait for their answers. A key is used once in the life of a task (ext-tasks, "Task Update Requests"). */
export class Questions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #used = new Set<string>();

  /**
   * Adds a question.
   *
   * @returns its key, and its answer to come.
   * @throws ProtocolError (-32603) when the key has been used before.
   */
  add({ key = this.#nextKey(), timeoutMs }: AskOptions): { key: string; answer: Promise<Answer> } {
    if (this.#used.has(key)) {
      const message = `The handler asks two questions with the key "${key}"`;
      throw new ProtocolError(ERROR_CODES.internalError, message);
    }
    this.#used.add(key);
    const answer = new Promise<Answer>((resolve, reject) => {
      // Without a limit of the author's own, the life of the task is the limit.
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => this.#fail(key, tooLate(timeoutMs)), timeoutMs);
      this.#waiting.set(key, { resolve, reject, timer });
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
    for (const key of [...this.#waiting.keys()]) this.#fail(key, new Error(reason));
  }

  #fail(key: string, error: Error): void {
    this.#take(key)?.reject(error);
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(key);
    return waiting;
  }

  #nextKey(): string {
    return `question-${this.#used.size + 1}`;
  }
}

function tooLate(timeoutMs: number): ProtocolError {
  const message = `The client has not answered within ${timeoutMs} ms`;
  return new ProtocolError(ERROR_CODES.internalError, message);
}
