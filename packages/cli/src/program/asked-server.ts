import { isObject, type JsonObject } from '../json.js';

/** A server that can receive requests, over any transport. */
export abstract class AskedServer {
  readonly #listeners = new Set<(message: JsonObject) => void>();

  /** Rejects with a `ServerError` when the server fails, and never resolves. */
  abstract readonly failed: Promise<never>;

  /** Sends a message. @param headers the headers of the message over HTTP. */
  abstract send(message: object, headers?: Readonly<Record<string, string>>): void;

  /**
   * Cancels a request. Over stdio, and over HTTP in revisions before 2026-07-28, sends `notification`. Over HTTP in any
   * revision, also closes the response stream of the request.
   *
   * @param notification the message `notifications/cancelled` for the request.
   */
  abstract cancel(id: string, notification: object): Promise<void>;

  /** Ends the server. */
  abstract end(): Promise<void>;

  /** Calls the listener with every message from the server. @returns a function that removes the listener. */
  listen(listener: (message: JsonObject) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `read` with each message until it returns a value other than `undefined`. @returns this value. */
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

  /** Ends the server immediately. */
  abstract kill(): void;

  protected receive(message: unknown): void {
    if (isObject(message)) for (const listener of [...this.#listeners]) listener(message);
  }
}
