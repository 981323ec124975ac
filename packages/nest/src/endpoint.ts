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
import type { HttpAdapterHost } from '@nestjs/core';
import type { App, Logger, Principal } from '@sigil/core';
import { after, requirePrincipal } from '@sigil/core/transport';
import { type Authorization, type HttpOptions, nodeHandler, type NodeHandler } from '@sigil/http';
import { type HttpRequest, keepArguments, requestOf } from './call.js';
import type { RouteOptions, SigilModuleOptions } from './options.js';

/** A request as Express and Fastify have it. */
type PlatformRequest = HttpRequest & { readonly raw?: IncomingMessage; readonly body?: unknown };
type PlatformResponse = ServerResponse & { readonly raw?: ServerResponse; hijack?(): void };

/** The MCP endpoint of an application: what its route hands requests to. */
export class Endpoint {
  readonly #app: App;
  readonly #options: SigilModuleOptions;
  readonly #sse: boolean;
  readonly #adapters: HttpAdapterHost;
  #handler: NodeHandler | undefined;

  /** @param sse whether HTTP+SSE of 2024-11-05 is served beside it. */
  constructor(app: App, options: SigilModuleOptions, sse: boolean, adapters: HttpAdapterHost) {
    this.#app = app;
    this.#options = options;
    this.#sse = sse;
    this.#adapters = adapters;
  }

  /** Begins to serve. Documents about authorization are at the root of the host, whatever prefix the routes have. */
  mount(): void {
    const { http = {}, principal } = this.#options;
    let hasDocument = (_path: string): boolean => false;
    const given = http.authorization;
    const authorization: Authorization | undefined =
      given &&
      ((host) => {
        const authorizer = given(host);
        hasDocument = (path) => authorizer.document(path) !== undefined;
        return authorizer;
      });
    const byRequest = http.authenticate ? undefined : byUser(principal ?? principalOf);
    const options: HttpOptions = { ...http, authorization: authorization ?? byRequest, sse: this.#sse };
    const handler = nodeHandler(this.#app, options);
    this.#handler = handler;
    this.#app.endpoint.logTo?.(logger());
    if (!given) return;
    const documents = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
      const { originalUrl = request.url ?? '/' } = request as { readonly originalUrl?: string };
      if (hasDocument(originalUrl.replace(/\?.*$/s, ''))) handler(request, response);
      else next();
    };
    this.#adapters.httpAdapter.use(documents as never);
  }

  serve(request: PlatformRequest, response: PlatformResponse): void {
    const { raw = request as unknown as IncomingMessage, body } = request;
    keepArguments(raw, request, response);
    // Fastify is not to answer; Express does nothing by itself.
    response.hijack?.();
    this.#handler?.(raw, response.raw ?? response, body);
  }

  async close(): Promise<void> {
    await this.#handler?.close();
    await this.#app.close();
  }
}

/** Makes the controller whose route is the endpoint. */
export function endpointController({ path = '/mcp', decorators = [], sse = false }: RouteOptions): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class McpController {
    constructor(@Inject(Endpoint) private readonly endpoint: Endpoint) {}

    @All(sse ? ['', 'sse', 'messages'] : '')
    serve(@Req() request: PlatformRequest, @Res() response: PlatformResponse): void {
      this.endpoint.serve(request, response);
    }
  }
  // As if they stood above the class: the last is applied first.
  for (const decorate of [...decorators].reverse()) decorate(McpController);
  return McpController;
}

/** Serves whom the application has let in: for a principal, if there is one. */
function byUser(principalOf: NonNullable<SigilModuleOptions['principal']>): Authorization {
  return () => ({
    authorize: ({ source }) =>
      after(principalOf(requestOf(source)), (principal) => ({
        principal: principal && requirePrincipal(principal),
      })),
    insufficientScope: (scopes) => ({
      status: 403,
      message: `This needs the scopes ${scopes.join(' ')}`,
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` },
    }),
    document: () => undefined,
  });
}

/** The principal for `request.user`. @throws TypeError when nothing tells it from other users. */
function principalOf({ user }: HttpRequest): Principal | undefined {
  if (user === undefined || user === null) return undefined;
  const claims = (typeof user === 'object' ? { ...user } : { id: user }) as Readonly<Record<string, unknown>>;
  const id = claims['id'] ?? claims['userId'] ?? claims['sub'];
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new TypeError(
      'request.user has neither id, userId nor sub: say who it is with SigilModule.forRoot({ principal: ({ user }) => ({ id: … }) })',
    );
  const { scopes = claims['scope'] } = claims;
  const list = typeof scopes === 'string' ? scopes.split(' ') : scopes;
  return { id: String(id), claims, ...(Array.isArray(list) ? { scopes: list as string[] } : {}) };
}

/** Has the application's logger write what Sigil logs. */
function logger(): Logger {
  const nest = new NestLogger('Sigil');
  const lineOf = (details: object | string, message: string | undefined): [text: string, stack?: string] => {
    if (typeof details === 'string') return [details];
    const { err, ...rest } = details as { readonly err?: unknown };
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
