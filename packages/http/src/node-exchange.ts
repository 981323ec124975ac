import type { IncomingMessage, ServerResponse } from 'node:http';
import { corsHeaders } from './cors.js';
import type { BodyStream, HttpExchange, ResponseHeaders } from './http-exchange.js';

/** An exchange of `node:http`, written straight to its response. */
export class NodeExchange implements HttpExchange {
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {}

  get method(): string {
    return this.request.method ?? 'GET';
  }

  get headers(): Readonly<Record<string, string | readonly string[] | undefined>> {
    return this.request.headers;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  readBody(maxBytes: number, done: (body: string | undefined) => void): void {
    const { request } = this;
    // A framework around us may have parsed the body already.
    const parsed = (request as { body?: unknown }).body;
    if (parsed !== undefined) return done(typeof parsed === 'string' ? parsed : JSON.stringify(parsed));
    if (Number(request.headers['content-length']) > maxBytes) return done(undefined);
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', onData).off('end', onEnd);
      done(undefined);
    };
    const onEnd = (): void => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      done(body.toString('utf8'));
    };
    request.on('data', onData).on('end', onEnd);
  }

  respond(status: number, headers: ResponseHeaders, body?: string): void {
    const { request, response } = this;
    if (response.headersSent || response.destroyed) return;
    // A flat list is what node:http writes fastest.
    const lines: (string | number)[] = [];
    for (const name in headers) lines.push(name, headers[name] as string);
    const { origin } = request.headers;
    if (origin !== undefined) lines.push(...Object.entries(corsHeaders(origin)).flat());
    if (body !== undefined) lines.push('Content-Length', Buffer.byteLength(body));
    // Whatever of the body has not been read is not worth reading.
    if (status >= 400 && !request.complete) lines.push('Connection', 'close');
    response.writeHead(status, lines as string[]);
    response.end(body);
  }

  stream(headers: ResponseHeaders): BodyStream {
    const { request, response } = this;
    response.writeHead(200, { ...headers, ...corsHeaders(request.headers.origin) });
    response.flushHeaders();
    return {
      write: (text) => void response.write(text),
      end: () => void response.end(),
    };
  }

  onGone(listener: () => void): void {
    const { response } = this;
    response.on('close', () => {
      if (!response.writableFinished) listener();
    });
  }
}
