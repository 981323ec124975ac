/** The answer of a store to a statement with a deadline. */
interface TimedAnswer {
  /** The time of the store when it answered, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the statement arrived after its deadline, and had no effect. */
  readonly isLate: boolean;
}

/**
 * Estimates the clock of a store from its answers. The estimate is never ahead of the store's clock, so a deadline is
 * never too late.
 *
 * A statement that was sent to a stalled store runs when the store continues. By then, its process no longer waits for
 * the answer, so the statement must have no effect. It therefore carries a deadline, by the clock of the store.
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
   * Sends an operation with a deadline to a store. The operation is sent again if the deadline was wrong: at first the
   * store's clock is unknown, and it may be changed.
   *
   * @param withinMs how long to wait for the answer, in milliseconds.
   * @param ask sends the statement. When it sends, it calls its argument, which returns the deadline in milliseconds
   *   since 1970.
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
