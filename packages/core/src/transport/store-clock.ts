/** The answer of a store to a statement with a deadline. */
interface TimedAnswer {
  /** The time of the store when it answered, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the statement arrived after its deadline, and had no effect. */
  readonly isLate: boolean;
}

/**
 * Estimates the clock of a store, such as a database, from the times in its answers. The estimate is never ahead of the
 * store's clock, so a computed deadline is never too late.
 *
 * A stalled store can run a statement after the process has stopped waiting for the answer. Such a statement must have
 * no effect. Each statement therefore contains a deadline that the store compares with its own clock.
 *
 * @example
 * ```ts
 * const clock = new StoreClock();
 * const { rows } = await clock.timed(2_000, (deadline) => database.claim(run, deadline()));
 * ```
 */
export class StoreClock {
  #aheadMs = -Infinity;

  /**
   * Sends a statement with a deadline to a store. If the store answers that the deadline has passed, the statement is
   * sent once more with a corrected deadline. The first deadline can be wrong, because the clock of the store is
   * unknown before the store's first answer, and can be changed later.
   *
   * @param withinMs the time from sending to the deadline, in milliseconds.
   * @param ask a function that sends the statement. The function must call its argument at the moment of sending, to
   *   get the deadline in milliseconds since 1970.
   */
  async timed<A extends TimedAnswer>(
    withinMs: number,
    ask: (deadline: () => number) => Promise<A>,
  ): Promise<A> {
    const deadline = (): number => Math.max(0, Math.floor(performance.now() + this.#aheadMs + withinMs));
    const first = this.#heard(await ask(deadline));
    return first.isLate ? this.#heard(await ask(deadline)) : first;
  }

  #heard<A extends TimedAnswer>(answer: A): A {
    this.#aheadMs = answer.now - performance.now();
    return answer;
  }
}
