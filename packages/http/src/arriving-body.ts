import type { BodyLimits, BodyProblem } from './http-exchange.js';

/** What of each body needs no room: small ones are taken when there is none. */
const FREE_BYTES = 16 * 1024;
const FIRST_BYTES = 1024;
/** Each piece costs the event loop as much as a kilobyte: beyond so many, they must not be smaller than this. */
const FREE_PIECES = 1000;
const LEAST_PIECE = 16;

/**
 * A body that arrives in pieces. They are copied together as they come: a piece of one byte would keep a buffer of its own, and with it
 * all that was read from the socket at once.
 */
export class ArrivingBody {
  readonly #limits: BodyLimits;
  readonly #quotaKey: string | undefined;
  #bytes = new Uint8Array(0);
  #length = 0;
  #pieces = 0;
  #taken = 0;

  /** @param quotaKey whom it counts for. */
  constructor(limits: BodyLimits, quotaKey: string | undefined) {
    this.#limits = limits;
    this.#quotaKey = quotaKey;
  }

  /** Takes the next piece. @returns why there can be no more. */
  append(piece: Uint8Array): BodyProblem | undefined {
    const { maxBodyBytes } = this.#limits;
    const length = this.#length + piece.byteLength;
    if (length > maxBodyBytes) return 'too long';
    if (++this.#pieces > FREE_PIECES && length < LEAST_PIECE * this.#pieces) return 'too many pieces';
    if (length > this.#bytes.byteLength) {
      const size = Math.min(maxBodyBytes, Math.max(length, FIRST_BYTES, 2 * this.#bytes.byteLength));
      if (!this.#grow(size)) return 'no room';
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
    return undefined;
  }

  /** All of it, once; it takes no room from then on. */
  end(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.drop();
    return bytes;
  }

  drop(): void {
    this.#limits.room.give(this.#quotaKey, this.#taken);
    this.#taken = 0;
    this.#bytes = new Uint8Array(0);
  }

  #grow(size: number): boolean {
    const more = Math.max(0, size - FREE_BYTES) - this.#taken;
    if (!this.#limits.room.take(this.#quotaKey, more)) return false;
    this.#taken += more;
    const bytes = new Uint8Array(size);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    return true;
  }
}
