import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Deadline, givenId, isObject } from '@sigil/core/internal';
import type { Principal } from '@sigil/core/transport';
import { corsHeaders } from './answers.js';
import {
  ArrivingBody,
  type BodyLimits,
  type BodyProblem,
  type BodyStream,
  type HttpExchange,
  type ResponseHeaders,
} from './http-exchange.js';
import {
  FREE_OUTPUT_BYTES,
  type OutputLimits,
  type OutputBudget,
  UnreadBudget,
  WaitingOutput,
} from './output-budget.js';
import { authorityOf, pathOf, quotaKeyOf } from './requests.js';
import { clientBehind } from './trusted-proxies.js';

/**
 * How many bytes of a refused body are still read, and for how long, so that the client reads the refusal before the
 * connection ends.
 */
const LINGER = { bytes: 16 * 1024 * 1024, leastPiece: 1024, ms: 2_000, quietMs: 500 };

const NO_BYTES = new Uint8Array(0);

/** The responses that wait behind others on a connection because the client pipelines requests. */
const WAITING = new WeakMap<Socket, Set<ServerResponse>>();

/** Closes the connection of an open stream. */
const STREAMING = new WeakMap<Socket, () => void>();

type BodyDone = (body: string | undefined, problem?: BodyProblem) => void;

/** An exchange of `node:http`. It writes directly to the response. */
export class NodeExchange implements HttpExchange {
  corsOrigin: string | undefined;
  exposeHeaders: HttpExchange['exposeHeaders'];
  trustedProxies: readonly string[] | undefined;
  principal: Principal | undefined;
  bodyBytes = 0;
  endpoint: HttpExchange['endpoint'];
  #id: string | undefined;
  #client: string | undefined;

  /** @param body the body, if a framework has parsed it. @param source the request object of the framework. */
  constructor(
    protected readonly request: IncomingMessage,
    protected readonly response: ServerResponse,
    protected readonly output: OutputBudget,
    private readonly body: unknown = undefined,
    readonly source: unknown = request,
  ) {
    const { url = '/' } = request;
    const authority = authorityOf(url);
    // An absolute target takes the place of the header, for handlers too.
    if (authority !== undefined) request.headers.host = authority;
    if (response.socket === null) waitBehindOthers(request.socket, response);
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  get target(): string {
    return pathOf(this.#sent);
  }

  get #sent(): string {
    const { request } = this;
    // Routers remove the matched part of the URL, and keep the whole in `originalUrl`.
    const { originalUrl = request.url ?? '/' }: IncomingMessage & { originalUrl?: string } = request;
    return originalUrl;
  }

  get repeated(): 'Host' | 'Authorization' | undefined {
    const { rawHeaders } = this.request;
    let hosts = 0;
    let authorizations = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
      else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
    }
    if (hosts > 1) return 'Host';
    return authorizations > 1 ? 'Authorization' : undefined;
  }

  get headers(): HttpExchange['headers'] {
    return this.request.headers;
  }

  get address(): string | undefined {
    const { peer, trustedProxies } = this;
    if (!trustedProxies || peer === undefined) return peer;
    return (this.#client ??= clientBehind(trustedProxies, peer, this.header('x-forwarded-for')));
  }

  /** The network address at the other end of the connection: the client, or the last proxy before this server. */
  protected get peer(): string | undefined {
    return this.request.socket.remoteAddress;
  }

  get quotaKey(): string | undefined {
    return quotaKeyOf(this);
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  readBody(limits: BodyLimits, done: BodyDone): void {
    const { request } = this;
    const { maxBodyBytes: maxBytes, times } = limits;
    // A framework around this handler may have read the body already.
    const { body }: IncomingMessage & { body?: unknown } = request;
    const read = this.body ?? body;
    if (read !== undefined && !this.#standsForNothing(read)) {
      const bytes = bytesOf(read);
      if (!bytes) return done(undefined, 'not UTF-8');
      this.bodyBytes = bytes.byteLength;
      return takeBody(bytes, maxBytes, done);
    }
    // No event would follow: the request would never be answered.
    if (request.readableDidRead) return done(undefined, 'read before');
    if (request.readableEnded) return done('');
    const declared = Number(request.headers['content-length']);
    if (declared > maxBytes) return done(undefined, 'too long');
    let whole: Uint8Array | undefined;
    let pieces: ArrivingBody | undefined;
    let deadline: Deadline | undefined;
    // After a complete body the listeners may stay: removing them would slow down every request.
    const stop = (problem: BodyProblem): void => {
      drop();
      request.off('data', onData).off('end', onEnd);
      done(undefined, problem);
    };
    const drop = (): void => {
      if (deadline) times.delete(deadline);
      pieces?.drop();
    };
    const onData = (data: Buffer | string): void => {
      // Earlier code may have called `setEncoding`.
      const chunk = typeof data === 'string' ? Buffer.from(data, request.readableEncoding ?? 'utf8') : data;
      // Most bodies come in one piece, and need no timer. Until the first piece, the server's own timeout runs.
      if (chunk.length === declared) {
        whole = chunk;
        return;
      }
      deadline ??= times.add(() => stop('too slow'));
      const problem = (pieces ??= new ArrivingBody(limits, this.quotaKey)).append(chunk);
      if (problem) stop(problem);
    };
    const onEnd = (): void => {
      const bytes = whole ?? pieces?.end() ?? NO_BYTES;
      // The request may be kept for long, and does not need the body any more.
      whole = undefined;
      drop();
      this.bodyBytes = bytes.byteLength;
      takeBody(bytes, maxBytes, done);
    };
    // After an early disconnect, no data follows.
    request.on('data', onData).on('end', onEnd).on('close', drop);
    // Earlier code may have paused the stream.
    if (request.isPaused()) request.resume();
  }

  /** Whether `body` is the `{}` that older body parsers set on requests that they skip. */
  #standsForNothing(read: unknown): boolean {
    const { request } = this;
    if (request.readableDidRead || request.readableEnded || !isObject(read)) return false;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    return (Number(length) > 0 || coding !== undefined) && Object.keys(read).length === 0;
  }

  respond(status: number, headers: ResponseHeaders, body?: string): void {
    const { request, response } = this;
    if (response.headersSent || this.gone) return;
    const bytes = body === undefined ? undefined : Buffer.byteLength(body);
    if (bytes !== undefined && bytes > FREE_OUTPUT_BYTES && !this.#takeRoom(bytes))
      return this.output.refuse(this);
    const lines = this.#headerLines(headers);
    if (bytes !== undefined) lines.push('Content-Length', bytes);
    // The unread rest of the body is not needed.
    const unread = status >= 400 && !request.complete;
    if (unread) return this.respondUnread(status, lines, body);
    this.begin(status, lines);
    // Latin-1 text is copied without encoding, which is faster.
    response.end(body, bytes === body?.length ? 'latin1' : 'utf8');
  }

  stream(headers: ResponseHeaders): BodyStream {
    const { response, output } = this;
    this.begin(200, this.#headerLines(headers));
    response.flushHeaders();
    const stopGuarding = this.letNothingFollow();
    let unread: UnreadBudget | undefined;
    const waiting = new WaitingOutput();
    const flush = (): void => {
      for (let piece = waiting.next(); piece; piece = waiting.next()) if (!this.gone) response.write(piece);
      unread?.hold(response.writableLength);
    };
    const cutOff = (limit: keyof OutputLimits): void => {
      waiting.drop();
      this.cutOff(limit);
    };
    return {
      write: (text) => {
        if (this.gone) return;
        // The limit applies to bytes that were already unread: one long message may exceed it.
        if (response.writableLength + waiting.length > output.maxBufferedBytes)
          return cutOff('maxBufferedBytes');
        if (!this.needsDrain) response.write(text);
        else {
          if (waiting.length === 0) response.once('drain', flush);
          waiting.add(text);
        }
        const length = response.writableLength + waiting.length;
        if (length > FREE_OUTPUT_BYTES && !(unread ??= this.#unread()).hold(length))
          cutOff('maxTotalBufferedBytes');
      },
      end: () => {
        stopGuarding();
        flush();
        if (response.writableLength > FREE_OUTPUT_BYTES) this.cutOffWhenStalled();
        response.end();
      },
    };
  }

  get gone(): boolean {
    return this.response.destroyed;
  }

  onGone(listener: () => void): void {
    const { response } = this;
    const tell = (): void => {
      if (!this.finished) listener();
    };
    // The client may have gone away before the caller came here.
    if (this.gone) tell();
    else response.on('close', tell);
  }

  /** Whether the output buffer is full. Further output then waits in memory until the client reads. */
  protected get needsDrain(): boolean {
    return this.response.writableNeedDrain;
  }

  /** Whether all of the response has been sent. */
  protected get finished(): boolean {
    return this.response.writableFinished;
  }

  /**
   * Writes the status and headers of a response. If middleware makes this fail, the connection is closed, so that the
   * client does not wait for an answer.
   */
  protected begin(status: number, lines: readonly (string | number)[]): void {
    try {
      this.writeHead(status, lines);
    } catch (error) {
      this.destroy();
      throw error;
    }
  }

  protected writeHead(status: number, lines: readonly (string | number)[]): void {
    // Some middleware replaces `writeHead` and only accepts pairs and objects: on-headers before 1.1, which compression
    // and session middleware uses.
    const isReplaced = Object.hasOwn(this.response, 'writeHead');
    this.response.writeHead(status, isReplaced ? headersOf(lines) : (lines as string[]));
  }

  /**
   * Reserves room for a long answer until it is read or its client is cut off.
   *
   * @returns whether there was enough room.
   */
  #takeRoom(bytes: number): boolean {
    if (!this.#unread().hold(bytes)) return false;
    this.cutOffWhenStalled();
    return true;
  }

  /** Counts the unread bytes while there are any. */
  #unread(): UnreadBudget {
    const { response } = this;
    const unread = new UnreadBudget(this.output, this);
    response.on('drain', () => unread.hold(response.writableLength)).on('close', () => unread.free());
    return unread;
  }

  /** Disconnects the client if it reads nothing for `requestTimeoutMs`. */
  protected cutOffWhenStalled(): void {
    const { response, output } = this;
    const { socket } = this.request;
    // Simulated requests of frameworks' tests have no socket, and are read at once.
    if (!('setTimeout' in socket)) return;
    const { timeout = 0 } = socket;
    // This runs before Node sets how long the connection is kept for a next request.
    response.prependOnceListener('finish', () => socket.setTimeout(timeout));
    response.setTimeout(output.stalls.afterMs, () => this.cutOff('requestTimeoutMs'));
  }

  protected cutOff(limit: keyof OutputLimits): void {
    this.output.tellCutOff(this, limit);
    this.destroy();
  }

  protected destroy(): void {
    const { request, response } = this;
    response.destroy();
    // A response that waits behind another one would leave the connection open.
    if (response.socket === null) request.socket.destroy();
  }

  /**
   * Closes the connection if another request is waiting on it, or arrives on it before the stream of this exchange
   * ends. Otherwise, the answer to that request would stay in memory until the stream ends.
   *
   * @returns a function to call when the stream ends. It allows further requests on the connection.
   */
  protected letNothingFollow(): () => void {
    const { request, response } = this;
    const { socket } = request;
    const close = (): void => {
      STREAMING.delete(socket);
      this.output.tell(
        this,
        'a connection is closed, because another request arrived on it while a stream was open',
      );
      this.destroy();
    };
    const waiting = WAITING.get(socket);
    if (waiting && waiting.size > (waiting.has(response) ? 1 : 0)) close();
    else STREAMING.set(socket, close);
    return () => void STREAMING.delete(socket);
  }

  /**
   * Responds before the whole request has arrived, and reads the rest of the request for a short time. Closing a
   * connection with unread bytes would reset it, and the client could lose the response.
   */
  protected respondUnread(status: number, lines: readonly (string | number)[], body?: string): void {
    const { request, response } = this;
    this.begin(status, [...lines, 'Connection', 'close']);
    if (body === undefined) return void response.end();
    response.write(body);
    let left = LINGER.bytes;
    const end = (): void => {
      clearTimeout(longest);
      clearTimeout(quiet);
      request.off('data', take).off('end', end).off('close', end);
      response.end();
    };
    const take = (chunk: Buffer): void => {
      // A piece of one byte is as much work as a long one.
      left -= Math.max(chunk.length, LINGER.leastPiece);
      if (left < 0) end();
      else quiet.refresh();
    };
    const longest = setTimeout(end, LINGER.ms);
    const quiet = setTimeout(end, LINGER.quietMs);
    if (request.destroyed) end();
    else request.on('data', take).on('end', end).on('close', end);
  }

  get id(): string {
    return (this.#id ??= givenId(this.headers) ?? crypto.randomUUID());
  }

  named(id: string): void {
    this.#id = id;
  }

  /** Returns headers as a flat list, which `node:http` writes fastest. */
  #headerLines(headers: ResponseHeaders): (string | number)[] {
    const lines: (string | number)[] = [];
    for (const name in headers) lines.push(name, headers[name] ?? '');
    const id = this.#id ?? givenId(this.request.headers);
    if (id !== undefined) lines.push('X-Request-Id', id);
    if (this.corsOrigin !== undefined) lines.push(...Object.entries(corsHeaders(this.corsOrigin)).flat());
    return lines;
  }
}

/** Tracks a response whose turn on its connection has not come yet. */
function waitBehindOthers(socket: Socket, response: ServerResponse): void {
  const waiting = WAITING.get(socket) ?? new Set();
  if (!WAITING.has(socket)) {
    WAITING.set(socket, waiting);
    // Node only notifies the response whose turn it is.
    socket.once('close', () => {
      for (const other of waiting) if (other.socket === null) other.destroy().emit('close');
    });
  }
  waiting.add(response);
  response.once('close', () => waiting.delete(response));
  STREAMING.get(socket)?.();
}

/** Converts a flat list of header names and values to an object. */
export function headersOf(lines: readonly (string | number)[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (let at = 0; at < lines.length; at += 2) headers[String(lines[at])] = lines[at + 1];
  return headers;
}

function takeBody(bytes: Uint8Array, maxBytes: number, done: BodyDone): void {
  if (bytes.byteLength > maxBytes) return done(undefined, 'too long');
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  // Invalid bytes decode to this character; a client may also have sent it.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) return done(undefined, 'not UTF-8');
  return done(text);
}

/**
 * Returns the bytes of a body that a parser has read as bytes, text or parsed JSON. @returns `undefined` if
 * JSON cannot represent the value, or if it is nested too deeply.
 */
function bytesOf(body: unknown): Uint8Array | undefined {
  if (body instanceof Uint8Array) return body;
  try {
    return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  } catch {
    return undefined;
  }
}
