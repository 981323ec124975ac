import type { ContainerInstance as InstanceOfTypedi, ServiceOptions } from 'typedi';
import exported from '#typedi';
import '../metadata/keys.js';
import type { ServiceScope } from '../metadata/metadata.js';
import { isPromise } from '../protocol/maybe-promise.js';
import { nameOf, type ResolutionScope, type ServiceId } from './container.js';
import { type Disposable, disposerOf } from './lifecycle.js';

const ContainerInstance: typeof InstanceOfTypedi = exported.typedi.ContainerInstance;

/** Chooses the scopes of services. */
export interface Resolver {
  /** Finds the container for a service, and creates the service there. */
  resolve(id: ServiceId, from: ScopeContainer): unknown;
  /** Whether a service was provided or decorated. */
  knows(id: ServiceId): boolean;
}

/** Thrown by a construction if a dependency is not ready. The construction runs again when the dependency is. */
export class NotReady extends Error {
  constructor(
    readonly id: ServiceId,
    readonly settled: Promise<unknown>,
  ) {
    super(`${nameOf(id)} is still being made`);
  }
}

/**
 * A typedi container for one scope. When typedi injects a dependency, it calls `get`, so that one resolver chooses the
 * scope of each service.
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

  /** @throws NotReady when the service is still being made. */
  override get<T>(id: ServiceId): T {
    if (this.#optional.includes(id)) return this.find(id) as T;
    const made = this.resolver.resolve(id, this);
    if (isPromise(made)) throw new NotReady(id, made);
    return made as T;
  }

  /** Like `get`, but returns `undefined` if the container does not know how to make the service. */
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
   * Has typedi construct a class, with this container injecting.
   *
   * @param optional the dependencies that may be missing.
   */
  construct(id: ServiceId, type: unknown, optional: readonly ServiceId[]): unknown {
    return this.#make({ id: id as string, type: type as never, transient: true }, optional);
  }

  /** Has typedi run a factory that its own decorators registered. */
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
   * Remembers an instance for disposal: with the provider's `dispose` if it has one, else with the instance's own
   * method.
   */
  track(id: ServiceId, instance: unknown, dispose?: (value: never) => unknown): void {
    const ends = dispose
      ? { hook: 'dispose', dispose: (): unknown => Reflect.apply(dispose, undefined, [instance]) }
      : disposerOf(instance);
    if (ends) this.disposables.push({ name: nameOf(id), ...ends });
  }
}
