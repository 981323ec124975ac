import { pipeline } from 'node:stream/promises';
import type { App, MaybePromise } from '@sigil/core';
import { within } from '@sigil/core/internal';
import { answerInTime, hostHandler, type HostOptions } from '@sigil/http/fetch';
import type { APIGatewayProxyEventV2, Context, StreamifyHandler } from 'aws-lambda';

/** The response of a Lambda function that returns its whole response at once. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** How long before the function's time limit answers end, in milliseconds, so that the finished part is sent. */
const END_EARLY_MS = 1_000;

/** Why a function that returns its whole response at once cannot send requests to the clients of sessions. */
const UNASKABLE =
  'The server cannot send requests to this client: the Lambda function returns its whole response at once, so a request would arrive too late. ' +
  'Serve the app with lambdaStreamHandler, or only serve clients of 2026-07-28';

/**
 * Serves an app as a Lambda function that returns each response as a whole. The function can be behind a Function URL,
 * or behind an HTTP API of API Gateway. The messages of a stream are sent together when the stream ends, or one second
 * before the timeout of the Lambda function. GET requests that open a stream are refused; the specification allows
 * this. In revisions with sessions, requests to the client, such as elicitations, fail immediately, because they could
 * not reach the client before the response. In revision 2026-07-28, which has no sessions, tools and other handlers can
 * request input from clients.
 *
 * @param app a function that creates the app. It is called at the first request, and again only after a failure.
 * @param options `path` of the endpoint, `/mcp` by default, and the options of `fetchHandler`.
 * @returns the handler of the Lambda function.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * export const handler = lambdaHandler(() => createApp({ name: 'shop', version: '1.0.0', services: [Shop] }), { allowedHosts: ['shop.example.com'] });
 * ```
 */
export function lambdaHandler(
  app: () => MaybePromise<App>,
  options: HostOptions = {},
): (event: APIGatewayProxyEventV2, context: Context) => Promise<LambdaResult> {
  const { answer, written } = answerer('lambdaHandler', app, options, UNASKABLE);
  return async (event, context) => {
    const response = await answer(event, context);
    const result = { ...headOf(response), body: await response.text() };
    // The instance is frozen once the function has returned its result.
    await written(context);
    return result;
  };
}

/**
 * Serves an app as a Lambda function that streams its answers. The function must be behind a Function URL with the
 * invoke mode `RESPONSE_STREAM`. Streams end one second before the function's timeout. GET requests that open a stream
 * are refused; the specification allows this.
 *
 * @param app a function that creates the app. It is called at the first request, and again only after a failure.
 * @param options `path` of the endpoint, `/mcp` by default, and the options of `fetchHandler`.
 * @returns the handler of the Lambda function.
 * @throws DefinitionError when an option is wrong.
 * @throws Error when the program does not run in the runtime of AWS Lambda.
 * @example
 * ```ts
 * export const handler = lambdaStreamHandler(() => createApp({ name: 'shop', version: '1.0.0', services: [Shop] }), { allowedHosts: ['shop.example.com'] });
 * ```
 */
export function lambdaStreamHandler(
  app: () => MaybePromise<App>,
  options: HostOptions = {},
): StreamifyHandler<APIGatewayProxyEventV2, void> {
  if (!('awslambda' in globalThis))
    throw new Error('Only the runtime of AWS Lambda can stream responses: elsewhere, use lambdaHandler');
  const { answer, written } = answerer('lambdaStreamHandler', app, options);
  return awslambda.streamifyResponse<APIGatewayProxyEventV2>(async (event, stream, context) => {
    const response = await answer(event, context);
    const body = awslambda.HttpResponseStream.from(stream, headOf(response));
    // Without a first piece, the head of an answer that has no body is not sent.
    if (!response.body) body.write('');
    await pipeline(response.body ?? [], body);
    await written(context);
  });
}

/**
 * Creates a function that responds to events with web responses, whose bodies end before the function's time
 * limit.
 */
function answerer(of: string, app: () => MaybePromise<App>, options: HostOptions, unaskable?: string) {
  const handler = hostHandler<undefined>({
    of,
    app,
    options,
    path: '/mcp',
    ...(unaskable === undefined ? {} : { unaskable }),
  });
  const answer = (event: APIGatewayProxyEventV2, context: Context): Promise<Response> | Response => {
    const over = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - END_EARLY_MS));
    const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    const request = requestOf(event, body, over);
    // A client that only listens would occupy an instance, which costs money, for as long as it listens.
    if (request.method === 'GET' && request.headers.get('accept')?.includes('text/event-stream'))
      return new Response(null, { status: 405, headers: { Allow: 'POST, DELETE, OPTIONS' } });
    return answerInTime(handler(request, undefined), { over, body: () => body.toString() });
  };
  const written = (context: Context): Promise<void> =>
    within(Math.max(0, context.getRemainingTimeInMillis() - END_EARLY_MS), handler.written());
  return { answer, written };
}

/** Returns the status and headers of a response, in the form for Lambda. */
function headOf({ status, headers }: Response): Omit<LambdaResult, 'body'> {
  return { statusCode: status, headers: Object.fromEntries(headers) };
}

/**
 * Converts an event to a web `Request`.
 *
 * @param over aborts the request.
 * @throws TypeError if the event has another format.
 */
function requestOf(event: APIGatewayProxyEventV2, body: Uint8Array<ArrayBuffer>, over: AbortSignal): Request {
  const method = event.requestContext?.http?.method;
  if (method === undefined)
    throw new TypeError(
      'This is not an HTTP event of payload format 2.0: use a Function URL, or an HTTP API',
    );
  const headers = new Headers(event.headers as Record<string, string>);
  if (event.cookies) headers.set('cookie', event.cookies.join('; '));
  const url = new URL(`https://${headers.get('host') ?? 'localhost'}${event.rawPath}`);
  url.search = event.rawQueryString;
  const isEmpty = method === 'GET' || method === 'HEAD' || body.length === 0;
  return new Request(url, { method, headers, body: isEmpty ? null : body, signal: over });
}
