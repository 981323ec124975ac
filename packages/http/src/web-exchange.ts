import { corsHeaders } from './cors.js';
import type { BodyStream, HttpExchange, ResponseHeaders } from './http-exchange.js';

/** An exchange of the web's `Request` and `Response`, for Workers, Deno, Bun and tests. */
export class WebExchange implements HttpExchange {
  /** Resolves with the response as soon as it begins. */
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #gone: (() => void)[] = [];
  #resolve: (response: Response) => void = () => undefined;

  constructor(request: Request) {
    this.#request = request;
    this.response = new Promise((resolve) => (this.#resolve = resolve));
    request.signal.addEventListener('abort', () => this.#goAway(), { once: true });
  }

  get method(): string {
    return this.#request.method;
  }

  get headers(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#request.headers);
  }

  header(name: string): string | undefined {
    // A Request has no Host header of its own on some platforms; its URL says the same.
    const fallback = name === 'host' ? new URL(this.#request.url).host : undefined;
    return this.#request.headers.get(name) ?? fallback;
  }

  readBody(maxBytes: number, done: (body: string | undefined) => void): void {
    readText(this.#request, maxBytes).then(done, () => done(''));
  }

  respond(status: number, headers: ResponseHeaders, body?: string): void {
    this.#resolve(new Response(body ?? null, { status, headers: this.#withCors(headers) }));
  }

  stream(headers: ResponseHeaders): BodyStream {
    const encoder = new TextEncoder();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
      highWaterMark: 1024,
    });
    const writer = writable.getWriter();
    // A reader that has gone away fails the writes: that is how a disconnect shows here.
    writer.closed.catch(() => this.#goAway());
    this.#resolve(new Response(readable, { status: 200, headers: this.#withCors(headers) }));
    return {
      write: (text) => void writer.write(encoder.encode(text)).catch(() => undefined),
      end: () => void writer.close().catch(() => undefined),
    };
  }

  onGone(listener: () => void): void {
    this.#gone.push(listener);
  }

  #goAway(): void {
    for (const listener of this.#gone.splice(0)) listener();
  }

  #withCors(headers: ResponseHeaders): Record<string, string> {
    return { ...headers, ...corsHeaders(this.#request.headers.get('origin') ?? undefined) };
  }
}

async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length')) > maxBytes) return undefined;
  const decoder = new TextDecoder();
  let length = 0;
  let text = '';
  const body = request.body as ReadableStream<Uint8Array> | null;
  const reader = body?.getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    length += chunk.value.byteLength;
    if (length > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
  return text + decoder.decode();
}
