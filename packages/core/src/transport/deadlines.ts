/** Something that may take a time, and no longer. */
export interface Deadline {
  /** Milliseconds of `performance.now()`. */
  readonly dueAt: number;
  readonly expire: () => void;
}

/**
 * Calls back when a time is over. One timer serves all that wait: a timer for each request would cost more than most of them take.
 */
export class Deadlines {
  // A Set keeps insertion order, and all wait equally long: the first is the next.
  readonly #open = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param afterMs how long each may take, in milliseconds. */
  constructor(readonly afterMs: number) {}

  /** @returns what `delete` takes when it is done in time. */
  add(expire: () => void): Deadline {
    const deadline = { dueAt: performance.now() + this.afterMs, expire };
    this.#open.add(deadline);
    if (this.#timer === undefined) this.#wait(this.afterMs);
    return deadline;
  }

  delete(deadline: Deadline): void {
    this.#open.delete(deadline);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#expire(), ms);
    // What waits is kept alive by what it waits for, if by anything.
    (this.#timer as { unref?(): void }).unref?.();
  }

  #expire(): void {
    const now = performance.now();
    for (const deadline of this.#open) {
      if (deadline.dueAt > now) return this.#wait(Math.ceil(deadline.dueAt - now));
      this.#open.delete(deadline);
      deadline.expire();
    }
    this.#timer = undefined;
  }
}
