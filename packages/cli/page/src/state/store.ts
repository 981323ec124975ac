import { FIRST_STATE, type State } from './state.js';

/** Contains the state of the page, and notifies listeners of changes. */
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

  /** Adds a listener. @returns a function that removes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns a number that is unique within this page. */
  nextId(): number {
    return (this.#lastId += 1);
  }
}

/** Returns a list with one more entry. If it exceeds the limit, the oldest entries are dropped. */
export function appended<T>(list: readonly T[], one: T, most: number): readonly T[] {
  return [...list.slice(-most + 1), one];
}
