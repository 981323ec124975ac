import { type App, ERROR_CODES, type MaybePromise } from '@sigil/core';
import { announceLaterApp } from '@sigil/core/internal';
import { type Endpoint, errorResponse } from '@sigil/core/transport';
import { endpointOf, endpointPath, mountOptions } from './check-options.js';
import { createHandler, type HttpHandler } from './handler.js';
import type { HttpOptions } from './options.js';
import { WebExchange } from './web-exchange.js';

/** The members that every handler of a mounted app has. */
export interface AppMount {
  /**
   * Whether a request is for the app. Use it if a framework passes all requests to the handler. A request is for the
   * app if its path is that of the endpoint, with or without a final slash. Requests for public documents of the
   * authorization, such as protected resource metadata (RFC 9728), are for the app too. The paths of these documents
   * begin at the root.
   *
   * @param target the path and query of the request, from the root of the server.
   * @param path the path of the endpoint. Without it, the result is `true` only for public documents of the
   *   authorization.
   * @param base the path prefix that the framework has already matched, if any. The endpoint is then at `base` followed
   *   by `path`. If `base` already ends with `path`, the endpoint is at `base`.
   */
  serves(target: string, path?: string, base?: string): boolean;
  /**
   * Compares the path of the endpoint with the `resource` of the authorization, and logs a warning if they do not
   * match. A path with parameters is ignored.
   */
  mountedAt(path: string): void;
  /**
   * Lets requests in flight finish, then ends every session.
   *
   * @param graceMs how long to wait for the requests, in milliseconds; 5,000 by default. Requests that still run after
   *   this time are cancelled.
   */
  close(graceMs?: number): Promise<void>;
}

/** Answers a `Request` with a `Response`, like the fetch handlers of web platforms. */
export interface FetchHandler extends AppMount {
  (request: Request): Promise<Response>;
  /**
   * Handles a request that a framework represents by its own object.
   *
   * @param source the request object of the framework: `authenticate` and guards get it as `source`, in place of the
   *   `Request`.
   */
  handle(request: Request, source: unknown): Promise<Response>;
}

/** The default time for requests in flight when a handler closes. */
const DEFAULT_GRACE_MS = 5_000;

/**
 * Creates a handler that answers a web `Request` with a `Response`: `export default { fetch: fetchHandler(app) }`. The
 * handler does not need Node. Without the option `logger` of `createApp`, warnings and errors go to the console.
 *
 * @param app the result of `createApp`.
 * @param options the options of the handler. None of them sets an address or handles signals: the surrounding server
 *   does this.
 * @returns the handler. Its method `close` lets requests finish, and ends the sessions.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * const handler = fetchHandler(app, { allowedHosts: ['mcp.example.com'] });
 * const response = await handler(request);
 * ```
 */
export function fetchHandler(app: App, options: HttpOptions = {}): FetchHandler {
  return mountEndpoint(endpointOf('fetchHandler', app), options);
}

function mountEndpoint(endpoint: Endpoint, options: HttpOptions): FetchHandler {
  const handler = createHandler(endpoint, mountOptions('fetchHandler', options));
  const handle = (request: Request, source?: unknown): Promise<Response> => {
    const exchange = new WebExchange(request, handler.output, source);
    handler.handle(exchange);
    return exchange.response;
  };
  // Servers pass further values with a request, such as an environment; these are not the source.
  return Object.assign((request: Request) => handle(request), { handle, ...mountOf(handler) });
}

/** Returns the methods that `AppMount` adds to the function of a handler. */
export function mountOf(handler: HttpHandler): AppMount {
  return {
    serves: (target, path, base = '') =>
      handler.serves(target, path && behind(base.replace(/\/$/, ''), path)),
    mountedAt: (path) => handler.mountedAt(path),
    close: (graceMs = DEFAULT_GRACE_MS) => handler.drain(graceMs),
  };
}

/**
 * Returns the rest of a path after a matched prefix. In `use('/mcp', …)`, the prefix may be the whole path.
 */
function behind(base: string, path: string): string {
  return base.endsWith(path) || (base && path === '/') ? base : base + path;
}

/** Options for an app that serves all requests of a serverless function or of a Cloudflare Worker. */
export interface HostOptions extends HttpOptions {
  /**
   * Path of the MCP endpoint, from the root of the URL. Requests for other paths are answered with 404.
   *
   * @default undefined: requests at every path are served
   */
  readonly path?: string;
}

/**
 * How `hostHandler` creates an app at the first request, and the options for serving it. Both can depend on the values
 * that the platform passes with requests.
 */
export interface Hosted<P> {
  /** The name of the function with these options, for error messages. */
  readonly of: string;
  /** Creates the app. @param platform the values that the platform passed with the first request. */
  readonly app: (platform: P) => MaybePromise<App>;
  /**
   * The options, or a function that returns them. An object is validated immediately; the result of a function is
   * validated at the first request.
   */
  readonly options: HostOptions | ((platform: P) => HostOptions);
  /**
   * The default path of the endpoint, which `options.path` overrides.
   *
   * @default undefined: requests at every path are served
   */
  readonly path?: string;
  /**
   * Set this option if handlers cannot send requests to clients that use sessions. It contains the reason. A handler
   * that tries to send such a request immediately gets an error with this text.
   *
   * @default undefined: handlers can send requests
   */
  readonly unaskable?: string;
}

/**
 * Handles web requests. With each request, it gets the values that the platform passes, such as environment variables.
 */
export interface HostHandler<P> {
  (request: Request, platform: P): Promise<Response>;
  /**
   * Lets requests in flight finish, then ends every session and closes the app.
   *
   * @param graceMs how long to wait for the requests, in milliseconds; 5,000 by default. Requests that still run after
   *   this time are cancelled.
   */
  close(graceMs?: number): Promise<void>;
  /**
   * Waits until all finished calls are written to the audit log, but at most five seconds. Use this method on platforms
   * that can stop a program as soon as a request is answered.
   */
  written(): Promise<void>;
}

/**
 * Creates a handler that creates its app at the first request and then reuses the app. Use it on platforms where a
 * module cannot wait for `createApp`, or that pass settings only with requests. If the creation fails, the handler
 * rejects with that error, and the next request tries again.
 *
 * @returns the handler, which an adapter for a platform calls with each request.
 * @throws DefinitionError if `options` is an object with a wrong option.
 * @example
 * ```ts
 * const handler = hostHandler<Env>({
 *   of: 'shopHandler',
 *   app: () => createApp({ name: 'shop', version: '1.0.0', services: [Shop] }),
 *   options: (env) => ({ allowedHosts: [env.HOST] }),
 *   path: '/mcp',
 * });
 * export const shop = { fetch: (request: Request, env: Env) => handler(request, env) };
 * ```
 */
export function hostHandler<P>({ of, app, options, path: usual, unaskable }: Hosted<P>): HostHandler<P> {
  if (typeof app !== 'function')
    throw new TypeError('Pass a function that creates the app: () => createApp({ … })');
  const checked = ({ path = usual, ...rest }: HostOptions) => {
    if (path !== undefined) endpointPath(of, path);
    mountOptions(of, rest);
    return { path, rest };
  };
  const known = typeof options === 'function' ? undefined : checked(options);
  announceLaterApp(({ env }) => app(env as P));
  const made: { host?: Promise<Host> } = {};
  const make = async (platform: P): Promise<Host> => {
    const { path, rest } = known ?? checked((options as (platform: P) => HostOptions)(platform));
    const served = await app(platform);
    const endpoint = endpointOf('fetchHandler', served);
    const handler = mountEndpoint(unaskable === undefined ? endpoint : silent(endpoint, unaskable), rest);
    if (path !== undefined) handler.mountedAt(path);
    return { app: served, path, handler, written: endpoint.written };
  };
  const serve = async (request: Request, platform: P): Promise<Response> => {
    const host = (made.host ??= make(platform));
    const { handler, path } = await host.catch((error: unknown) => {
      if (made.host === host) delete made.host;
      throw error;
    });
    if (path === undefined) return handler(request);
    const { pathname, search } = new URL(request.url);
    return handler.serves(pathname + search, path) ? handler(request) : notFound(path);
  };
  const close = async (graceMs?: number): Promise<void> => {
    const host = await made.host;
    await host?.handler.close(graceMs);
    await host?.app.close();
  };
  const written = async (): Promise<void> => {
    const host = await made.host?.catch(() => undefined);
    await host?.written?.();
  };
  return Object.assign(serve, { close, written });
}

/** Returns an endpoint whose handlers cannot send requests to the clients of sessions. */
function silent(endpoint: Endpoint, unaskable: string): Endpoint {
  return {
    logger: endpoint.logger,
    backend: endpoint.backend,
    written: endpoint.written,
    admitAddress: endpoint.admitAddress,
    // Absent unless rejections are tracked.
    get track() {
      return endpoint.track;
    },
    logTo: (logger) => endpoint.logTo?.(logger),
    refused: (event) => endpoint.refused?.(event),
    addGauge: (gauge) => endpoint.addGauge?.(gauge) ?? (() => undefined),
    observe: (observer) => endpoint.observe?.(observer) ?? (() => undefined),
    closes: () => endpoint.closes?.(),
    connect: (sink, options) => endpoint.connect(sink, { ...options, unaskable }),
  } satisfies Required<Endpoint>;
}

/** An app with its handler. */
interface Host {
  readonly app: App;
  readonly path: string | undefined;
  readonly handler: FetchHandler;
  readonly written: Endpoint['written'];
}

function notFound(path: string): Response {
  const message = `Nothing is served here; the MCP endpoint is ${path}`;
  const body = errorResponse(null, { code: ERROR_CODES.invalidRequest, message });
  return new Response(body, { status: 404, headers: { 'Content-Type': 'application/json' } });
}
