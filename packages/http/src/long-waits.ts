import { LinkedQueue, type Place } from './linked-queue.js';

/** A request that waits for its answer. */
export interface Waiting {
  /** Called once it has waited for long. */
  waitedLong(): void;
}

/** One that waits, since when, and whether it has been told. */
export interface Wait {
  readonly request: Waiting;
  readonly since: number;
  told: boolean;
}

/** Finds the requests that wait for long, with one timer for all: a timer each would cost every request something. */
export class LongWaits {
  readonly #waits = new LinkedQueue<Wait>();
  #turn = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param afterMs a request is told after this many milliseconds at the latest, and after half as many at the earliest. */
  constructor(private readonly afterMs: number) {}

  /** @returns what `delete` takes, once the request is answered. */
  add(request: Waiting): Place<Wait> {
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#tell(), this.afterMs / 2);
      (this.#timer as { unref?(): void }).unref?.();
    }
    return this.#waits.add({ request, since: this.#turn, told: false });
  }

  delete(wait: Place<Wait>): void {
    this.#waits.remove(wait);
  }

  #tell(): void {
    this.#turn += 1;
    for (const wait of this.#waits) {
      if (wait.since > this.#turn - 2) break;
      if (wait.told) continue;
      wait.told = true;
      wait.request.waitedLong();
    }
    if (this.#waits.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
