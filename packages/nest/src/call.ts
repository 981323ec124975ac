import type { ServerResponse } from 'node:http';
import type { ArgumentsHost, ExecutionContext, Type } from '@nestjs/common';
import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import type { GuardContext } from '@sigil/core';

/**
 * The HTTP request of a call: the request object of the application's platform, Express or Fastify. Without an
 * HTTP request, as on stdio and in tests, an object with `headers` and `user` takes its place.
 */
export interface HttpRequest {
  readonly headers: GuardContext['headers'];
  /**
   * The user that a Passport strategy has set. If no strategy has set a user, this member is an object with the `id`,
   * the `scopes` and all claims of the principal.
   */
  user?: unknown;
  readonly [member: string]: unknown;
}

/**
 * The HTTP response of a call. With Express, it is Express's response, which extends the response of Node. With
 * Fastify, it is Fastify's reply, whose member `raw` is the response of Node.
 */
export type HttpResponse = ServerResponse & {
  readonly raw?: ServerResponse;
  header?(name: string, value?: unknown): unknown;
};

/** The HTTP arguments of a request to the endpoint. */
interface HttpArguments {
  readonly request: HttpRequest;
  readonly response: object;
}

/** Nest's context for request-scoped providers, with the HTTP request that they may inject. */
type ContextId = ReturnType<typeof ContextIdFactory.create>;

// Responses, by the request of the platform.
const RESPONSES = new WeakMap<object, object>();
// The HTTP arguments of calls, by the state that all contexts of a call share.
const OF_CALL = new WeakMap<object, HttpArguments & { contextId?: ContextId }>();

/** Stores the response of a request, so that `responseOf` can return it for the MCP calls in this request. */
export function keepResponse(request: HttpRequest, response: HttpResponse): void {
  RESPONSES.set(request, forHeaders(response));
}

/** Returns the HTTP response of a call; `undefined` if the call has no HTTP request. */
export function responseOf({ source }: GuardContext): object | undefined {
  return typeof source === 'object' && source !== null ? RESPONSES.get(source) : undefined;
}

const SETTERS: ReadonlySet<string | symbol> = new Set([
  'setHeader',
  'setHeaders',
  'appendHeader',
  'removeHeader',
  'writeHead',
]);

/**
 * Returns the response with different setters for headers: before headers are sent, they also work with
 * Fastify; afterwards, they have no effect.
 */
function forHeaders(response: HttpResponse): object {
  const { raw } = response;
  const header = (name: string, value?: unknown): object => {
    response.header?.(name, value);
    if (raw?.headersSent === false) raw.setHeader(name, response.getHeader(name) ?? '');
    return shown;
  };
  const shown: object = new Proxy(response, {
    get(target, member): unknown {
      if (SETTERS.has(member) && target.headersSent) return () => shown;
      return raw && member === 'header' ? header : Reflect.get(target, member, target);
    },
  });
  return shown;
}

/** Returns an object that replaces a missing response. Its setters have no effect. */
function standInResponse(): object {
  const response = { statusCode: 200, headersSent: false, locals: {} };
  const set = ['status', 'code', 'type', 'vary', 'cookie', 'setCookie', 'clearCookie'];
  const setHeaders = [
    'set',
    'header',
    'headers',
    'append',
    'setHeader',
    'setHeaders',
    'appendHeader',
    'removeHeader',
  ];
  for (const method of [...set, ...setHeaders]) Object.assign(response, { [method]: () => response });
  const nothing = (): undefined => undefined;
  return Object.assign(response, {
    get: nothing,
    getHeader: nothing,
    getHeaders: () => ({}),
    hasHeader: () => false,
  });
}

function argumentsOf(context: GuardContext): HttpArguments & { contextId?: ContextId } {
  const { principal, headers, source, state } = context;
  const known = OF_CALL.get(state);
  if (known) return known;
  const user = principal && { id: principal.id, scopes: principal.scopes, ...principal.claims };
  const arrived = responseOf(context);
  const request = arrived ? (source as HttpRequest) : { headers };
  // If Passport has not set the user, another authentication has determined it.
  request.user ??= user;
  const made = { request, response: arrived ?? standInResponse() };
  OF_CALL.set(state, made);
  return made;
}

/**
 * Returns the `ContextId` that Nest uses to find the request-scoped instances of a call. Providers that inject
 * `REQUEST` receive the HTTP request. If the application's `ContextIdStrategy` sets a payload, durable providers
 * receive this payload instead.
 *
 * @param isDurable whether the id is for a durable provider.
 */
export function contextIdOf(context: GuardContext, modules: ModuleRef, isDurable: boolean): ContextId {
  const call = argumentsOf(context);
  const contextId = (call.contextId ??= ContextIdFactory.getByRequest(call.request));
  const { payload } = contextId;
  const injected = isDurable && payload ? payload : Object.assign(call.request, payload);
  modules.registerRequestByContextId(injected, contextId);
  return contextId;
}

/**
 * The context that Nest's guards, interceptors, filters and parameter decorators receive for a call. `getType()` is
 * `'mcp'`; `switchToRpc()` returns the parsed arguments and Sigil's context. `switchToHttp()` returns the HTTP request.
 */
export class CallExecutionContext implements ExecutionContext {
  readonly #context: GuardContext;
  readonly #cls: Type;
  readonly #method: string | symbol;
  readonly #mayRespond: boolean;

  /**
   * @param mayRespond whether `switchToHttp().getResponse()` returns the HTTP response, for example to set headers. If
   * it is `false`, `getResponse()` throws a `TypeError`.
   */
  constructor(context: GuardContext, cls: Type, method: string | symbol, mayRespond = true) {
    this.#context = context;
    this.#cls = cls;
    this.#method = method;
    this.#mayRespond = mayRespond;
  }

  getClass<T>(): Type<T> {
    return this.#cls as Type<T>;
  }

  getHandler(): ReturnType<ExecutionContext['getHandler']> {
    return (this.#cls.prototype as Readonly<Record<string | symbol, () => unknown>>)[
      this.#method
    ] as () => unknown;
  }

  getType<T extends string = 'mcp'>(): T {
    return 'mcp' as T;
  }

  getArgs<T extends unknown[]>(): T {
    return [Reflect.get(this.#context, 'args'), this.#context] as T;
  }

  getArgByIndex<T>(index: number): T {
    return this.getArgs()[index] as T;
  }

  switchToRpc(): ReturnType<ArgumentsHost['switchToRpc']> {
    return { getData: <T>() => this.getArgByIndex<T>(0), getContext: <T>() => this.getArgByIndex<T>(1) };
  }

  switchToHttp(): ReturnType<ArgumentsHost['switchToHttp']> {
    return {
      getRequest: <T>() => argumentsOf(this.#context).request as T,
      getResponse: <T>() => this.#response() as T,
      getNext: <T>() => undefined as T,
    };
  }

  switchToWs(): ReturnType<ArgumentsHost['switchToWs']> {
    return {
      getData: <T>() => this.getArgByIndex<T>(0),
      getClient: <T>() => this.#context.client as T,
      getPattern: () => this.#context.definition.name,
    };
  }

  #response(): unknown {
    if (this.#mayRespond) return argumentsOf(this.#context).response;
    throw new TypeError(
      'An exception filter of an MCP handler has no HTTP response: return a result for the client from the filter, or throw a ToolError or ProtocolError of @sigil/core',
    );
  }
}
