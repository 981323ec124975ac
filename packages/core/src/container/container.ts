import type { Constructor, ResolutionScope, ServiceId, ServiceOf } from '../protocol/constructor.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ServiceScope } from '../metadata/metadata.js';

/** Anything that makes instances of services. The one method any container can offer. */
export interface Container {
  /**
   * Returns the instance of a service for a scope, and creates it if needed.
   *
   * @param id the class wanted, or the token or name.
   * @param scope the request it is wanted for; absent outside of requests, when singletons are made.
   */
  get<T>(id: ServiceId<T>, scope?: ResolutionScope): MaybePromise<T>;
  /**
   * Finds faults in classes that the container creates: those with handlers, guards and middleware. Called before the
   * app starts.
   */
  check?(classes: readonly Constructor[]): readonly DefinitionProblem[];
  /** Disposes of the instances of a scope: a `request` or `session` that `get` was called with. */
  release?(scope: object): MaybePromise<void>;
  /** Disposes of everything, those made last first. */
  close?(): MaybePromise<void>;
}

export type { ResolutionScope, ServiceId };

/** Gives a value. It is the author's: it is disposed of only with `dispose`. */
export interface ValueProvider {
  readonly provide: ServiceId;
  readonly useValue: unknown;
  /** Ends the value when the app closes. */
  readonly dispose?: (value: never) => unknown;
}

/** Provides an instance of another class, with its dependencies injected. */
export interface ClassProvider {
  readonly provide: ServiceId;
  readonly useClass: Constructor;
  /** @default 'singleton' */
  readonly scope?: ServiceScope;
  /** Ends the instance when its scope ends, instead of the methods that `@Service` names. */
  readonly dispose?: (value: never) => unknown;
}

/** Provides the result of a function; `provideFactory` checks its types. */
export interface FactoryProvider {
  readonly provide: ServiceId;
  /** May be asynchronous: singletons are awaited, and initialised, before the app serves. The order of the list does not matter. */
  readonly useFactory: (...dependencies: never[]) => MaybePromise<unknown>;
  /** The dependencies of the function, created first and passed in this order. */
  readonly inject?: readonly ServiceId[];
  /** @default 'singleton' */
  readonly scope?: ServiceScope;
  /** Disposes of the instance when its scope ends, instead of the methods that `@Service` names. */
  readonly dispose?: (value: never) => unknown;
}

/** Provides the instance of another id: one instance under two ids. */
export interface AliasProvider {
  readonly provide: ServiceId;
  readonly useExisting: ServiceId;
}

/** Provides one service, if a decorated class is not enough. Used in `createApp({ providers })`. */
export type Provider = ValueProvider | ClassProvider | FactoryProvider | AliasProvider;

/** A value with the public members of a service. */
export type PublicOf<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? Pick<T, keyof T>
    : T;

/**
 * Provides a value for a class, a token or a name; typed by the id.
 *
 * @param id a class, a token, or a name.
 * @param value the value.
 * @param options.dispose ends the value when the app closes.
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
  /** Makes it. */
  readonly useFactory: (...dependencies: { [K in keyof Ids]: ServiceOf<Ids[K]> }) => MaybePromise<T>;
  /**
   * How long it lives.
   *
   * @default 'singleton'
   */
  readonly scope?: ServiceScope;
  /** Ends it when its scope ends. */
  readonly dispose?: (value: T) => unknown;
}

/**
 * Provides the result of a function; typed by its own id and those of its dependencies.
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
 *   // Without a listener, a connection that is lost at rest would end the process.
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

/** The name of a service in messages to the author. */
export function nameOf(id: ServiceId): string {
  if (typeof id === 'function') return id.name || 'an anonymous class';
  if (typeof id === 'string') return `'${id}'`;
  if (typeof id !== 'object' || id === null) return String(id);
  const name = (id as { name?: unknown }).name;
  return typeof name === 'string' && name !== '' ? `token '${name}'` : 'a nameless token';
}
