import type { App, MaybePromise } from '@sigil/core';
import { type HostHandler, hostHandler, type HostOptions } from '@sigil/http/fetch';

/** The used part of the context that Workers pass with a request. */
export interface ExecutionContext {
  /** Keeps the worker running until a promise has settled. */
  waitUntil(promise: Promise<unknown>): void;
}

/** The `default` export of a worker's module. */
export interface Worker<Env> {
  /** Answers a request. */
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response>;
  /** Lets requests in flight finish, then ends every session, and the app: for tests of your own. */
  readonly close: HostHandler<Env>['close'];
}

/**
 * Serves an app as a worker. It is made once an isolate, when the first request brings the bindings.
 *
 * @param app makes the app from the bindings; called once, and again after it has failed.
 * @param options `path` of the endpoint, `/mcp` by default, and the options of `fetchHandler`; a function creates them
 *   from the bindings.
 * @returns the exports of the module.
 * @throws DefinitionError when an option is wrong that needs no bindings.
 * @example
 * ```ts
 * const shop = worker<Env>(
 *   () => createApp({ name: 'shop', version: '1.0.0', services: [Shop] }),
 *   (env) => ({ allowedHosts: [env.HOST] }),
 * );
 * export default shop;
 * ```
 */
export function worker<Env>(
  app: (env: Env) => MaybePromise<App>,
  options: HostOptions | ((env: Env) => HostOptions) = {},
): Worker<Env> {
  const handler = hostHandler<Env>({ of: 'worker', app, options, path: '/mcp' });
  return {
    fetch(request, env, context) {
      const answering = handler(request, env).then((response) => untilRead(response, context, handler));
      // The first request makes the app for all of them, a call that is cancelled unwinds, and an audit is written: without this, all end
      // with the answer.
      const after = () => Promise.all([handler.written(), request.signal.aborted && unwinding()]);
      context.waitUntil(answering.catch(() => undefined).then(after));
      return answering;
    },
    close: (graceMs) => handler.close(graceMs),
  };
}

/** How long a call may take to end when its client is gone, in milliseconds. */
const UNWIND_MS = 5_000;

const unwinding = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, UNWIND_MS));

/** Keeps the worker running while a stream is read, and after its client has gone. */
function untilRead(
  response: Response,
  context: ExecutionContext,
  { written }: Pick<HostHandler<never>, 'written'>,
): Response {
  if (!response.body || response.headers.get('content-type') !== 'text/event-stream') return response;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const cancelled = { wait: undefined as Promise<unknown> | undefined };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel(reason) {
        cancelled.wait = unwinding();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  context.waitUntil(
    reader.closed
      .catch(() => undefined)
      .then(() => cancelled.wait)
      .then(written),
  );
  return new Response(body, response);
}
