import type { Constructor, ResolutionScope, ServiceId, ServiceOf } from '../protocol/constructor.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ServiceScope } from '../metadata/metadata.js';

/** Creates instances of services. Every container must have `get`; the other methods are optional. */
export interface Container {
  /**
   * Returns the instance of a service for a scope, and creates it if needed.
   *
   * @param id the class, token or name of the service.
   * @param scope the scope of the request that needs the service; absent outside of requests, for example in `app.get`.
   */
  get<T>(id: ServiceId<T>, scope?: ResolutionScope): MaybePromise<T>;
  /**
   * Finds faults in the classes with handlers, the guard classes and the middleware classes of the app. Called before
   * the app starts.
   */
  check?(classes: readonly Constructor[]): readonly DefinitionProblem[];
  /**
   * Disposes of the instances of one request or session. `scope` is the object `request` or `session` from a
   * `ResolutionScope` that was passed to `get`.
   */
  release?(scope: object): MaybePromise<void>;
  /** Disposes of all instances, the newest first. */
  close?(): MaybePromise<void>;
}

export type { ResolutionScope, ServiceId };

/** Provides a value that the author has created. The container disposes of it only if `dispose` is set. */
export interface ValueProvider {
  readonly provide: ServiceId;
  readonly useValue: unknown;
  /** Disposes of the value when the app closes. */
  readonly dispose?: (value: never) => unknown;
}

/** Provides an instance of the class `useClass`. The container injects the dependencies of that class. */
export interface ClassProvider {
  readonly provide: ServiceId;
  readonly useClass: Constructor;
  /**
   * How long the instance lives.
   * @default 'singleton'
   */
  readonly scope?: ServiceScope;
  /**
   * Called with the instance when its scope ends, in order to dispose of it. If set, the instance's own methods for
   * disposal, such as `onClose`, are not called.
   */
  readonly dispose?: (value: never) => unknown;
}

/**
 * Provides the result of a function. The compiler checks the types of the function only if you create the provider with
 * `provideFactory`.
 */
export interface FactoryProvider {
  readonly provide: ServiceId;
  /**
   * Creates the service. If the function is asynchronous and the scope is `singleton`, the app awaits the service
   * before it serves requests. The order of the providers does not matter.
   */
  readonly useFactory: (...dependencies: never[]) => MaybePromise<unknown>;
  /**
   * The dependencies of the function. They are created before the function is called, and passed to it in this order.
   */
  readonly inject?: readonly ServiceId[];
  /**
   * How long the instance lives.
   * @default 'singleton'
   */
  readonly scope?: ServiceScope;
  /**
   * Called with the instance when its scope ends, in order to dispose of it. If set, the instance's own methods for
   * disposal, such as `onClose`, are not called.
   */
  readonly dispose?: (value: never) => unknown;
}

/** Makes the service with the id `useExisting` available under a second id, `provide`. */
export interface AliasProvider {
  readonly provide: ServiceId;
  readonly useExisting: ServiceId;
}

/**
 * One entry of `createApp({ providers })`. It provides a value, an instance of a class, the result of a function, or a
 * service under a second id.
 */
export type Provider = ValueProvider | ClassProvider | FactoryProvider | AliasProvider;

/**
 * The type of a replacement for a service, such as a test double. The replacement needs only the public members of the
 * service.
 */
export type PublicOf<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? Pick<T, keyof T>
    : T;

/**
 * Provides a value for a class, a token or a name. The id determines the type of the value.
 *
 * @param id a class, a token, or a name.
 * @param value the value.
 * @param options.dispose a function that disposes of the value when the app closes.
 * @returns the provider, for `providers` or `override`.
 * @example
 * ```ts
 * createApp({ name: 'shop', version: '1.0.0', providers: [provide(CONFIG, { currency: 'EUR' })] });
 * ```
 */
export function provide<T>(
  id: ServiceId<T>,
  value: NoInfer<PublicOf<T>>,
  options: { readonly dispose?: (value: NoInfer<T>) => unknown } = {},
): ValueProvider {
  return { provide: id, useValue: value, ...(options.dispose ? { dispose: options.dispose } : {}) };
}

/** Options of `provideFactory`. */
export interface FactoryOptions<T, Ids extends readonly ServiceId[]> {
  /** The dependencies of the factory, in the order of its parameters. */
  readonly inject?: Ids;
  /** Creates the instance. */
  readonly useFactory: (...dependencies: { [K in keyof Ids]: ServiceOf<Ids[K]> }) => MaybePromise<T>;
  /**
   * How long the instance lives.
   *
   * @default 'singleton'
   */
  readonly scope?: ServiceScope;
  /** Disposes of the instance when its scope ends. */
  readonly dispose?: (value: T) => unknown;
}

/**
 * Provides the result of a function. The id of the service determines the result type of the function, and the ids of
 * the dependencies determine its parameter types.
 *
 * @param id a class, a token, or a name.
 * @param options the factory, its dependencies, and the scope of its result.
 * @returns the provider, for `providers` or `override`.
 * @example
 * ```ts
 * import { Pool } from 'pg';
 *
 * const pool = provideFactory(Pool, {
 *   inject: [CONFIG],
 *   // Without this listener, the loss of an idle connection would end the process.
 *   useFactory: (config) => new Pool({ connectionString: config.url }).on('error', console.error),
 *   dispose: (pool) => pool.end(),
 * });
 * ```
 */
export function provideFactory<T, const Ids extends readonly ServiceId[] = readonly []>(
  id: ServiceId<T>,
  options: FactoryOptions<NoInfer<T>, Ids>,
): FactoryProvider {
  return { provide: id, ...options };
}

/** Returns the name of a service, as messages to the author show it. */
export function nameOf(id: ServiceId): string {
  if (typeof id === 'function') return id.name || 'an anonymous class';
  if (typeof id === 'string') return `'${id}'`;
  if (typeof id !== 'object' || id === null) return String(id);
  const name = (id as { name?: unknown }).name;
  return typeof name === 'string' && name !== '' ? `token '${name}'` : 'a nameless token';
}
