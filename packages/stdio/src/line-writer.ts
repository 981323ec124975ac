import type { Writable } from 'node:stream';
import type { StreamWrite } from './stdout-guard.js';

/** Receives the events of a `LineWriter`. */
export interface WriterListener {
  /** Called when the stream is full. The listener must produce less output until `unblocked` is called. */
  blocked(): void;
  /** Called when the stream accepts data again. */
  unblocked(): void;
  /** Called once, when the stream has failed or closed. Nothing more is written then. */
  gone(error?: Error): void;
}

/**
 * Writes lines to a stream. The lines of one turn of the event loop are written together. While the stream is full,
 * lines are queued.
 */
export class LineWriter {
  readonly #write: StreamWrite;
  readonly #listener: WriterListener;
  readonly #waiting: (() => void)[] = [];
  #lines: string[] = [];
  #scheduled = false;
  #blocked = false;
  #unwritten = 0;
  /** The bytes of notifications that are not written yet, including those in `#lines`. */
  #queuedBytes = 0;
  #heldBytes = 0;
  #gone = false;

  /**
   * @param write the original `write` method of the stream, bound to the stream. A `StdoutGuard` may have replaced
   *   `output.write`, so this method is passed separately.
   */
  constructor(output: Writable, write: StreamWrite, listener: WriterListener) {
    this.#write = write;
    this.#listener = listener;
    // These listeners are never removed: a stream may fail after its last write, and an error without a listener ends
    // the process.
    output.on('error', (error) => this.#lose(error));
    output.on('close', () => this.#lose());
    output.on('drain', this.#unblock);
  }

  /** Queues a line for writing. @param line a text without line breaks. */
  write(line: string): void {
    if (this.#gone) return;
    this.#lines.push(line);
    this.#schedule();
  }

  /**
   * Queues a notification if fewer than `maxBytes` bytes of notifications are already waiting. The new notification is
   * not counted, so one long line can exceed the limit.
   *
   * @returns whether the notification was queued.
   */
  writeWithin(maxBytes: number, line: string): boolean {
    if (this.#heldBytes >= maxBytes) return false;
    const bytes = Buffer.byteLength(line);
    this.#queuedBytes += bytes;
    this.#heldBytes += bytes;
    this.write(line);
    return true;
  }

  /** Resolves when the lines of the current queue have been written, or when the stream has failed or closed. */
  settled(): Promise<void> {
    if (this.#isSettled()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#blocked || this.#lines.length === 0) return;
    this.#scheduled = true;
    // Promise callbacks of handlers that answer now all run before this, so their answers share one write.
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    if (this.#gone) return;
    const text = `${this.#lines.join('\n')}\n`;
    const bytes = this.#queuedBytes;
    this.#lines = [];
    this.#queuedBytes = 0;
    this.#unwritten += 1;
    if (!this.#write(text, (error) => this.#written(bytes, error)) && !this.#gone) {
      this.#blocked = true;
      this.#listener.blocked();
    }
  };

  #written(bytes: number, error?: Error | null): void {
    this.#unwritten -= 1;
    this.#heldBytes -= bytes;
    if (error) this.#lose(error);
    else this.#settle();
  }

  readonly #unblock = (): void => {
    if (!this.#blocked || this.#gone) return;
    this.#blocked = false;
    this.#schedule();
    this.#listener.unblocked();
  };

  #lose(error?: Error): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#lines = [];
    this.#listener.gone(error);
    this.#settle();
  }

  #isSettled(): boolean {
    return this.#gone || (this.#lines.length === 0 && this.#unwritten === 0);
  }

  #settle(): void {
    if (this.#isSettled()) this.#waiting.splice(0).forEach((resolve) => resolve());
  }
}
