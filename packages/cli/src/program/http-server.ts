import split from 'split2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isObject, messageOf } from '@sigil/core/internal';
import { META } from '@sigil/core/transport';
import { ServerError } from '../failures.js';
import { objectOf, parseJson } from '../json.js';
import { AskedServer } from './asked-server.js';

/** A server that is asked over HTTP (Streamable HTTP). */
export class HttpServer extends AskedServer {
  readonly failed: Promise<never>;
  readonly #ending = new AbortController();
  #fail: (error: ServerError) => void = () => undefined;
  #session: string | undefined;
  #version: string | undefined;

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    super();
    this.failed = new Promise((_, reject) => (this.#fail = reject));
    this.failed.catch(() => undefined);
  }

  send(message: object): void {
    this.#post(message).catch((error: unknown) => {
      const { cause } = error as Error;
      this.#fail(new ServerError(`${this.url.href} does not answer: ${messageOf(cause ?? error)}`));
    });
  }

  end(): Promise<void> {
    this.#ending.abort();
    return Promise.resolve();
  }

  async #post(message: object): Promise<void> {
    const { id, method, params } = objectOf(message);
    const version = objectOf(objectOf(params)['_meta'])[META.protocolVersion] ?? this.#version;
    const response = await fetch(this.url, {
      method: 'POST',
      redirect: 'error',
      signal: this.#ending.signal,
      headers: {
        ...this.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(typeof method === 'string' && { 'mcp-method': method }),
        ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
        ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      },
      body: JSON.stringify(message),
    });
    this.#session = response.headers.get('mcp-session-id') ?? this.#session;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && response.body)
      return pipeline(Readable.fromWeb(response.body as never), split(), async (lines) => {
        for await (const line of lines)
          if (String(line).startsWith('data:')) this.#take(parseJson(String(line).slice('data:'.length)));
      });
    const answer = parseJson(await response.text());
    const status = `HTTP ${response.status} ${response.statusText}`;
    if (isObject(answer) && 'jsonrpc' in answer) this.#take(answer);
    else if (id !== undefined) this.#take({ id, error: { code: response.status, message: status } });
  }

  #take(message: unknown): void {
    const version = objectOf(objectOf(message)['result'])['protocolVersion'];
    if (typeof version === 'string') this.#version = version;
    this.receive(message);
  }
}
