import type { App, MaybePromise } from '@sigil/core';
import { type HostHandler, hostHandler, type HostOptions } from '@sigil/http/fetch';

/** The part of a Cloudflare Worker's execution context that `@sigil/workers` uses. */
export interface ExecutionContext {
  /** Keeps the worker running until a promise has settled. */
  waitUntil(promise: Promise<unknown>): void;
}

/** The `default` export of a Worker's module. */
export interface Worker<Env> {
  /** Answers a request. */
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response>;
  /** Waits for requests in flight to finish, then ends every session and closes the app. Only tests need it. */
  readonly close: HostHandler<Env>['close'];
}

/**
 * Serves an app as a Cloudflare Worker. The app is created once per isolate, at the first request, because the bindings
 * only arrive with requests.
 *
 * @param app a function that receives the bindings, and creates the app. It is called at the first request, and again
 *   only after a failure.
 * @param options `path` of the endpoint, `/mcp` by default, and the options of `fetchHandler`; or a function that
 *   receives the bindings and returns these options.
 * @returns the `default` export for the module of the Worker.
 * @throws DefinitionError when an option is wrong. If `options` is a function, its options are checked at the first
 *   request.
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
      // Without this, everything stops when the answer is sent: the creation of the app for all requests, the end of a
      // cancelled call, and the writing of the audit.
      const after = () => Promise.all([handler.written(), request.signal.aborted && unwinding()]);
      context.waitUntil(answering.catch(() => undefined).then(after));
      return answering;
    },
    close: (graceMs) => handler.close(graceMs),
  };
}

/** How long a call may take to end after its client is gone, in milliseconds. */
const UNWIND_MS = 5_000;

const unwinding = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, UNWIND_MS));

/** Keeps the worker running while a stream is read, and for a while after its client has disconnected. */
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
