import { Readable } from 'node:stream';
import { messageOf } from '@sigil/core/internal';
import { LATEST_VERSION, META } from '@sigil/core/transport';
import { parseMessage } from '../exact-numbers.js';
import { causeOf, ServerError } from '../failures.js';
import { isObject, objectOf } from '../json.js';
import type { Authorization } from '../login/authorization.js';
import { AskedServer } from './asked-server.js';
import { linesOf, MOST_CHARACTERS } from './lines.js';
import { nameHeader } from './parameter-headers.js';

/** Options of requests to a server over HTTP. */
export interface HttpOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The login whose access token the requests contain. */
  readonly authorization?: Authorization | undefined;
}

/** How long a server may take to end a session, in milliseconds. */
const LEAVE_MS = 1000;

/** A server that is reached over HTTP (Streamable HTTP). */
export class HttpServer extends AskedServer {
  readonly failed: Promise<never>;
  readonly #ending = new AbortController();
  readonly #open = new Map<unknown, AbortController>();
  #fail: (error: ServerError) => void = () => undefined;
  #session: string | undefined;
  #version: string | undefined;

  constructor(
    private readonly url: URL,
    private readonly options: HttpOptions,
  ) {
    super();
    this.failed = new Promise((_, reject) => (this.#fail = reject));
    this.failed.catch(() => undefined);
  }

  send(message: object, headers: Readonly<Record<string, string>> = {}): void {
    void this.#deliver(message, headers);
  }

  async cancel(id: string, notification: object): Promise<void> {
    // Without sessions, closing the stream cancels the request (2026-07-28, transports, "Cancellation").
    if (this.#version !== undefined) await this.#deliver(notification, {});
    this.#open.get(id)?.abort();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    if (this.#session === undefined) return;
    const signal = AbortSignal.timeout(LEAVE_MS);
    const headers = this.#headers({}, await this.options.authorization?.token());
    // A server may refuse to end sessions.
    await fetch(this.url, { method: 'DELETE', redirect: 'error', signal, headers }).catch(() => undefined);
  }

  kill(): void {
    this.#ending.abort();
  }

  async #deliver(message: object, headers: Readonly<Record<string, string>>): Promise<void> {
    const { id, method } = objectOf(message);
    const stop = new AbortController();
    if (method !== undefined) this.#open.set(id, stop);
    const signal = AbortSignal.any([stop.signal, this.#ending.signal]);
    try {
      await this.#post(message, headers, signal);
    } catch (error) {
      if (signal.aborted) return;
      const why = `${this.url.href} does not answer: ${messageOf(causeOf(error))}`;
      this.#fail(error instanceof ServerError ? error : new ServerError(why));
    } finally {
      this.#open.delete(id);
    }
  }

  async #post(
    message: object,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { id, method } = objectOf(message);
    const response = await this.#fetch(message, headers, signal);
    this.#session = response.headers.get('mcp-session-id') ?? this.#session;
    const type = response.headers.get('content-type') ?? 'no type';
    let isAnswered = false;
    const take = (message: unknown): void => {
      const { id: answered, method } = objectOf(message);
      isAnswered ||= answered === id && method === undefined;
      this.#take(message);
    };
    const chunks: AsyncIterable<Uint8Array> = Readable.fromWeb(
      (response.body ?? new Blob([]).stream()) as never,
    );
    if (type.startsWith('text/event-stream')) {
      for await (const line of linesOf(chunks))
        if (line.startsWith('data:')) take(parseMessage(line.slice('data:'.length)));
      const why = 'the stream of the server ended without an answer';
      if (id !== undefined && method !== undefined && !isAnswered) take({ id, error: { message: why } });
      return;
    }
    const decoder = new TextDecoder();
    const parts: string[] = [];
    let left = MOST_CHARACTERS;
    for await (const chunk of chunks) {
      left -= chunk.byteLength;
      if (left < 0) throw new ServerError(`${this.url.href} answers with more than ${MOST_CHARACTERS} bytes`);
      parts.push(decoder.decode(chunk, { stream: true }));
    }
    const text = parts.join('');
    const answer = parseMessage(text);
    if (isObject(answer) && 'jsonrpc' in answer) take(answer);
    if (id === undefined || method === undefined || isAnswered) return;
    const status = `HTTP ${response.status} ${response.statusText}`.trim();
    const said = objectOf(objectOf(answer)['error'])['message'];
    const what =
      typeof said === 'string'
        ? said
        : response.ok
          ? `${status} with ${type}, which is not an MCP message`
          : status;
    take({ id, error: { code: response.status, message: what } });
  }

  /** Sends a message. If its token is refused, sends it again with another token. */
  async #fetch(
    message: object,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const { authorization } = this.options;
    const body = JSON.stringify(message);
    for (let tries = 1; ; tries += 1) {
      const token = await authorization?.token();
      const response = await fetch(this.url, {
        method: 'POST',
        redirect: 'error',
        signal,
        headers: { ...this.#headers(message, token), ...headers },
        body,
      });
      if (tries > 1 || !(await authorization?.canRetry(response, token))) return response;
      await response.body?.cancel();
    }
  }

  #headers(message: object, token: string | undefined): Record<string, string> {
    const { method, params } = objectOf(message);
    const version = objectOf(objectOf(params)['_meta'])[META.protocolVersion] ?? this.#version;
    return {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...this.options.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(typeof method === 'string' && { 'mcp-method': method, ...nameHeader(method, objectOf(params)) }),
      ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
    };
  }

  #take(message: unknown): void {
    const version = objectOf(objectOf(message)['result'])['protocolVersion'];
    if (typeof version === 'string' && version !== LATEST_VERSION) this.#version = version;
    this.receive(message);
  }
}
