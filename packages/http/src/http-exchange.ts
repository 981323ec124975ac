import type { RequestInfo } from '@sigil/core';
import type { Quota } from '@sigil/core/extension';
import type { Deadlines } from '@sigil/core/internal';
import type { Endpoint, Principal } from '@sigil/core/transport';

/** Response headers, in the order they are sent. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A response whose body is sent piece by piece. */
export interface BodyStream {
  write(text: string): void;
  end(): void;
}

/** Why a body cannot be read as text. */
export type BodyProblem =
  'too long' | 'too slow' | 'too many pieces' | 'no room' | 'not UTF-8' | 'read before';

/** Maximum size of one body, and of all bodies that are arriving. */
export interface BodyLimits {
  /** Receives refusals of bodies that are too long. */
  readonly endpoint: Pick<Endpoint, 'logger' | 'refused'>;
  /** Refuses requests when the server has no room. */
  readonly overload: { refuse(http: HttpExchange, message: string): void };
  /** Maximum length of one body, in bytes. */
  readonly maxBodyBytes: number;
  /** Deadlines for bodies to arrive. */
  readonly times: Deadlines;
  /** The bytes of all arriving bodies together. */
  readonly budget: Quota;
}

/**
 * One HTTP request and its response, from any server. A bridge creates one exchange per request. The endpoint gets the
 * exchange with the message.
 */
export interface HttpExchange extends RequestInfo {
  readonly method: string;
  /** The path and query, as the client sent them. They include the path of the mount. */
  readonly target: string;
  readonly headers: NonNullable<RequestInfo['headers']>;
  readonly quotaKey: string | undefined;
  /**
   * The id of the request in the log: the header `X-Request-Id`, otherwise a random text that is created at
   * first use. The response repeats it.
   */
  readonly id: string;
  /** The endpoint, which receives refusals; `undefined` until the request has reached a handler. */
  endpoint: Pick<Endpoint, 'logger' | 'refused'> | undefined;
  /** The HTTP server's request object. */
  readonly source: unknown;
  /**
   * Returns a header. If the target is absolute, such as `http://mcp.example/mcp`, its host takes the place of the
   * header `host` (RFC 9112, section 3.2.2).
   */
  header(name: string): string | undefined;
  /** A header with a single value that the client sent twice. A proxy in front may have checked the other value. */
  readonly repeated: 'Host' | 'Authorization' | undefined;
  /** The origin of the calling page, once it is accepted. Answers then allow the page to read them. */
  corsOrigin: string | undefined;
  /** See `HttpOptions.exposeHeaders`. */
  exposeHeaders: RequestInfo['exposeHeaders'];
  /** See `HttpOptions.trustedProxies`. */
  trustedProxies: readonly string[] | undefined;
  /** The verified principal of the request. */
  principal: Principal | undefined;
  /** The length of the body in bytes, once it has been read. */
  readonly bodyBytes: number;
  /** Reads the whole body and passes it to `done` as text, or passes the problem. */
  readBody(limits: BodyLimits, done: (body: string | undefined, problem?: BodyProblem) => void): void;
  /** Answers in one piece. A long answer becomes 503 if clients leave too much output unread. */
  respond(status: number, headers: ResponseHeaders, body?: string): void;
  /** Answers with status 200 and a stream. A client that leaves too much of the stream unread is cut off. */
  stream(headers: ResponseHeaders): BodyStream;
  /** Whether the connection has closed, so that output no longer reaches the client. */
  readonly gone: boolean;
  /** Calls back when the client goes away before the response has ended. */
  onGone(listener: () => void): void;
}

/** The first bytes of each body do not count towards the limit, so that small bodies are always accepted. */
const FREE_BYTES = 16 * 1024;
const FIRST_BYTES = 1024;
/**
 * Each piece costs the event loop as much as a kilobyte: after this many pieces, further ones must not be smaller than
 * that.
 */
const FREE_PIECES = 1000;
const LEAST_PIECE = 16;

/**
 * A body that arrives in pieces. The pieces are copied into one buffer as they arrive: otherwise a piece of one byte
 * would keep the whole buffer that was read from the socket in memory.
 */
export class ArrivingBody {
  readonly #limits: BodyLimits;
  readonly #quotaKey: string | undefined;
  #bytes = new Uint8Array(0);
  #length = 0;
  #pieces = 0;
  #taken = 0;

  /** @param quotaKey the quota key of the request. */
  constructor(limits: BodyLimits, quotaKey: string | undefined) {
    this.#limits = limits;
    this.#quotaKey = quotaKey;
  }

  /** Adds the next piece. @returns the problem that ends the body, if any. */
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

  /** Returns the whole body, once. From then on it takes no room. */
  end(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.drop();
    return bytes;
  }

  drop(): void {
    this.#limits.budget.give(this.#quotaKey, this.#taken);
    this.#taken = 0;
    this.#bytes = new Uint8Array(0);
  }

  #grow(size: number): boolean {
    const more = Math.max(0, size - FREE_BYTES) - this.#taken;
    if (!this.#limits.budget.take(this.#quotaKey, more)) return false;
    this.#taken += more;
    const bytes = new Uint8Array(size);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    return true;
  }
}
