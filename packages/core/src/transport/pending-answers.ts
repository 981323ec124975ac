interface Waiting<T> {
  readonly resolve: (answer: T) => void;
  readonly reject: (error: unknown) => void;
  readonly ended: (() => void) | undefined;
}

/**
 * Waits for answers to questions. Each question has a key, such as the id of a request. Only the first answer or error
 * for a key ends the wait.
 *
 * @example
 * ```ts
 * const pending = new PendingAnswers<RequestId, JsonRpcMessage>();
 * const answer = pending.wait(7);
 * socket.on('message', (message) => pending.settle(message.id, message));
 * socket.on('close', () => pending.failAll(new Error('The connection is closed')));
 * ```
 */
export class PendingAnswers<K, T> {
  readonly #waiting = new Map<unknown, Waiting<T>>();

  /**
   * Waits for the answer to a question.
   *
   * @param ended a function that is called when the wait ends, for whatever reason.
   */
  wait(key: K, ended?: () => void): Promise<T> {
    return new Promise((resolve, reject) => this.#waiting.set(key, { resolve, reject, ended }));
  }

  /** Whether a question still waits for its answer. */
  has(key: unknown): boolean {
    return this.#waiting.has(key);
  }

  /** Ends the wait for a key with an answer. @returns whether a question with this key waited. */
  settle(key: unknown, answer: T): boolean {
    const waiting = this.#take(key);
    waiting?.resolve(answer);
    return waiting !== undefined;
  }

  /** Ends the wait for a key with an error. @returns whether a question with this key waited. */
  fail(key: unknown, error: unknown): boolean {
    const waiting = this.#take(key);
    waiting?.reject(error);
    return waiting !== undefined;
  }

  /** Ends every wait with an error. */
  failAll(error: Error): void {
    for (const key of [...this.#waiting.keys()]) this.fail(key, error);
  }

  #take(key: unknown): Waiting<T> | undefined {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    waiting?.ended?.();
    return waiting;
  }
}
