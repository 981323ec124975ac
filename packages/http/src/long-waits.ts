/** A request that waits for its answer. */
export interface Waiting {
  /** Called once it has waited for long. */
  waitedLong(): void;
}

/** Finds the requests that wait for long, with one timer for all: a timer each would cost more than many requests do. */
export class LongWaits {
  #fresh = new Set<Waiting>();
  #aged = new Set<Waiting>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param afterMs a request is told after this many milliseconds at the latest, and after half as many at the earliest. */
  constructor(private readonly afterMs: number) {}

  add(request: Waiting): void {
    this.#fresh.add(request);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#turn(), this.afterMs / 2);
    (this.#timer as { unref?(): void }).unref?.();
  }

  delete(request: Waiting): void {
    if (!this.#fresh.delete(request)) this.#aged.delete(request);
  }

  #turn(): void {
    const due = this.#aged;
    this.#aged = this.#fresh;
    this.#fresh = new Set();
    for (const request of due) request.waitedLong();
    if (this.#aged.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
