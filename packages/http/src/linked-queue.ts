/** A value's place in a queue. */
export interface Place<T> {
  readonly value: T;
  older: Place<T> | undefined;
  newer: Place<T> | undefined;
}

/** A queue that gives up its oldest value, or any by its place, in the same time whatever its length. */
export class LinkedQueue<T> {
  #oldest: Place<T> | undefined;
  #newest: Place<T> | undefined;
  #size = 0;

  get oldest(): T | undefined {
    return this.#oldest?.value;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts a value last. @returns its place, for taking it out. */
  add(value: T): Place<T> {
    const place: Place<T> = { value, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = place;
    else this.#oldest = place;
    this.#newest = place;
    this.#size += 1;
    return place;
  }

  /** Takes a value out, once. */
  remove(place: Place<T>): void {
    const { older, newer } = place;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    this.#size -= 1;
  }

  /** Oldest first. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let place = this.#oldest; place; place = place.newer) yield place.value;
  }
}
