import { ERROR_CODES, ProtocolError } from '../errors/errors.js';
import type { Implementation } from '../protocol/descriptors.js';
import { RawJson, toJson } from '../protocol/json.js';
import { errorResponse, readableId, type RequestId } from '../protocol/protocol.js';
import type { CacheHint } from '../protocol/results.js';
import type { ActiveRequest, Sink } from '../transport/transport.js';
import type { Revision } from './revisions/index.js';

/** The result of an MCP method. Only `ResponseWriter` serialises it. */
export interface MethodResult {
  /** The result: an object, or serialised JSON (`RawJson`). If the result has a `_meta`, `meta` has the same value. */
  readonly result: object;
  /** The `_meta` that the app's author set in the result. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The cache hint: how long clients may cache the result, and whether the cache may be public. */
  readonly cache?: CacheHint | undefined;
  /**
   * The `resultType`: `complete`, `input_required`, or a type that an extension defines.
   * @default 'complete'
   */
  readonly type?: string;
  /**
   * Whether this is a tool's result with `isError: true`. Observers then get the outcome `isError`, unless the call was
   * refused or cancelled, or has exceeded its time limit.
   */
  readonly isError?: boolean;
  /**
   * Called with an error message if this result is too large. Returns the result to send instead. If this function is
   * absent, the client gets an error.
   */
  readonly instead?: (message: string) => MethodResult;
}

/**
 * Returns the result of a failed tool call. It contains the text and `isError: true`, so that the model sees the text.
 */
export function forModel(text: string): MethodResult {
  return { result: { content: [{ type: 'text', text }], isError: true }, isError: true };
}

/** The error for a response that exceeds the maximum size. */
export class TooLargeError extends ProtocolError {
  constructor(
    readonly bytes: number,
    maxBytes: number,
  ) {
    const message = `The result is too large: it has ${bytes} bytes, but the maximum is ${maxBytes}. Request less, for example with a filter, a range or a page`;
    super(ERROR_CODES.internalError, message);
  }
}

/** Serialises the responses of one engine. No other code serialises results. */
export class ResponseWriter {
  /** The members that are added to results, as text, by revision and cache hint. */
  readonly #common = new Map<Revision, Map<CacheHint | undefined, string>>();

  /**
   * @param serverInfo the server's name and version; `undefined` if results do not contain them.
   * @param maxBytes maximum size of one response.
   */
  constructor(
    private readonly serverInfo: Implementation | undefined,
    private readonly maxBytes: number,
  ) {}

  /**
   * Returns the JSON of a response with a result.
   *
   * @throws TooLargeError if the response is too large.
   */
  result(id: RequestId, revision: Revision, given: MethodResult): string {
    const response = this.#response(id, revision, given);
    this.#requireBounded(response);
    return response;
  }

  #requireBounded(text: string): void {
    // A character has three bytes at most.
    if (text.length <= this.maxBytes / 3) return;
    const bytes = new TextEncoder().encode(text).byteLength;
    if (bytes > this.maxBytes) throw new TooLargeError(bytes, this.maxBytes);
  }

  #response(id: RequestId, revision: Revision, given: MethodResult): string {
    const { result } = given;
    if (!(result instanceof RawJson)) {
      const members = { ...result, ...this.#members(revision, given) };
      return JSON.stringify({ jsonrpc: '2.0', id, result: members });
    }
    const added = this.#added(revision, given);
    const members =
      added === '' || result.members === '' ? result.members + added : `${result.members},${added}`;
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}}}`;
  }

  /** Converts a result to an object. Used by code that keeps the result instead of sending it. */
  value({ result, meta }: MethodResult): Record<string, unknown> {
    const value = result instanceof RawJson ? result.value() : result;
    return { ...value, ...(meta ? { _meta: meta } : {}) };
  }

  /**
   * Returns a result as an object, to be sent later inside another result.
   *
   * @throws TooLargeError if the result is too large.
   */
  kept(given: MethodResult): Record<string, unknown> {
    const value = this.value(given);
    this.#requireBounded(JSON.stringify(value));
    return value;
  }

  #added(revision: Revision, given: MethodResult): string {
    const { meta, cache, type } = given;
    if (meta || type !== undefined) return text(this.#members(revision, given));
    const known = this.#common.get(revision) ?? new Map<CacheHint | undefined, string>();
    this.#common.set(revision, known);
    let added = known.get(cache);
    if (added === undefined) {
      added = text(this.#members(revision, given));
      // Results that are already text have the hint of their list, or none.
      known.set(cache, added);
    }
    return added;
  }

  #members(revision: Revision, { meta, cache, type = 'complete' }: MethodResult): object {
    return revision.envelope({ resultType: type, serverInfo: this.serverInfo, cache, meta });
  }
}

/** Sends an error response. @param isRejection whether the request itself is refused; see `Sink.end`. */
export function sendError(
  sink: Sink,
  id: RequestId | null,
  error: ProtocolError,
  isRejection: boolean,
): void {
  sink.end(errorOf(id, error), isRejection ? error : undefined);
}

/** Returns the JSON of an error response. */
export function errorOf(id: RequestId | null, { code, message, data }: ProtocolError): string {
  try {
    return errorResponse(id, { code, message, ...(data === undefined ? {} : { data: toJson(data) }) });
  } catch {
    // `data` that JSON cannot represent is left out, so that the client still gets the error.
    return errorResponse(id, { code, message });
  }
}

/** Returns the members of an object as JSON, without the braces. */
function text(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}

/** Receives one message of a batch; its answer goes to the given sink. */
type Receive = (message: unknown, sink: Sink) => ActiveRequest | undefined;

/**
 * Serves the messages of a batch concurrently and answers with one array (JSON-RPC 2.0 §6). If no message needs an
 * answer, no array is sent.
 *
 * @param maxBytes maximum total size of the answers in the array. The first answer that would exceed this size, and all
 *   later answers, are replaced with errors.
 */
export function receiveBatch(
  messages: readonly unknown[],
  sink: Sink,
  receive: Receive,
  maxBytes: number,
): ActiveRequest | undefined {
  const answers: string[] = [];
  let length = 0;
  const active: ActiveRequest[] = [];
  const served: ActiveRequest[] = [];
  let isRead = false;
  let open = messages.length;
  const closeOne = (): void => {
    open -= 1;
    if (open > 0) return;
    if (answers.length > 0) sink.end(`[${answers.join(',')}]`);
    else sink.abandon?.();
  };
  const batch: ActiveRequest = {
    get done() {
      return open === 0;
    },
    get neededScopes() {
      const needed = served.map(({ neededScopes }) => neededScopes);
      return isRead && !needed.includes(undefined)
        ? [...new Set(needed.flatMap((each) => each ?? []))]
        : undefined;
    },
    cancel: (reason) => active.forEach((request) => request.cancel(reason)),
  };
  sink.serves?.(batch);
  for (const message of messages) {
    let waiting = true;
    const settle = (answer?: string): void => {
      if (!waiting) return;
      waiting = false;
      if (answer !== undefined) {
        length += answer.length;
        answers.push(length <= maxBytes ? answer : tooLong(message, maxBytes));
      }
      closeOne();
    };
    const request = receive(message, {
      serves: (each) => served.push(each),
      send: (text) => sink.send(text),
      end: (text) => settle(text),
      abandon: () => settle(),
    });
    if (request) active.push(request);
    else settle();
  }
  isRead = true;
  return active.length === 0 ? undefined : batch;
}

function tooLong(message: unknown, maxBytes: number): string {
  const text = `The answers of the batch have more than ${maxBytes} bytes: send fewer requests in one batch`;
  return errorResponse(readableId(message), { code: ERROR_CODES.internalError, message: text });
}
