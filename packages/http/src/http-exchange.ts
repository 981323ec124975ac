import type { RequestInfo } from '@sigil/core';
import type { Quota } from '@sigil/core/extension';
import type { Deadlines } from '@sigil/core/internal';
import type { Endpoint, Principal } from '@sigil/core/transport';

/** Response headers, in the order of sending. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** The body of a response that is sent in several pieces. */
export interface BodyStream {
  write(text: string): void;
  end(): void;
}

/** The reason why a body cannot be read as text. */
export type BodyProblem =
  'too long' | 'too slow' | 'too many pieces' | 'no room' | 'not UTF-8' | 'read before';

/** The limits on the size and time of request bodies. */
export interface BodyLimits {
  /** Logs and reports the bodies that are refused because they are too long. */
  readonly endpoint: Pick<Endpoint, 'logger' | 'refused'>;
  /** `refuse` answers a request with 503. It is called when the body of the request would exceed `budget`. */
  readonly overload: { refuse(http: HttpExchange, message: string): void };
  /** Maximum length of one body, in bytes. */
  readonly maxBodyBytes: number;
  /** The deadlines of the arriving bodies. A body that is not complete at its deadline is refused. */
  readonly times: Deadlines;
  /** The limits on the total bytes of all arriving bodies, and of the arriving bodies of each client. */
  readonly budget: Quota;
}

/**
 * One HTTP request and its response, with the same members for every kind of server. The endpoint gets the exchange
 * together with the JSON-RPC message.
 */
export interface HttpExchange extends RequestInfo {
  readonly method: string;
  /** The path and query, as the client sent them. They include the path where the app is mounted. */
  readonly target: string;
  readonly headers: NonNullable<RequestInfo['headers']>;
  readonly quotaKey: string | undefined;
  /**
   * The id of the request in the log: the header `X-Request-Id`, otherwise a random text that is created at
   * first use. The response repeats it.
   */
  readonly id: string;
  /**
   * The endpoint, which logs and reports a refusal of the request; `undefined` until the request has reached a handler.
   */
  endpoint: Pick<Endpoint, 'logger' | 'refused'> | undefined;
  /** The HTTP server's request object. */
  readonly source: unknown;
  /**
   * Returns the value of a header. If the request target is absolute, such as `http://mcp.example/mcp`, the result for
   * `host` is the host in the target (RFC 9112, section 3.2.2).
   */
  header(name: string): string | undefined;
  /**
   * The name of a header that the client sent more than once, although it is allowed only once. Such requests are
   * refused, because a proxy may have checked one of the values while this server would read another one.
   */
  readonly repeated: 'Host' | 'Authorization' | undefined;
  /** The accepted origin of the web page that sent the request. The answer gets CORS headers for this origin. */
  corsOrigin: string | undefined;
  /** The headers with credentials that handlers can read; see `HttpOptions.exposeHeaders`. */
  exposeHeaders: RequestInfo['exposeHeaders'];
  /** The addresses or networks of trusted proxies; see `HttpOptions.trustedProxies`. */
  trustedProxies: readonly string[] | undefined;
  /** The verified principal of the request. */
  principal: Principal | undefined;
  /** The length of the body in bytes, once it has been read. */
  readonly bodyBytes: number;
  /** Reads the whole body, then calls `done` with its text, or with the problem that prevented this. */
  readBody(limits: BodyLimits, done: (body: string | undefined, problem?: BodyProblem) => void): void;
  /** Sends a complete response. If clients have left too much output unread, a long response is replaced by 503. */
  respond(status: number, headers: ResponseHeaders, body?: string): void;
  /**
   * Begins a response with status 200 whose body is a stream. A client that leaves too much of the stream unread is
   * disconnected.
   */
  stream(headers: ResponseHeaders): BodyStream;
  /** Whether the connection has closed. Output then no longer reaches the client. */
  readonly gone: boolean;
  /** Registers a listener that is called if the client disconnects before the response has ended. */
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
 * Collects a request body that arrives in pieces. Each piece is copied into one buffer. Otherwise, a whole buffer of
 * the socket would stay in memory even for a piece of one byte.
 */
export class ArrivingBody {
  readonly #limits: BodyLimits;
  readonly #quotaKey: string | undefined;
  #bytes = new Uint8Array(0);
  #length = 0;
  #pieces = 0;
  #taken = 0;

  /**
   * @param quotaKey the text that identifies the client in quotas. The bytes of the body are counted in the quota of
   *   this client.
   */
  constructor(limits: BodyLimits, quotaKey: string | undefined) {
    this.#limits = limits;
    this.#quotaKey = quotaKey;
  }

  /**
   * Adds the next piece. @returns the reason why the body must be refused; `undefined` if the piece was added.
   */
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

  /** Returns the whole body, and no longer counts it in the limits. Call this method only once. */
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
