import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';
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
}

/** Where the endpoint is. */
export interface RouteOptions {
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
}

/** What `SigilModule.forRootAsync` is told. */
export interface SigilModuleAsyncOptions<Dependencies extends unknown[] = never[]>
  extends RouteOptions, Pick<ModuleMetadata, 'imports'> {
  /** What the factory needs, in the order of its parameters. */
  readonly inject?: readonly unknown[];
  /** Gives the options. */
  readonly useFactory: (...dependencies: Dependencies) => MaybePromise<SigilModuleOptions>;
}

/** The token of the options. */
export const OPTIONS: symbol = Symbol('the options of SigilModule');
