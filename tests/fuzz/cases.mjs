import { Grammar } from './grammar.mjs';
import { knownTexts, mutate } from './mutate.mjs';

const MUTATED = 0.55;

/** The messages of one run: known ones, valid ones, and what hostile hands make of them. */
export class Cases {
  #issued = new Set();
  #known;

  constructor(era, random) {
    this.random = random;
    this.grammar = new Grammar(era, random);
    this.#known = knownTexts(this.grammar);
  }

  /** The next text to send, and the message it was made of. */
  next() {
    const known = this.#known.pop();
    if (known !== undefined) return this.#issue(JSON.parse(known), known);
    const message = this.grammar.message();
    return this.#issue(
      message,
      this.random.chance(MUTATED) ? mutate(message, this.random) : JSON.stringify(message),
    );
  }

  #issue(message, text) {
    for (const { id, method } of [message].flat())
      if (method !== undefined && id !== undefined) this.#issued.add(id);
    return { message, text };
  }

  /** Whether an id was given by the grammar. */
  isOwn = (id) => this.#issued.has(id);
}
