import type { ServerResponse } from 'node:http';
import { Refusal, safeHeaders } from './answers.js';

/** Maximum number of open pages. */
const MOST_STREAMS = 8;
/** How many bytes may wait for a page that does not read: it loses its stream then, and begins a new one. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;
/** How often a stream shows that it is alive, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/** The streams of `/api/events`. */
export class EventStreams {
  readonly #streams = new Set<ServerResponse>();
  readonly #timer: NodeJS.Timeout = setInterval(() => this.#send(':\n\n'), KEEP_ALIVE_MS).unref();

  /**
   * Begins a stream.
   *
   * @param first the events that it begins with.
   * @throws Refusal when there are too many.
   */
  open(response: ServerResponse, first: readonly (readonly [event: string, data: unknown])[]): void {
    if (this.#streams.size >= MOST_STREAMS)
      throw new Refusal(503, `${MOST_STREAMS} pages are open: close one of them`);
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    response.writeHead(200, safeHeaders('text/event-stream'));
    response.write(first.map(([event, data]) => textOf(event, data)).join(''));
  }

  /** Sends an event to every page. */
  tell(event: string, data: unknown): void {
    if (this.#streams.size > 0) this.#send(textOf(event, data));
  }

  close(): void {
    clearInterval(this.#timer);
    for (const stream of this.#streams) stream.end();
  }

  #send(text: string): void {
    for (const stream of this.#streams) {
      stream.write(text);
      if (stream.writableLength > MOST_UNREAD_BYTES) stream.destroy();
    }
  }
}

function textOf(event: string, data: unknown): string {
  return `event: ${event.replace(/[\r\n]/g, ' ')}\ndata: ${JSON.stringify(data)}\n\n`;
}
