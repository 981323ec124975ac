import type { ServerResponse } from 'node:http';
import { Refusal, safeHeaders } from './answers.js';

/** Maximum number of open event streams, one for each open page. */
const MOST_STREAMS = 8;
/**
 * Maximum number of unread bytes for one page. Beyond it, the stream is closed, and the page opens a new one.
 */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;
/** Time between keep-alive comments in a stream, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/** The open event streams of `/api/events`. */
export class EventStreams {
  readonly #streams = new Set<ServerResponse>();
  readonly #timer: NodeJS.Timeout = setInterval(() => this.#send(':\n\n'), KEEP_ALIVE_MS).unref();

  /**
   * Opens a stream.
   *
   * @param first the first events of the stream.
   * @throws Refusal if there are too many streams.
   */
  open(response: ServerResponse, first: readonly (readonly [event: string, data: unknown])[]): void {
    if (this.#streams.size >= MOST_STREAMS)
      throw new Refusal(503, `${MOST_STREAMS} pages are open, which is the maximum: close one of them`);
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
