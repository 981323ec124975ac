import type { Logger } from '@sigil/core';
import { Quota } from '@sigil/core/extension';
import { Deadlines, LogThrottle } from '@sigil/core/internal';
import { aboutRequest, type OverloadRefusal } from './answers.js';
import type { HttpExchange } from './http-exchange.js';

/** How many unread bytes of each response do not count towards the limit, so that small answers cost nothing. */
export const FREE_OUTPUT_BYTES: number = 64 * 1024;

/** Maximum length of a text that waits to be read before it is turned into bytes, in characters. */
const PIECE_LENGTH = 16 * 1024;

/** Limits on unread output, in bytes and time. */
export interface OutputLimits {
  readonly maxBufferedBytes: number;
  readonly maxTotalBufferedBytes: number;
  readonly requestTimeoutMs: number;
}

/** The unread output of all answers and streams together. */
export class OutputBudget {
  readonly budget: Quota;
  /** Maximum bytes of one stream that a client may leave unread. Beyond it, the client is cut off. */
  readonly maxBufferedBytes: number;
  /** Deadlines for long web responses whose clients have stopped reading. */
  readonly stalls: Deadlines;
  readonly #told = new LogThrottle();

  constructor(
    private readonly limits: OutputLimits,
    private readonly logger: Logger,
    private readonly overload: OverloadRefusal,
  ) {
    const { maxBufferedBytes, maxTotalBufferedBytes, requestTimeoutMs } = limits;
    this.maxBufferedBytes = maxBufferedBytes;
    // One stream may always have as many unread bytes as the limit for one stream allows.
    this.budget = new Quota(
      maxTotalBufferedBytes,
      Math.max(maxBufferedBytes, Math.floor(maxTotalBufferedBytes / 4)),
    );
    this.stalls = new Deadlines(requestTimeoutMs);
  }

  /** Answers 503 because there is no room for the answer. */
  refuse(http: HttpExchange): void {
    this.overload.refuse(http, 'Too many answers are unread');
  }

  /** Logs that a client is cut off, now and then. @param limit the exceeded limit. */
  tellCutOff(http: HttpExchange, limit: keyof OutputLimits): void {
    this.tell(http, 'a client is cut off: it does not read what it is sent', limit);
  }

  /** Logs an event on a connection from time to time. */
  tell(http: HttpExchange, message: string, limit?: keyof OutputLimits): void {
    if (!this.#told.allows(limit ?? message)) return;
    this.logger.warn({ ...(limit && { [limit]: this.limits[limit] }), ...aboutRequest(http) }, message);
  }
}

/** The room that one answer or stream takes up while it is unread. */
export class UnreadBudget {
  readonly #budget: Quota;
  readonly #quotaKey: string | undefined;
  #taken = 0;

  constructor({ budget }: OutputBudget, http: HttpExchange) {
    this.#budget = budget;
    // The key is read once, because a closed connection has no address.
    this.#quotaKey = http.quotaKey;
  }

  /**
   * Reserves or releases room.
   *
   * @param length the current number of unread bytes.
   * @returns whether there is enough room.
   */
  hold(length: number): boolean {
    const needed = Math.max(0, length - FREE_OUTPUT_BYTES);
    const more = needed - this.#taken;
    if (more > 0 && !this.#budget.take(this.#quotaKey, more)) return false;
    if (more < 0) this.#budget.give(this.#quotaKey, -more);
    this.#taken = needed;
    return true;
  }

  /** Releases all of the room. */
  free(): void {
    this.hold(0);
  }
}

/**
 * The output of one stream that its client has not read. It is stored as chunks of bytes, because a growing
 * string, or queued writes of a platform, would take several times as much memory.
 */
export class WaitingOutput {
  readonly #pieces: Uint8Array[] = [];
  #last = '';
  #bytes = 0;

  /** The length of the output in bytes. The last piece, which is still text, counts by its characters. */
  get length(): number {
    return this.#bytes + this.#last.length;
  }

  add(text: string): void {
    this.#last += text;
    if (this.#last.length >= PIECE_LENGTH) this.#cut();
  }

  /** Removes the next piece. @returns the piece; `undefined` when nothing waits. */
  next(): Uint8Array | undefined {
    if (this.#pieces.length === 0 && this.#last !== '') this.#cut();
    const piece = this.#pieces.shift();
    this.#bytes -= piece?.byteLength ?? 0;
    return piece;
  }

  drop(): void {
    this.#pieces.length = 0;
    this.#last = '';
    this.#bytes = 0;
  }

  #cut(): void {
    const piece = new TextEncoder().encode(this.#last);
    this.#pieces.push(piece);
    this.#bytes += piece.byteLength;
    this.#last = '';
  }
}
