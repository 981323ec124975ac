/** Calls back when a handler has taken too long. Time in which it waits for its client does not count. */
export class TimeLimit {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt = 0;
  #leftMs: number;
  #waits = 0;
  #over = false;

  /** Starts to count. @param timeoutMs milliseconds the handler may take. */
  constructor(
    timeoutMs: number,
    private readonly expire: () => void,
  ) {
    this.#leftMs = timeoutMs;
    this.#start();
  }

  /** Stops counting while the handler waits for its client; as often as it is called, `resume` has to be. */
  pause(): void {
    this.#waits += 1;
    if (this.#waits > 1) return;
    clearTimeout(this.#timer);
    this.#leftMs -= Date.now() - this.#startedAt;
  }

  resume(): void {
    this.#waits -= 1;
    if (this.#waits === 0 && !this.#over) this.#start();
  }

  /** Ends the counting for good. */
  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#startedAt = Date.now();
    this.#timer = setTimeout(
      () => {
        this.#over = true;
        this.expire();
      },
      Math.max(this.#leftMs, 0),
    );
  }
}
