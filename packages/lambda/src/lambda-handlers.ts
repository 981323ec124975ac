import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { App, MaybePromise } from '@sigil/core';
import { ERROR_CODES, errorResponse, type RequestId } from '@sigil/core/transport';
import { hostHandler, type HostOptions } from '@sigil/http/fetch';
import {
  headOf,
  type LambdaContext,
  type LambdaEvent,
  type LambdaHead,
  type LambdaResult,
  requestOf,
} from './events.js';

/** A function that answers in one piece. */
export type LambdaFunction = (event: LambdaEvent, context: LambdaContext) => Promise<LambdaResult>;

/** A function that writes its answer to a stream. */
export type LambdaStreamFunction = (
  event: LambdaEvent,
  stream: Writable,
  context: LambdaContext,
) => Promise<void>;

/** What the runtime of Lambda for Node puts beside the globals of the platform. */
interface AwsLambda {
  streamifyResponse(handler: LambdaStreamFunction): LambdaStreamFunction;
  readonly HttpResponseStream: { from(stream: Writable, head: LambdaHead): Writable };
}

/** How long before the time limit of the function its answers are ended, in milliseconds: so that what there is of them is sent. */
const END_EARLY_MS = 1_000;

/**
 * Serves an app as a Lambda function that answers in one piece, behind a Function URL or an HTTP API of API Gateway. Streams are sent
 * when they end, or a second before the function's time is over; clients that open one by GET are refused, which they must expect.
 *
 * @param app makes the app, when the first request comes; called once, and again after it has failed.
 * @param options `path` of the endpoint, `/mcp` by default, and those of `fetchHandler`.
 * @returns the handler of the function.
 * @example
 * ```ts
 * export const handler = lambdaHandler(() => createApp({ name: 'shop', version: '1.0.0', services: [Shop] }), { allowedHosts: ['shop.example.com'] });
 * ```
 */
export function lambdaHandler(app: () => MaybePromise<App>, options: HostOptions = {}): LambdaFunction {
  const answer = answerer(app, options);
  return async (event, context) => {
    const { response, pieces } = await answer(event, context);
    const body: Uint8Array[] = [];
    for await (const piece of pieces) body.push(piece);
    return { ...headOf(response), body: Buffer.concat(body).toString() };
  };
}

/**
 * Serves an app as a Lambda function that streams its answers: behind a Function URL with the invoke mode `RESPONSE_STREAM`. Streams end
 * a second before the function's time is over; clients that open one by GET are refused, which they must expect.
 *
 * @param app makes the app, when the first request comes; called once, and again after it has failed.
 * @param options `path` of the endpoint, `/mcp` by default, and those of `fetchHandler`.
 * @returns the handler of the function.
 * @throws Error where the runtime of Lambda is not around it.
 * @example
 * ```ts
 * export const handler = lambdaStreamHandler(() => createApp({ name: 'shop', version: '1.0.0', services: [Shop] }), { allowedHosts: ['shop.example.com'] });
 * ```
 */
export function lambdaStreamHandler(
  app: () => MaybePromise<App>,
  options: HostOptions = {},
): LambdaStreamFunction {
  const { awslambda } = globalThis as { readonly awslambda?: AwsLambda };
  if (!awslambda)
    throw new Error('Answers are streamed by the runtime of AWS Lambda alone: elsewhere, use lambdaHandler');
  const answer = answerer(app, options);
  return awslambda.streamifyResponse(async (event, stream, context) => {
    const { response, pieces } = await answer(event, context);
    const body = awslambda.HttpResponseStream.from(stream, headOf(response));
    // An answer without a body has a head, which is sent with the first piece.
    if (!response.body) body.write('');
    await pipeline(Readable.from(pieces), body);
  });
}

/** Answers events with the web's responses, whose bodies end before the time of the function is over. */
function answerer(app: () => MaybePromise<App>, options: HostOptions) {
  const handler = hostHandler<undefined>({ app, options: { path: '/mcp', ...options } });
  return async (event: LambdaEvent, context: LambdaContext) => {
    if (opensStream(event)) return { response: NO_STREAMS, pieces: [] };
    const over = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - END_EARLY_MS));
    const end = new Promise<undefined>((resolve) => over.addEventListener('abort', () => resolve(undefined)));
    const served = await Promise.race([handler(requestOf(event, over), undefined), end]);
    // A call that is cancelled is not answered, and other eras cancel none.
    const isLate = served === undefined || (over.aborted && !served.body);
    if (!isLate) return { response: served, pieces: piecesOf(served, end, event) };
    const answers = answersAtTheEnd(event);
    const response = new Response(answers, { headers: { 'Content-Type': 'application/json' } });
    return { response, pieces: [Buffer.from(answers)] };
  };
}

/** What the requests of an event are answered with that there was no time for. */
function answersAtTheEnd({ body = '', isBase64Encoded }: LambdaEvent): string {
  const error = { code: ERROR_CODES.internalError, message: 'The time of this function is over' };
  const answer = (id: unknown): string => errorResponse(id as RequestId, error);
  try {
    const sent: unknown = JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
    const ids = [sent].flat().flatMap((one) => (one as { readonly id?: unknown } | null)?.id ?? []);
    return Array.isArray(sent) ? `[${ids.map(answer).join()}]` : answer(ids[0] ?? null);
  } catch {
    return answer(null);
  }
}

async function* piecesOf(
  { body, headers }: Response,
  end: Promise<undefined>,
  event: LambdaEvent,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const piece = await Promise.race([reader.read(), end]);
    if (piece?.done) return;
    if (piece) {
      yield piece.value;
      continue;
    }
    if (headers.get('content-type') === 'text/event-stream')
      yield Buffer.from(`data: ${answersAtTheEnd(event)}\n\n`);
    return;
  }
}

/** To a client that wants to listen without asking anything: an instance would be held, and paid for, for as long as it does. */
const NO_STREAMS = new Response(null, { status: 405, headers: { Allow: 'POST, DELETE, OPTIONS' } });

function opensStream({ requestContext, headers }: LambdaEvent): boolean {
  return requestContext?.http?.method === 'GET' && headers['accept']?.includes('text/event-stream') === true;
}
