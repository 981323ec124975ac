import { isObject, type JsonObject } from '../json.js';

/** A server that can be asked, over any transport. */
export abstract class AskedServer {
  readonly #listeners = new Set<(message: JsonObject) => void>();

  /** Rejects with a `ServerError` when the server fails, and never resolves. */
  abstract readonly failed: Promise<never>;

  /** Sends a message. @param headers the headers of the message over HTTP. */
  abstract send(message: object, headers?: Readonly<Record<string, string>>): void;

  /**
   * Cancels a request, as its revision requires.
   *
   * @param notification the notification to send if the connection stays open.
   */
  abstract cancel(id: string, notification: object): Promise<void>;

  /** Ends the server. */
  abstract end(): Promise<void>;

  /** Receives every message. @returns a function that stops this. */
  listen(listener: (message: JsonObject) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits for the first message that `read` accepts, and ignores others. */
  first<T>(read: (message: JsonObject) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const stop = this.listen((message) => {
        const found = read(message);
        if (found === undefined) return;
        stop();
        resolve(found);
      });
    });
  }

  /** Ends the server at once. */
  abstract kill(): void;

  protected receive(message: unknown): void {
    if (isObject(message)) for (const listener of [...this.#listeners]) listener(message);
  }
}
