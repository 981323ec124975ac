import type { ChangeBus, ServerChange } from './change-bus.js';

/** Carries changes within this process, at once. Apps that share one hear of each other's changes. */
export class MemoryChangeBus implements ChangeBus {
  readonly #listeners = new Set<{ readonly tell: (change: ServerChange) => void }>();

  publish(change: ServerChange): void {
    for (const { tell } of [...this.#listeners]) tell(change);
  }

  subscribe(tell: (change: ServerChange) => void): () => void {
    // Held in an object of its own, so that a function that listens twice is told twice.
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
