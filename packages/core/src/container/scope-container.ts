import type { ContainerInstance as InstanceOfTypedi, ServiceOptions } from 'typedi';
import exported from '#typedi';
import '../metadata/keys.js';
import type { ServiceScope } from '../metadata/metadata.js';
import { isPromise } from '../protocol/maybe-promise.js';
import { nameOf, type ResolutionScope, type ServiceId } from './container.js';
import { type Disposable, disposerOf } from './lifecycle.js';

const ContainerInstance: typeof InstanceOfTypedi = exported.typedi.ContainerInstance;

/** Chooses the container that creates each service, according to the scope of the service. */
export interface Resolver {
  /**
   * Returns the instance of a service, or a promise of it. Creates the instance in the container of its scope if
   * needed.
   */
  resolve(id: ServiceId, from: ScopeContainer): unknown;
  /**
   * Whether a service has a provider, is a class with `@Service`, or is a class that the app needs, such as a guard.
   */
  knows(id: ServiceId): boolean;
}

/**
 * Thrown during the construction of a service if a dependency is still being created. The construction is repeated when
 * the dependency is ready.
 */
export class NotReady extends Error {
  constructor(
    readonly id: ServiceId,
    readonly settled: Promise<unknown>,
  ) {
    super(`${nameOf(id)} is still being created`);
  }
}

/**
 * A typedi container for the services of one scope, such as one request. typedi calls `get` for each dependency of a
 * service. The dependency can belong to another scope, so `get` lets the resolver choose the container of the
 * dependency.
 */
export class ScopeContainer extends ContainerInstance {
  readonly instances: Map<ServiceId, unknown> = new Map();
  readonly disposables: Disposable[] = [];
  #optional: readonly ServiceId[] = [];

  constructor(
    readonly scope: Exclude<ServiceScope, 'transient'>,
    private readonly resolver: Resolver,
    /** The container of the next longer scope. */
    readonly parent?: ScopeContainer,
    /** The resolution scope of the current request. */
    readonly resolution?: ResolutionScope,
  ) {
    super(scope);
  }

  /**
   * Returns the instance of a service, and creates it if needed.
   *
   * @throws NotReady when the service is still being created.
   */
  override get<T>(id: ServiceId): T {
    if (this.#optional.includes(id)) return this.find(id) as T;
    const made = this.resolver.resolve(id, this);
    if (isPromise(made)) throw new NotReady(id, made);
    return made as T;
  }

  /** Does the same as `get`, but returns `undefined` if the resolver does not know the service. */
  find<T>(id: ServiceId): T | undefined {
    if (!this.resolver.knows(id)) return undefined;
    const optional = this.#optional;
    this.#optional = [];
    try {
      return this.get<T>(id);
    } finally {
      this.#optional = optional;
    }
  }

  /**
   * Lets typedi construct a class and inject its dependencies from this container.
   *
   * @param optional the dependencies that may be missing.
   */
  construct(id: ServiceId, type: unknown, optional: readonly ServiceId[]): unknown {
    return this.#make({ id: id as string, type: type as never, transient: true }, optional);
  }

  /** Lets typedi run a factory that was registered with typedi's own API. */
  produce(id: ServiceId, factory: unknown): unknown {
    return this.#make({ id: id as string, type: null, factory: factory as never, transient: true }, []);
  }

  #make(service: ServiceOptions & { readonly id: string }, optional: readonly ServiceId[]): unknown {
    const outer = this.#optional;
    this.#optional = optional;
    this.set(service);
    try {
      return super.get(service.id);
    } finally {
      this.#optional = outer;
      // typedi searches all of its registrations each time, and does not need this one again.
      this.remove(service.id);
    }
  }

  /**
   * Records how to dispose of an instance at the end of the scope: with `dispose` if passed, otherwise with a method of
   * the instance.
   */
  track(id: ServiceId, instance: unknown, dispose?: (value: never) => unknown): void {
    const ends = dispose
      ? { hook: 'dispose', dispose: (): unknown => Reflect.apply(dispose, undefined, [instance]) }
      : disposerOf(instance);
    if (ends) this.disposables.push({ name: nameOf(id), ...ends });
  }
}
