import { isObject, type JsonObject } from '../../../src/json.js';
import { messageOf } from '../mcp/messages.js';

/** Maximum number of messages that the page accepts from one view in one second. Further messages are dropped. */
export const MOST_PER_SECOND = 200;
/** How long messages are collected before the page renders, in milliseconds. */
const COLLECT_MS = 16;

/** Callbacks for the messages of a view. */
interface Handling {
  read(message: JsonObject): void;
  /** Called for a message that is not JSON. */
  refused(reason: string): void;
  /** Called with the number of dropped messages. */
  dropped(count: number): void;
}

/** Reads the messages of a view as JSON, and limits their number. */
export class ViewMessages {
  #collected: unknown[] = [];
  #dropped = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The number of messages in the current second. */
  #count = 0;
  #since = 0;

  constructor(private readonly handling: Handling) {}

  /** Handles a message. @returns whether it was accepted. */
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
