/** A call of the tool `hold`, until the test lets it go. */
export interface HeldCall {
  readonly signal: AbortSignal;
  release(): void;
}

/** The calls a test holds back, in the order they came in. */
export class Holds {
  readonly #arrived: HeldCall[] = [];
  readonly #waiting: ((call: HeldCall) => void)[] = [];

  /** The next call that has come in and has not been taken yet. */
  next(): Promise<HeldCall> {
    const call = this.#arrived.shift();
    return call ? Promise.resolve(call) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What the tool does: waits to be released or aborted. */
  hold(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve());
      const call = { signal, release: resolve };
      const taker = this.#waiting.shift();
      if (taker) taker(call);
      else this.#arrived.push(call);
    });
  }
}
