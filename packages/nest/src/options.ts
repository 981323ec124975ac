import { type CanActivate, Inject, type ModuleMetadata, type Type } from '@nestjs/common';
import type { AppOptions, MaybePromise, Principal } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import type { HttpRequest } from './call.js';

/** The options of `createApp` that Nest applications cannot set, because Nest's modules replace them. */
export const NESTS = [
  'services',
  'discover',
  'modules',
  'providers',
  'override',
  'container',
  'policies',
] as const;

/**
 * Options of `SigilModule.forRoot`, and of the factory of `SigilModule.forRootAsync`: most options of `createApp`, and
 * the options below. Without `logger`, log lines go to the logger of the application, with the context `Sigil`. The
 * results of lists always have the cache scope `private`, because global guards can be added at any time. This also
 * applies if the option `cache` sets `public`.
 */
export interface SigilModuleOptions extends Omit<AppOptions, (typeof NESTS)[number]> {
  /**
   * Options of the endpoint, as for `nodeHandler`. If `authorization` or `authenticate` is set here, it determines the
   * principal of each request. If the option `principal` is also set, the application does not start.
   */
  readonly http?: Omit<HttpOptions, 'sse'>;
  /**
   * Returns the principal of a request, or `undefined` if the request has no principal. It is called after the guards
   * and middleware of the application have accepted the request.
   *
   * @default a principal made from `request.user`. Its id is the first of `id`, `userId` and `sub` that is set; its
   *   scopes are the member `scopes` or `scope`; its claims are all members
   */
  principal?(this: void, request: HttpRequest): MaybePromise<Principal | undefined>;
  /**
   * Classes of global guards, such as `ThrottlerGuard`, that run only for the HTTP request to the endpoint. Every other
   * global guard runs again for each tool, resource or prompt that the request uses or lists.
   *
   * @default []: all global guards run for the HTTP request, and again for its tools, resources and prompts
   */
  readonly requestGuards?: readonly Type<CanActivate>[];
  /**
   * Whether global interceptors, filters and pipes also run for each call of a tool, resource, prompt or completion.
   * The option is like `inheritAppConfig` of Nest's `connectMicroservice()`. Global guards always run. `ValidationPipe`
   * has no effect on calls. Filters that extend `BaseExceptionFilter` do not run, because they answer HTTP requests.
   *
   * @default undefined: they do not run, and a log line names them when the application starts; with `false`, they do
   *   not run and are not logged
   */
  readonly inheritAppConfig?: boolean;
}

/** Options that Nest needs before it creates providers, such as the path of the endpoint and the included modules. */
export interface SigilModuleExtras {
  /**
   * Path of the endpoint, after the global prefix. It must not contain parameters or wildcards. With `'/'`, the
   * endpoint is at the root or, in an application with a global prefix, at the prefix itself.
   *
   * @default '/mcp'
   */
  readonly path?: string | undefined;
  /**
   * Decorators for the controller whose route is the endpoint, the outermost first, for example
   * `[UseGuards(JwtAuthGuard)]` or `[SkipThrottle()]`.
   *
   * @default none
   */
  readonly decorators?: readonly ClassDecorator[] | undefined;
  /**
   * Whether to also serve the transport HTTP+SSE of revision 2024-11-05. Its paths are the path of the endpoint
   * followed by `/sse` and `/messages`.
   *
   * @default false
   */
  readonly sse?: boolean | undefined;
  /**
   * Modules whose handlers this server serves. The handlers of other modules, even of imported ones, are not served.
   * The option is required in an application with several servers. If it is set, inject the `App` by the name of its
   * server, for example with `@InjectApp('shop')`.
   *
   * @default every module of the application
   */
  readonly include?: readonly Type[] | undefined;
}

/** Options of `SigilModule.forRootAsync`. */
export interface SigilModuleAsyncOptions<Dependencies extends unknown[] = never[]>
  extends SigilModuleExtras, Pick<ModuleMetadata, 'imports'> {
  /**
   * The name of the server, for example to inject its `App` with `@InjectApp('shop')`. It is required if `include` is
   * set.
   *
   * @default undefined: the `App` cannot be injected by a name
   */
  readonly name?: string | undefined;
  /** The tokens of the dependencies of `useFactory`, in the order of its parameters. */
  readonly inject?: readonly unknown[];
  /**
   * A function that receives the dependencies in `inject`, and returns the server's options. If the returned options
   * have no `name`, the option `name` of `forRootAsync` is used.
   */
  readonly useFactory: (
    ...dependencies: Dependencies
  ) => MaybePromise<Omit<SigilModuleOptions, 'name'> & { readonly name?: string }>;
}

/** The injection token of the options of a `SigilModule`. */
export const OPTIONS: symbol = Symbol('the options of SigilModule');

/**
 * Returns the injection token of a server's `App`, for `nest.get()` and for the `inject` list of factories.
 *
 * @param name the `name` in the options of `SigilModule.forRoot` or `forRootAsync`.
 * @returns the token.
 * @example
 * ```ts
 * const shop = nest.get<App>(getAppToken('shop'));
 * ```
 */
export function getAppToken(name: string): string {
  return `SigilApp:${name}`;
}

/**
 * Injects the `App` of a server by its name, in an application with several servers.
 *
 * @param name the `name` in the options of `SigilModule.forRoot` or `forRootAsync`.
 * @returns the decorator, for a property or for a parameter of a constructor.
 * @example
 * ```ts
 * import { Injectable } from '@nestjs/common';
 *
 * @Injectable()
 * class Prices {
 *   constructor(@InjectApp('shop') private readonly app: App) {}
 * }
 * ```
 */
export function InjectApp(name: string): ReturnType<typeof Inject> {
  return Inject(getAppToken(name));
}
