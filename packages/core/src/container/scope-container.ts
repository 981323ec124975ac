import '../metadata/reflect.js';
import { ContainerInstance, type ServiceOptions } from 'typedi';
import type { Scope } from '../metadata/service.js';
import { disposerOf } from './disposal.js';
import type { ServiceId } from './provider.js';

/** Finds the container a service lives in, and makes it there. */
export type Resolver = (id: ServiceId, from: ScopeContainer) => unknown;

/**
 * A typedi container for one scope. Whatever typedi injects while it makes an instance comes back through `get`, so
 * that one resolver decides where each service lives.
 */
export class ScopeContainer extends ContainerInstance {
  readonly instances: Map<ServiceId, unknown> = new Map();
  readonly disposables: unknown[] = [];

  constructor(
    readonly scope: Exclude<Scope, 'transient'>,
    private readonly resolver: Resolver,
    /** The container of the longer scope around this one. */
    readonly parent?: ScopeContainer,
  ) {
    super(scope);
  }

  override get<T>(id: ServiceId): T {
    return this.resolver(id, this) as T;
  }

  /** Has typedi construct a class, with this container injecting. */
  construct(id: ServiceId, type: unknown): unknown {
    return this.#make({ id: id as string, type: type as never, transient: true });
  }

  /** Has typedi run a factory that its own decorators registered. */
  produce(id: ServiceId, factory: unknown): unknown {
    return this.#make({ id: id as string, type: null, factory: factory as never, transient: true });
  }

  #make(service: ServiceOptions): unknown {
    this.set(service);
    const made: unknown = super.get(service.id as string);
    // typedi looks through everything it was told at each turn, and need not know this one again.
    this.remove(service.id as string);
    this.track(made);
    return made;
  }

  /** Remembers an instance for disposal. */
  track(instance: unknown): void {
    if (disposerOf(instance)) this.disposables.push(instance);
  }
}
