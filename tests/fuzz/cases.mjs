import { Grammar } from './grammar.mjs';
import { knownTexts, mutate } from './mutate.mjs';
import { Random } from './random.mjs';

const MUTATED = 0.55;

/** The messages of one run: known ones, valid ones, and what hostile hands make of them. */
export class Cases {
  #issued = new Set();
  #known;

  #count = 0;

  /** @param seed the same gives the same messages, but for what they take from answers. */
  constructor(era, seed) {
    this.seed = seed;
    this.random = new Random(seed);
    /** For what depends on when the server says something. */
    this.answering = new Random(`${seed} answers`);
    this.grammar = new Grammar(era, this.random);
    this.#known = knownTexts(this.grammar);
  }

  /** The next text to send, and the message it was made of. */
  next() {
    const known = this.#known.pop();
    if (known !== undefined) return this.#issue(JSON.parse(known), known);
    // Of its own for each, so that what answers change in one message changes no other.
    this.random.reseed(`${this.seed} ${this.#count++}`);
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
