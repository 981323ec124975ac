/** Approximate milliseconds between sweeps for expired rows, varied so that processes do not sweep at the same time. */
const EVERY_MS = 20_000;

/** Maximum number of consecutive rounds of one sweep, so that the others get their turn. */
const MAX_ROUNDS = 50;

/** Deletes expired rows about every 20 seconds. */
export class Sweeper {
  readonly #kinds: (() => Promise<boolean>)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  /**
   * Adds a function that deletes expired rows.
   *
   * @param sweep a function that deletes some rows, and returns whether there are more.
   */
  add(sweep: () => Promise<boolean>): void {
    this.#kinds.push(sweep);
  }

  /** Starts the sweeper. The first sweep begins after a delay. */
  start(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#sweep(), EVERY_MS * (0.5 + Math.random()));
    this.#timer.unref();
  }

  /** Stops the sweeper. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #sweep(): Promise<void> {
    for (const sweep of this.#kinds) {
      try {
        for (let round = 0; round < MAX_ROUNDS && !this.#isStopped; round += 1) if (!(await sweep())) break;
      } catch {
        // The connection has reported the error. Expired rows are never returned, and are deleted next time.
      }
    }
    this.start();
  }
}
