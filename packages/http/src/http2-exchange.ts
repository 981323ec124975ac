import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2';
import type { HttpExchange } from './http-exchange.js';
import { headersOf, NodeExchange } from './node-exchange.js';
import type { OutputBudget } from './output-budget.js';

/**
 * An exchange of `node:http2`, whose requests and responses resemble those of `node:http`. Each exchange is a separate
 * stream.
 */
export class Http2Exchange extends NodeExchange {
  /** The address of the peer. It is stored, because a closed stream no longer has it. */
  readonly #peer: string | undefined;
  readonly #stream: ServerHttp2Stream;
  #headers: HttpExchange['headers'] | undefined;

  constructor(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    output: OutputBudget,
    body?: unknown,
    source?: unknown,
  ) {
    // The missing members are never used.
    super(
      request as Http2ServerRequest & IncomingMessage,
      response as Http2ServerResponse & ServerResponse,
      output,
      body,
      source,
    );
    const { ':authority': authority } = request.headers;
    // `:authority` takes the place of the header (RFC 9113, section 8.3.1), for handlers too.
    if (authority !== undefined) request.headers.host = authority;
    this.#stream = response.stream;
    this.#peer = request.socket.remoteAddress;
  }

  protected override get peer(): string | undefined {
    return this.#peer;
  }

  /** The headers without the pseudo-headers of HTTP/2, such as `:path`, which are not valid header names. */
  override get headers(): HttpExchange['headers'] {
    return (this.#headers ??= Object.fromEntries(
      Object.entries(this.request.headers).filter(([name]) => !name.startsWith(':')),
    ));
  }

  override get repeated(): 'Host' | 'Authorization' | undefined {
    const { rawHeaders, headers } = this.request;
    const sent = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
    // A request is malformed if its host differs from its authority (RFC 9113, section 8.3.1).
    const isOther = sent >= 0 && rawHeaders[sent + 1]?.toLowerCase() !== headers.host?.toLowerCase();
    return isOther ? 'Host' : super.repeated;
  }

  override get gone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  protected override get needsDrain(): boolean {
    return this.#stream.writableNeedDrain;
  }

  protected override get finished(): boolean {
    // Node treats a stream that its client has reset as finished.
    return this.response.writableEnded && !this.#stream.rstCode;
  }

  protected override writeHead(status: number, lines: readonly (string | number)[]): void {
    this.response.writeHead(status, headersOf(lines));
  }

  /**
   * Responds before the whole request has arrived. Closing the stream tells the client not to send the rest (RFC 9113,
   * section 8.1).
   */
  protected override respondUnread(status: number, lines: readonly (string | number)[], body?: string): void {
    this.begin(status, lines);
    this.response.end(body);
    this.#stream.close();
  }

  protected override cutOffWhenStalled(): void {
    this.response.setTimeout(this.output.stalls.afterMs, () => this.cutOff('requestTimeoutMs'));
  }

  /** Ends the HTTP/2 stream of this request. Other streams of the connection stay open. */
  protected override destroy(): void {
    this.#stream.destroy();
  }

  /** Does nothing, because the streams of an HTTP/2 connection do not wait for each other. */
  protected override letNothingFollow(): () => void {
    return () => undefined;
  }
}
