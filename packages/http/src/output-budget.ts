import type { Logger } from '@sigil/core';
import { Quota } from '@sigil/core/extension';
import { Deadlines, LogThrottle } from '@sigil/core/internal';
import { aboutRequest, type OverloadRefusal } from './answers.js';
import type { HttpExchange } from './http-exchange.js';

/**
 * How many unread bytes of each response are not counted in `maxTotalBufferedBytes`, so that small responses are never
 * refused.
 */
export const FREE_OUTPUT_BYTES: number = 64 * 1024;

/** Maximum length of a text that waits to be read before it is turned into bytes, in characters. */
const PIECE_LENGTH = 16 * 1024;

/** Limits on output that clients have not read, in bytes and milliseconds. */
export interface OutputLimits {
  readonly maxBufferedBytes: number;
  readonly maxTotalBufferedBytes: number;
  readonly requestTimeoutMs: number;
}

/** Limits the unread output of all responses together. */
export class OutputBudget {
  readonly budget: Quota;
  /** Maximum unread output of one stream, in bytes. Beyond this limit, the client of the stream is disconnected. */
  readonly maxBufferedBytes: number;
  /**
   * The deadlines of long responses. A client that reads nothing until the deadline of its response is disconnected.
   */
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

  /** Answers a request with 503, because clients have left too much output unread. */
  refuse(http: HttpExchange): void {
    this.overload.refuse(http, 'Too many answers are unread');
  }

  /**
   * Logs that a client is disconnected because it does not read its responses. If many clients are disconnected, only
   * some of these cases are logged.
   * @param limit the name of the limit that the client exceeded.
   */
  tellCutOff(http: HttpExchange, limit: keyof OutputLimits): void {
    this.tell(http, 'a client is disconnected, because it does not read its responses', limit);
  }

  /**
   * Logs a warning about a connection. If the same message is repeated often, only some of the repetitions are logged.
   * @param limit the name of the exceeded limit. The log line contains this name and the value of the limit.
   */
  tell(http: HttpExchange, message: string, limit?: keyof OutputLimits): void {
    if (!this.#told.allows(limit ?? message)) return;
    this.logger.warn({ ...(limit && { [limit]: this.limits[limit] }), ...aboutRequest(http) }, message);
  }
}

/** Adds the unread bytes of one response to the `OutputBudget`, which limits all responses together. */
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
   * Sets the number of unread bytes of the response.
   *
   * @param length the current number of unread bytes.
   * @returns `false` if this number would exceed a limit. The previous number then remains.
   */
  hold(length: number): boolean {
    const needed = Math.max(0, length - FREE_OUTPUT_BYTES);
    const more = needed - this.#taken;
    if (more > 0 && !this.#budget.take(this.#quotaKey, more)) return false;
    if (more < 0) this.#budget.give(this.#quotaKey, -more);
    this.#taken = needed;
    return true;
  }

  /** Sets the number of unread bytes of the response to 0. */
  free(): void {
    this.hold(0);
  }
}

/**
 * The unread output of one stream. It is stored as chunks of bytes, because a growing string or the write queue of a
 * platform would need several times as much memory.
 */
export class WaitingOutput {
  readonly #pieces: Uint8Array[] = [];
  #last = '';
  #bytes = 0;

  /**
   * The approximate length of the output, in bytes. The last part of the output is still text. In this part, each
   * character counts as one byte.
   */
  get length(): number {
    return this.#bytes + this.#last.length;
  }

  add(text: string): void {
    this.#last += text;
    if (this.#last.length >= PIECE_LENGTH) this.#cut();
  }

  /** Removes the next piece of output. @returns the piece; `undefined` if no output is waiting. */
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
