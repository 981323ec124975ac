import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import {
  All,
  Controller,
  Inject,
  Logger as NestLogger,
  Req,
  Res,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import type { App, Logger, Principal } from '@sigil/core';
import { after, isObject } from '@sigil/core/internal';
import { requirePrincipal } from '@sigil/core/transport';
import { type HttpOptions, nodeHandler, type NodeHandler } from '@sigil/http';
import { type Authorization, scopeChallenge } from '@sigil/http/authentication';
import { type HttpRequest, type HttpResponse, keepResponse } from './call.js';
import { warnOfGlobals } from './global-enhancers.js';
import type { SigilModuleExtras, SigilModuleOptions } from './options.js';

/** A request of Express or Fastify. */
type PlatformRequest = HttpRequest & { readonly raw?: IncomingMessage; readonly body?: unknown };
type PlatformResponse = HttpResponse & { hijack?(): void };

/** The MCP endpoint of a Nest application. The endpoint's controller passes requests to it. */
export class Endpoint {
  readonly #app: App;
  readonly #options: SigilModuleOptions;
  readonly #extras: SigilModuleExtras;
  readonly #adapters: HttpAdapterHost;
  readonly #config: ApplicationConfig;
  #handler: NodeHandler | undefined;

  constructor(
    app: App,
    options: SigilModuleOptions,
    extras: SigilModuleExtras,
    adapters: HttpAdapterHost,
    config: ApplicationConfig,
  ) {
    this.#app = app;
    this.#options = options;
    this.#extras = extras;
    this.#adapters = adapters;
    this.#config = config;
  }

  /**
   * Starts to serve the endpoint. The OAuth metadata documents are served at the root of the host, even if the
   * application has a global prefix.
   */
  mount(): void {
    const { http = {}, principal } = this.#options;
    const { path = '/mcp', sse = false } = this.#extras;
    const byRequest = http.authenticate ? undefined : byUser(principal ?? principalOf);
    const options: HttpOptions = { ...http, authorization: http.authorization ?? byRequest, sse };
    const handler = nodeHandler(this.#app, options);
    this.#handler = handler;
    this.#app.endpoint.logTo?.(nestLogger());
    handler.mountedAt(rooted(path));
    this.#checkRequestGuards();
    if (!http.authorization) return;
    const documents = (
      request: IncomingMessage & { readonly originalUrl?: string },
      response: ServerResponse,
      next: () => void,
    ): void => {
      const { originalUrl = request.url ?? '/' } = request;
      if (handler.serves(originalUrl)) handler(request, response);
      else next();
    };
    this.#adapters.httpAdapter.use(documents);
  }

  /**
   * Logs warnings about global enhancers that do not run for calls of MCP handlers. Call this method after the
   * application has registered all global enhancers.
   */
  checkGlobals(): void {
    const { inheritAppConfig, logger = nestLogger() } = this.#options;
    warnOfGlobals(this.#config, inheritAppConfig, rooted(this.#extras.path ?? '/mcp'), logger);
  }

  serve(request: PlatformRequest, response: PlatformResponse): void {
    const { raw = request as PlatformRequest & IncomingMessage, body } = request;
    keepResponse(request, response);
    // This keeps Fastify from answering; Express does not answer by itself.
    response.hijack?.();
    const { raw: rawResponse } = response;
    // After that, Fastify does not send headers from hooks.
    if (rawResponse)
      for (const [name, value] of Object.entries(response.getHeaders()))
        rawResponse.setHeader(name, value ?? '');
    this.#handler?.(raw, rawResponse ?? response, body, request);
  }

  /**
   * Logs warnings about request guards that are not global guards. All global guards are registered at this
   * time.
   */
  #checkRequestGuards(): void {
    const { requestGuards = [], logger = nestLogger() } = this.#options;
    const scoped = this.#config.getGlobalRequestGuards().map(({ metatype }) => metatype);
    for (const cls of requestGuards) {
      const isGlobal =
        this.#config.getGlobalGuards().some((guard) => guard instanceof cls) ||
        scoped.some((type) => type === cls || type?.prototype instanceof cls);
      const fix = `provide it as APP_GUARD, or write decorators: [UseGuards(${cls.name})]`;
      if (!isGlobal)
        logger.warn(`SigilModule.forRoot({ requestGuards }): ${cls.name} is not a global guard; ${fix}`);
    }
  }

  async close(): Promise<void> {
    await this.#handler?.close();
    await this.#app.close();
  }
}

/** Adds a slash to the beginning of a path, unless the path begins with one. */
export function rooted(path: string): string {
  return path.replace(/^\/?/, '/');
}

/** Returns the paths of an MCP server's routes, without the global prefix. */
export function routesOf({ path = '/mcp', sse = false }: SigilModuleExtras): string[] {
  const root = rooted(path);
  return sse ? [root, ...['sse', 'messages'].map((one) => `${root.replace(/\/$/, '')}/${one}`)] : [root];
}

/** Creates the controller whose route is the MCP endpoint. */
export function endpointController({ path = '/mcp', decorators = [], sse = false }: SigilModuleExtras): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class McpController {
    constructor(@Inject(Endpoint) private readonly endpoint: Endpoint) {}

    @All(sse ? ['', 'sse', 'messages'] : '')
    serve(@Req() request: PlatformRequest, @Res() response: PlatformResponse): void {
      this.endpoint.serve(request, response);
    }
  }
  // In the order of decorators above a class: the last one is applied first.
  for (const decorate of [...decorators].reverse()) decorate(McpController);
  return McpController;
}

/**
 * Creates an authorization that serves each request that the application has accepted, as the request's
 * principal, if it has one.
 */
function byUser(principalOf: NonNullable<SigilModuleOptions['principal']>): Authorization {
  return () => ({
    authorize: ({ source }) =>
      after(principalOf(source as HttpRequest), (principal) => ({
        principal: principal && requirePrincipal(principal),
      })),
    insufficientScope: scopeChallenge,
    document: () => undefined,
  });
}

/** Returns the principal for `request.user`. @throws TypeError if the user has no id. */
function principalOf({ user }: HttpRequest): Principal | undefined {
  if (user === undefined || user === null) return undefined;
  // Read from the user itself: a copy would lack the getters of its class.
  const members = isObject(user) ? user : { id: user };
  const name = ['id', 'userId', 'sub'].find(
    (member) => members[member] !== undefined && members[member] !== null,
  );
  const id = name === undefined ? undefined : members[name];
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') {
    const what = name === undefined ? 'has neither id, userId nor sub' : `has ${typeOf(id)} as its ${name}`;
    const fix = 'set its principal with SigilModule.forRoot({ principal: ({ user }) => ({ id: … }) })';
    throw new TypeError(`request.user ${what}: ${fix}`);
  }
  const { scopes = members['scope'] } = members;
  const list = typeof scopes === 'string' ? scopes.split(' ') : scopes;
  return {
    id: String(id),
    claims: claimsOf(members),
    ...(Array.isArray(list) ? { scopes: list } : {}),
  };
}

/** Returns all members of a user that are data. */
function claimsOf(user: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { toJSON } = user;
  const json: unknown = typeof toJSON === 'function' ? toJSON.call(user) : undefined;
  return isObject(json) ? json : { ...user };
}

function typeOf(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? `an object (${value.constructor?.name})`
    : `a ${typeof value}`;
}

/** Creates a logger that writes Sigil's log lines to the logger of the Nest application. */
export function nestLogger(): Logger {
  const nest = new NestLogger('Sigil');
  const lineOf = (details: object | string, message: string | undefined): [text: string, stack?: string] => {
    if (typeof details === 'string') return [details];
    const { err, ...rest }: { readonly err?: unknown } = details;
    const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
    return err === undefined ? [`${message}${more}`] : [`${message}${more}`, inspect(err)];
  };
  return {
    debug: (details, message) => nest.debug(...lineOf(details, message)),
    info: (details, message) => nest.log(...lineOf(details, message)),
    warn: (details, message) => nest.warn(...lineOf(details, message)),
    error: (details, message) => nest.error(...lineOf(details, message)),
  };
}
