import { isObject } from '@sigil/core/internal';
import type { JsonObject } from '../json.js';

/** A server that is asked, whatever it is reached by. */
export abstract class AskedServer {
  readonly #listeners = new Set<(message: JsonObject) => void>();

  /** Rejects with a `ServerError` when the server fails, and never resolves. */
  abstract readonly failed: Promise<never>;

  abstract send(message: object): void;

  /** Ends what was started. */
  abstract end(): Promise<void>;

  /** Waits for the first message that is of use. Whatever else comes is passed over. */
  first<T>(read: (message: JsonObject) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const listener = (message: JsonObject): void => {
        const found = read(message);
        if (found === undefined) return;
        this.#listeners.delete(listener);
        resolve(found);
      };
      this.#listeners.add(listener);
    });
  }

  protected receive(message: unknown): void {
    if (isObject(message)) for (const listener of [...this.#listeners]) listener(message);
  }
}
