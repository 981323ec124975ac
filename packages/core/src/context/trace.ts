import { isObject } from '../protocol/json.js';
import type { RequestInfo } from '../protocol/principal.js';

/**
 * The trace of a call.
 *
 * @see https://www.w3.org/TR/trace-context/
 */
export interface Trace {
  /** `00-<trace id>-<span id>-<flags>`, in hexadecimal digits. */
  readonly traceparent: string;
  readonly traceId: string;
  /** The id of the caller's span, in hexadecimal digits. */
  readonly spanId: string;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/**
 * The format of `traceparent`. Version 00 has four fields and 55 characters; later versions may append more.
 */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-((?!0{32})[\da-f]{32})-((?!0{16})[\da-f]{16})-[\da-f]{2}(?:-[\x21-\x7e]*)?$/;
/** Maximum length of `tracestate` and `baggage`. Longer values are dropped, as the recommendation permits. */
const MAX_LENGTH = 8192;

/** Reads a trace from `_meta` or HTTP headers. @returns the trace; `undefined` if there is no valid `traceparent`. */
export function readTrace(carrier: Readonly<Record<string, unknown>>): Trace | undefined {
  const { traceparent, tracestate, baggage } = carrier;
  if (typeof traceparent !== 'string' || traceparent.length > 512) return undefined;
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value.length <= MAX_LENGTH ? value : undefined;
  return { traceparent, traceId, spanId, tracestate: text(tracestate), baggage: text(baggage) };
}

/** Returns the trace of a request: from its `_meta`, or else from its HTTP headers. */
export function traceOf(
  params: Readonly<Record<string, unknown>>,
  { headers }: RequestInfo,
): Trace | undefined {
  const meta = params['_meta'];
  return (isObject(meta) ? readTrace(meta) : undefined) ?? (headers && readTrace(headers));
}

/** A request id that is accepted. Others are ignored, because they could be long, or break a log line. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Reads the id that the client or a proxy has chosen for a request.
 *
 * @param headers the headers of the request, with names in lower case.
 * @returns the header `X-Request-Id`; `undefined` if it is absent, longer than 128 characters, or not visible ASCII.
 * @example
 * ```ts
 * const id = givenId(request.headers) ?? crypto.randomUUID();
 * ```
 */
export function givenId(headers: RequestInfo['headers']): string | undefined {
  const given = headers?.['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : undefined;
}
