import { isObject, type JsonObject } from '../../../src/json.js';
import { messageOf } from '../mcp/messages.js';

/** Maximum number of messages of a view in a second. */
export const MOST_PER_SECOND = 200;
/** How long messages are collected, so that the page renders once for all of them. */
const COLLECT_MS = 16;

/** Handles the messages of a view. */
interface Handling {
  read(message: JsonObject): void;
  /** Hears of a message that is not JSON. */
  refused(reason: string): void;
  /** Hears of messages that came too fast. */
  dropped(count: number): void;
}

/** Reads the messages of a view as JSON, and not more of them than the page can show. */
export class ViewMessages {
  #collected: unknown[] = [];
  #dropped = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The number of messages since a time. */
  #count = 0;
  #since = 0;

  constructor(private readonly handling: Handling) {}

  /** @returns whether the message is taken. */
  receive(message: unknown): boolean {
    const now = performance.now();
    if (now - this.#since > 1000) [this.#since, this.#count] = [now, 0];
    this.#count += 1;
    const isTaken = this.#count <= MOST_PER_SECOND;
    if (isTaken) this.#collected.push(message);
    else this.#dropped += 1;
    this.#timer ??= setTimeout(() => this.#readCollected(), COLLECT_MS);
    return isTaken;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #readCollected(): void {
    const [messages, dropped] = [this.#collected, this.#dropped];
    [this.#collected, this.#dropped, this.#timer] = [[], 0, undefined];
    if (dropped > 0) this.handling.dropped(dropped);
    for (const message of messages) {
      try {
        // A message may have what JSON does not: cycles, or numbers of another type.
        const copy: unknown = JSON.parse(JSON.stringify(message) ?? 'null');
        if (isObject(copy)) this.handling.read(copy);
      } catch (error) {
        this.handling.refused(messageOf(error));
      }
    }
  }
}
