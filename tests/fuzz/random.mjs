/** Numbers that come again with their seed, and choices made of them. */
export class Random {
  #state;

  /** @param seed a number, or any text. */
  constructor(seed) {
    this.reseed(seed);
  }

  /** Begins anew. */
  reseed(seed) {
    this.#state = [...String(seed)].reduce(
      (hash, char) => Math.imul(hash ^ char.charCodeAt(0), 0x01000193),
      0x811c9dc5,
    );
  }

  /** From 0 up to 1, which it never is (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Whether something of this probability happens. */
  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  /** Picks among `[weight, value]` pairs. */
  weighted(pairs) {
    let rest = this.next() * pairs.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of pairs) if ((rest -= weight) < 0) return value;
    return pairs[pairs.length - 1][1];
  }
}
