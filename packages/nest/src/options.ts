import { type CanActivate, Inject, type ModuleMetadata, type Type } from '@nestjs/common';
import type { AppOptions, MaybePromise, Principal } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';
import type { HttpRequest } from './call.js';

/** What Nest's modules take the place of. */
export const NESTS = [
  'services',
  'discover',
  'modules',
  'providers',
  'override',
  'container',
  'policies',
] as const;

/** What `SigilModule.forRoot` may be told, and the factory of `SigilModule.forRootAsync` gives: what `createApp` is told, and this. */
export interface SigilModuleOptions extends Omit<AppOptions, (typeof NESTS)[number]> {
  /**
   * How the endpoint behaves: what `nodeHandler` is told. With `authorization` or `authenticate`, those say who the principal is.
   */
  readonly http?: Omit<HttpOptions, 'sse'>;
  /**
   * Says who a request is made for that guards and middleware of the application have let in; `undefined` where there is no principal.
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
   * Whether global interceptors, filters and pipes run for each call of a tool, resource, prompt or completion, too, as in a microservice
   * that is connected with `inheritAppConfig`. Global guards always do. `ValidationPipe` has nothing to do there, and filters that
   * extend `BaseExceptionFilter` answer HTTP requests: these do not run.
   *
   * @default undefined: they do not, and the log names them when the application starts; with `false` it does not
   */
  readonly inheritAppConfig?: boolean;
}

/** What Nest has to know before it makes anything: where the endpoint is, and what is served there. */
export interface SigilModuleExtras {
  /**
   * Path of the endpoint, after the global prefix.
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
   * Modules whose handlers are served: those of their own providers and controllers, and not of modules that they import. An application
   * with several servers says so for each. The `App` of such a server is injected by its name: `@InjectApp('shop')`.
   *
   * @default every module of the application
   */
  readonly include?: readonly Type[] | undefined;
}

/** What `SigilModule.forRootAsync` is told. */
export interface SigilModuleAsyncOptions<Dependencies extends unknown[] = never[]>
  extends SigilModuleExtras, Pick<ModuleMetadata, 'imports'> {
  /**
   * The name by which the `App` is injected; with `include` there has to be one.
   *
   * @default undefined: the `App` is not injected by a name
   */
  readonly name?: string | undefined;
  /** What the factory needs, in the order of its parameters. */
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
 * Injects the `App` of a server by its name, where an application has several.
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
