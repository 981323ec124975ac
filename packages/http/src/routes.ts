import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Logger, MaybePromise } from '@sigil/core';
import { guardListeners, recovered } from '@sigil/core/internal';
import type { Endpoint } from '@sigil/core/transport';

/** A function that answers the requests for one path. It gets a web `Request` and returns a `Response`. */
export type RouteHandler = (request: Request) => MaybePromise<Response>;

/**
 * Answers a request with the handler of its route. Never rejects: an error from the handler, the response body or an
 * abort listener is logged. The client gets 500 if no response has begun.
 */
export async function serveRoute(
  handle: RouteHandler,
  request: IncomingMessage,
  response: ServerResponse,
  { logger, track }: Pick<Endpoint, 'logger' | 'track'>,
): Promise<void> {
  const about = { path: request.url };
  const tracked = <T>(run: () => T): T => (track ? track({ logger, details: () => about }, run) : run());
  const failed = (error: unknown): void =>
    answerFailed(response, logger, 'a route failed', { err: error, ...about });
  const listenerFailed = (error: unknown): void =>
    logger.error({ err: error, ...about }, 'a listener of request.signal failed');
  try {
    const asked = webRequest(request, response);
    guardListeners(asked.signal, (listen) => void tracked(() => recovered(listen, listenerFailed)));
    const { status, headers, body, bodyUsed } = await tracked(() => handle(asked));
    if (bodyUsed) throw new TypeError('The body of the response was read before it could be sent');
    response.writeHead(status, [...headers].flat());
    if (body && request.method !== 'HEAD') await pipeline(watched(body, failed), response);
    else response.end();
  } catch (error) {
    failed(error);
  }
}

/**
 * Yields the body of a response, and reports its errors: once the pipeline has ended, the response looks as
 * if the client had disconnected.
 */
async function* watched(
  body: AsyncIterable<Uint8Array>,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    failed(error);
    throw error;
  }
}

/**
 * Logs an error from a handler that the author of the app wrote. Then answers with 500, or closes the connection if the
 * response has begun.
 */
export function answerFailed(
  response: ServerResponse,
  logger: Logger,
  message: string,
  details: Readonly<Record<string, unknown>>,
): void {
  if (response.destroyed) return;
  logger.error(details, message);
  if (response.headersSent) return void response.destroy();
  response.writeHead(500, { 'Content-Length': 0, Connection: 'close' }).end();
}

/** Converts a request of Node to a web `Request`. Its signal aborts when the client disconnects. */
function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const { method = 'GET', url = '/', headers, headersDistinct } = request;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), {
    method,
    headers: Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
    signal: gone.signal,
    ...(hasBody ? { body: bodyOf(request), duplex: 'half' } : {}),
  });
}

function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array, undefined> = request[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
}
