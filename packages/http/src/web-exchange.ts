import { type Deadline, givenId } from '@sigil/core/internal';
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
import { quotaKeyOf } from './requests.js';

/** An exchange that uses the web standards `Request` and `Response`, for Cloudflare Workers, Deno, Bun and tests. */
export class WebExchange implements HttpExchange {
  /** Resolves with the response as soon as its status and headers are known. */
  readonly response: Promise<Response>;
  /** Always `undefined`, because a `Request` has no network address. */
  readonly address = undefined;
  corsOrigin: string | undefined;
  exposeHeaders: HttpExchange['exposeHeaders'];
  trustedProxies: readonly string[] | undefined;
  principal: Principal | undefined;
  bodyBytes = 0;
  endpoint: HttpExchange['endpoint'];
  #id: string | undefined;
  readonly #request: Request;
  #headers: Readonly<Record<string, string>> | undefined;
  /** Listeners for the client's disconnect; `undefined` once the client has gone. */
  #gone: (() => void)[] | undefined = [];
  #resolve: (response: Response) => void = () => undefined;

  /** @param source the request object of the framework. */
  constructor(
    request: Request,
    private readonly output: OutputBudget,
    readonly source: unknown = request,
  ) {
    this.#request = request;
    this.response = new Promise((resolve) => (this.#resolve = resolve));
    if (request.signal.aborted) this.#gone = undefined;
    else request.signal.addEventListener('abort', () => this.#goAway(), { once: true });
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    const { pathname, search } = new URL(this.#request.url);
    return pathname + search;
  }

  get repeated(): 'Host' | undefined {
    // Headers of the same name are joined with commas; no token contains a comma.
    return this.#request.headers.get('host')?.includes(',') === true ? 'Host' : undefined;
  }

  get headers(): Readonly<Record<string, string>> {
    return (this.#headers ??= Object.fromEntries(this.#request.headers));
  }

  get quotaKey(): string | undefined {
    return quotaKeyOf(this);
  }

  header(name: string): string | undefined {
    // On some platforms a Request has no Host header; its URL has the same host.
    const fallback = name === 'host' ? new URL(this.#request.url).host : undefined;
    return this.#request.headers.get(name) ?? fallback;
  }

  readBody(limits: BodyLimits, done: (body: string | undefined, problem?: BodyProblem) => void): void {
    const { bodyUsed, body } = this.#request;
    if (bodyUsed || body?.locked) return done(undefined, 'read before');
    readBytes(this.#request, limits, this.quotaKey).then(
      (bytes) => {
        if (typeof bytes === 'string') return done(undefined, bytes);
        this.bodyBytes = bytes.byteLength;
        const text = decode(bytes);
        if (text !== undefined) done(text);
        else done(undefined, 'not UTF-8');
      },
      // If the body breaks off, the client is gone.
      () => done(''),
    );
  }

  respond(status: number, headers: ResponseHeaders, body?: string): void {
    // A length in characters is enough to find small answers.
    const long = body !== undefined && body.length > FREE_OUTPUT_BYTES;
    const content = long ? this.#inPieces(new TextEncoder().encode(body)) : (body ?? null);
    if (content === undefined) return this.output.refuse(this);
    this.#resolve(new Response(content, { status, headers: this.#withOwn(headers) }));
  }

  stream(headers: ResponseHeaders): BodyStream {
    const { output } = this;
    const { maxBufferedBytes } = output;
    const waiting = new WaitingOutput();
    const body: { controller?: ReadableStreamDefaultController<Uint8Array> } = {};
    let unread: UnreadBudget | undefined;
    let stalls: Deadline | undefined;
    let isAsked = false;
    // No more than one piece is ever queued in the stream itself.
    const queued = (): number => waiting.length - (body.controller?.desiredSize ?? 0);
    const over = (): void => {
      delete body.controller;
      waiting.drop();
      unread?.free();
      if (stalls) output.stalls.delete(stalls);
    };
    // Abort listeners may end the stream; ending a closed stream throws.
    const goAway = (): void => {
      over();
      this.#goAway();
    };
    const cutOff = (limit: keyof OutputLimits): void => {
      output.tellCutOff(this, limit);
      body.controller?.error(new Error('the client does not read'));
      goAway();
    };
    const close = (): void => {
      for (let piece = waiting.next(); piece; piece = waiting.next()) body.controller?.enqueue(piece);
      body.controller?.close();
      over();
    };
    /** Waits until everything is read: a closed stream does not report when. */
    const waitForReader = (): void => {
      if (stalls) output.stalls.delete(stalls);
      stalls = output.stalls.add(() => cutOff('requestTimeoutMs'));
    };
    const give = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const piece = waiting.next();
      isAsked = piece === undefined;
      if (piece) controller.enqueue(piece);
    };
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (body.controller = controller),
        pull: (controller) => {
          give(controller);
          if (!unread) return;
          const left = queued();
          unread.hold(left);
          if (!stalls) return;
          if (left > 0) waitForReader();
          else close();
        },
        cancel: goAway,
      },
      // Counts in bytes; not every platform has ByteLengthQueuingStrategy.
      { highWaterMark: 0, size: ({ byteLength }) => byteLength },
    );
    this.#resolve(new Response(stream, { status: 200, headers: this.#withOwn(headers) }));
    this.onGone(over);
    return {
      write: (text) => {
        // The limit applies to bytes that were already unread: one long message may exceed it.
        if (queued() > maxBufferedBytes) return cutOff('maxBufferedBytes');
        if (!body.controller) return;
        waiting.add(text);
        if (isAsked) give(body.controller);
        const length = queued();
        if (length > FREE_OUTPUT_BYTES && !(unread ??= new UnreadBudget(output, this)).hold(length))
          cutOff('maxTotalBufferedBytes');
      },
      end: () => {
        if (queued() > FREE_OUTPUT_BYTES) waitForReader();
        else close();
      },
    };
  }

  get gone(): boolean {
    return this.#request.signal.aborted;
  }

  onGone(listener: () => void): void {
    if (this.#gone) this.#gone.push(listener);
    else listener();
  }

  /**
   * Returns a stream that sends a long body in chunks, as the client reads it.
   *
   * @returns `undefined` if there is no room for the body.
   */
  #inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> | undefined {
    const { output } = this;
    const { stalls } = output;
    const unread = new UnreadBudget(output, this);
    if (!unread.hold(bytes.byteLength)) return undefined;
    let rest = bytes;
    let stalled: Deadline | undefined;
    const over = (): void => {
      unread.free();
      if (stalled) stalls.delete(stalled);
    };
    const wait = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if (stalled) stalls.delete(stalled);
      stalled = stalls.add(() => {
        over();
        output.tellCutOff(this, 'requestTimeoutMs');
        controller.error(new Error('the client does not read'));
      });
    };
    this.onGone(over);
    return new ReadableStream<Uint8Array>(
      {
        start: wait,
        pull: (controller) => {
          controller.enqueue(rest.slice(0, FREE_OUTPUT_BYTES));
          rest = rest.subarray(FREE_OUTPUT_BYTES);
          if (rest.byteLength > 0) return wait(controller);
          over();
          controller.close();
        },
        cancel: over,
      },
      { highWaterMark: 0 },
    );
  }

  #goAway(): void {
    const listeners = this.#gone ?? [];
    this.#gone = undefined;
    for (const listener of listeners) listener();
  }

  get id(): string {
    return (this.#id ??= givenId(this.headers) ?? crypto.randomUUID());
  }

  named(id: string): void {
    this.#id = id;
  }

  #withOwn(headers: ResponseHeaders): Record<string, string> {
    const given = this.#request.headers.get('x-request-id') ?? undefined;
    const id = this.#id ?? givenId({ 'x-request-id': given });
    return {
      ...headers,
      ...(id === undefined ? {} : { 'X-Request-Id': id }),
      ...corsHeaders(this.corsOrigin),
    };
  }
}

/**
 * Reads a body. @returns the bytes, or the problem: too many bytes, bytes that arrive too slowly, or no room.
 */
async function readBytes(
  request: Request,
  limits: BodyLimits,
  quotaKey: string | undefined,
): Promise<Uint8Array | BodyProblem> {
  const { maxBodyBytes, times } = limits;
  if (Number(request.headers.get('content-length')) > maxBodyBytes) return 'too long';
  const body = new ArrivingBody(limits, quotaKey);
  const stream = request.body as ReadableStream<Uint8Array> | null;
  const reader = stream?.getReader();
  const state = { late: false };
  // A cancelled stream ends at once, even if its source is slow to stop.
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  const deadline = times.add(() => {
    state.late = true;
    cancel();
  });
  try {
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
      const problem = body.append(chunk.value);
      if (!problem) continue;
      cancel();
      return problem;
    }
    return state.late ? 'too slow' : body.end();
  } finally {
    times.delete(deadline);
    body.drop();
  }
}

/**
 * Decodes UTF-8. @returns `undefined` for invalid bytes. A byte order mark is kept, so that the text is not
 * valid JSON.
 */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
