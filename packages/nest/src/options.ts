import { type CanActivate, Inject, type ModuleMetadata, type Type } from '@nestjs/common';
import type { AppOptions, MaybePromise, Principal } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import type { HttpRequest } from './call.js';

/** The options of `createApp` that Nest's modules replace. */
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
 * Options of `SigilModule.forRoot`, and of the factory of `SigilModule.forRootAsync`: those of `createApp`, and these.
 * Without a `logger`, the log is that of the application, in the context `Sigil`. Lists are private to their caller,
 * whatever `cache` says, because global guards may be added at any time.
 */
export interface SigilModuleOptions extends Omit<AppOptions, (typeof NESTS)[number]> {
  /** Options of the endpoint: those of `nodeHandler`. `authorization` or `authenticate` determines the principal. */
  readonly http?: Omit<HttpOptions, 'sse'>;
  /**
   * Returns the principal of a request that guards and middleware of the application have let in; `undefined` if there
   * is none.
   *
   * @default of `request.user` the `id`, `userId` or `sub`, its `scopes` or `scope`, and all of it as claims
   */
  principal?(this: void, request: HttpRequest): MaybePromise<Principal | undefined>;
  /**
   * Global guards that are about HTTP requests, such as `ThrottlerGuard`: they are asked for each request to the endpoint, and not
   * about each definition.
   *
   * @default none: global guards are asked about both
   */
  readonly requestGuards?: readonly Type<CanActivate>[];
  /**
   * Whether global interceptors, filters and pipes also run for each call of a tool, resource, prompt or completion, as
   * in a microservice connected with `inheritAppConfig`. Global guards always do. `ValidationPipe` has no effect there,
   * and filters that extend `BaseExceptionFilter` answer HTTP requests: these do not run.
   *
   * @default undefined: they do not, and the log names them when the application starts; with `false` it does not
   */
  readonly inheritAppConfig?: boolean;
}

/** Options that Nest needs before it creates providers: the path of the endpoint, and its modules. */
export interface SigilModuleExtras {
  /**
   * Path of the endpoint, after the global prefix, without parameters and wildcards. `'/'` is the root, or the global
   * prefix itself.
   *
   * @default '/mcp'
   */
  readonly path?: string | undefined;
  /**
   * Decorators of the controller whose route is the endpoint, the outermost first: `[UseGuards(JwtAuthGuard)]`, `[SkipThrottle()]`.
   *
   * @default none
   */
  readonly decorators?: readonly ClassDecorator[] | undefined;
  /**
   * Whether to serve HTTP+SSE of 2024-11-05 too, at `/sse` and `/messages` below the path.
   *
   * @default false
   */
  readonly sse?: boolean | undefined;
  /**
   * Modules whose handlers are served: those of their own providers and controllers, not of imported modules. Required
   * in an application with several servers. The `App` of such a server is injected by its name: `@InjectApp('shop')`.
   *
   * @default every module of the application
   */
  readonly include?: readonly Type[] | undefined;
}

/** Options of `SigilModule.forRootAsync`. */
export interface SigilModuleAsyncOptions<Dependencies extends unknown[] = never[]>
  extends SigilModuleExtras, Pick<ModuleMetadata, 'imports'> {
  /**
   * The injection name of the `App`; required with `include`.
   *
   * @default undefined: the `App` is not injected by a name
   */
  readonly name?: string | undefined;
  /** The dependencies of the factory, in the order of its parameters. */
  readonly inject?: readonly unknown[];
  /** Gives the options. Those without a name have the one beside the factory. */
  readonly useFactory: (
    ...dependencies: Dependencies
  ) => MaybePromise<Omit<SigilModuleOptions, 'name'> & { readonly name?: string }>;
}

/** The token of the options. */
export const OPTIONS: symbol = Symbol('the options of SigilModule');

/**
 * Gives the token of a server's `App`, for `nest.get()` and for the `inject` of factories.
 *
 * @param name the `name` that `SigilModule.forRoot` or `forRootAsync` was given.
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
 * Injects the `App` of a server by its name, in an application with several.
 *
 * @param name the `name` that `SigilModule.forRoot` or `forRootAsync` was given.
 * @returns the decorator, for a parameter of a constructor or a property.
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
