/**
 * Runs at most one request per key at a time. Further callers with the same key wait for the result of this request.
 */
export class SingleFlight<T> {
  readonly #asked = new Map<string, Promise<T>>();

  run(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#asked.get(key);
    if (known) return known;
    const asked = ask().finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }
}
