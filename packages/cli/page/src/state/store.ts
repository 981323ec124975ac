import { FIRST_STATE, type State } from './state.js';

/** The state of the page, which notifies listeners of changes. */
export class Store {
  #state: State;
  // Runs keep their numbers when the page is loaded again.
  #lastId = Date.now();
  readonly #listeners = new Set<() => void>();

  constructor(state: State = FIRST_STATE) {
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  update(change: Partial<State> | ((state: State) => Partial<State>)): void {
    this.#state = { ...this.#state, ...(typeof change === 'function' ? change(this.#state) : change) };
    for (const listener of this.#listeners) listener();
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A number that nothing else here has. */
  nextId(): number {
    return (this.#lastId += 1);
  }
}

/** A list with one more entry; beyond the limit the oldest are dropped. */
export function appended<T>(list: readonly T[], one: T, most: number): readonly T[] {
  return [...list.slice(-most + 1), one];
}
