import { Grammar } from './grammar.mjs';
import { mutate } from './mutate.mjs';

const MUTATED = 0.55;

/** The messages of one run: valid ones, and what hostile hands make of them. */
export class Cases {
  #issued = new Set();

  constructor(era, random) {
    this.random = random;
    this.grammar = new Grammar(era, random);
  }

  /** The next text to send, and whether it was changed. */
  next() {
    const message = this.grammar.message();
    for (const { id, method } of [message].flat())
      if (method !== undefined && id !== undefined) this.#issued.add(id);
    const isMutated = this.random.chance(MUTATED);
    return { message, isMutated, text: isMutated ? mutate(message, this.random) : JSON.stringify(message) };
  }

  /** Whether an id was given by the grammar. */
  isOwn = (id) => this.#issued.has(id);
}
