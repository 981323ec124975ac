/** Asks once for each key at a time: those that ask for the same meanwhile wait for the same answer. */
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
