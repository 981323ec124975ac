/** The answer of a store to a statement with a deadline. */
interface TimedAnswer {
  /** The time of the store when it answered, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the statement came after its deadline, and has done nothing. */
  readonly isLate: boolean;
}

/**
 * The clock of a store, from its answers. It is never ahead of the store's, so that a deadline is not too late.
 *
 * A statement that was sent to a stalled store runs when the store continues. Its process has given up by then, so it
 * must have no effect: it carries a deadline, by the clock of the store.
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
   * Sends a store an operation with a deadline. It is sent again if the deadline was wrong: at first the clock is
   * unknown, and it may be changed.
   *
   * @param withinMs how long the answer is waited for, in milliseconds.
   * @param ask sends the statement. It asks for the deadline, in milliseconds since 1970, at that moment.
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
