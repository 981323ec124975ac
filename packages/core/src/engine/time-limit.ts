import { type Deadline, Deadlines } from '../transport/deadlines.js';

/** The time limits of handlers. Limits of equal length share a timer. */
export class TimeLimits {
  readonly #byLength = new Map<number, Deadlines>();

  /**
   * Starts a time limit.
   *
   * @param timeoutMs milliseconds that the handler may take.
   * @param isPaused whether the handler already waits for the client.
   */
  start(timeoutMs: number, isPaused: boolean, expire: () => void): TimeLimit {
    const deadlines = this.#byLength.get(timeoutMs) ?? new Deadlines(timeoutMs);
    this.#byLength.set(timeoutMs, deadlines);
    return new TimeLimit(deadlines, isPaused, expire);
  }
}

/**
 * Calls a function if a handler takes too long. The time during which the handler waits for the client does not count.
 */
export class TimeLimit {
  readonly #deadline: Deadline;
  readonly #startedAt = performance.now();
  #waitedMs = 0;
  #pausedAt: number | undefined;
  /** The timer for the remaining time, if the handler waited for its client before the deadline. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: 'counting' | 'due' | 'over' = 'counting';

  constructor(
    private readonly deadlines: Deadlines,
    isPaused: boolean,
    private readonly expire: () => void,
  ) {
    this.#deadline = deadlines.add(() => this.#look());
    if (isPaused) this.pause();
  }

  /** Stops the clock while the handler waits for the client. */
  pause(): void {
    this.#pausedAt = performance.now();
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#waitedMs += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    if (this.#state === 'due') this.#look();
  }

  /** Cancels the time limit. */
  stop(): void {
    this.#state = 'over';
    this.deadlines.delete(this.#deadline);
    clearTimeout(this.#timer);
  }

  #look(): void {
    if (this.#state === 'over') return;
    this.#state = 'due';
    if (this.#pausedAt !== undefined) return;
    const left = this.#startedAt + this.deadlines.afterMs + this.#waitedMs - performance.now();
    if (left > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), Math.ceil(left));
      return;
    }
    this.#state = 'over';
    this.expire();
  }
}
