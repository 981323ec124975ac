import type { BodyLimits, BodyProblem } from './http-exchange.js';

/** What of each body needs no room: so small ones are taken when there is none, and are not counted. */
const FREE_BYTES = 16 * 1024;

/** The bytes of one body as they arrive. */
export class ArrivingBody {
  readonly #limits: BodyLimits;
  readonly #http: { readonly quotaKey: string | undefined };
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #taken = 0;
  #quotaKey: string | undefined;

  /** @param http the exchange whose client the room counts for. */
  constructor(limits: BodyLimits, http: { readonly quotaKey: string | undefined }) {
    this.#limits = limits;
    this.#http = http;
  }

  /** @returns what is the matter when the bytes cannot be taken, and no more are to be read. */
  add(chunk: Uint8Array): BodyProblem | undefined {
    this.#length += chunk.byteLength;
    if (this.#length > this.#limits.maxBodyBytes) return 'too long';
    if (this.#length > FREE_BYTES && !this.#takeRoom()) return 'no room';
    this.#chunks.push(chunk);
    return undefined;
  }

  /** All there is of it. It takes up no room any more. */
  end(): Uint8Array {
    this.drop();
    const [first] = this.#chunks;
    if (first && this.#chunks.length === 1) return first;
    const bytes = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset);
      offset += chunk.byteLength;
    }
    return bytes;
  }

  /** Gives its room back. */
  drop(): void {
    if (this.#taken > 0) this.#limits.room.give(this.#quotaKey, this.#taken);
    this.#taken = 0;
  }

  #takeRoom(): boolean {
    // An address is not known any more once its connection has closed.
    if (this.#taken === 0) this.#quotaKey = this.#http.quotaKey;
    const more = this.#length - FREE_BYTES - this.#taken;
    if (!this.#limits.room.take(this.#quotaKey, more)) return false;
    this.#taken += more;
    return true;
  }
}
