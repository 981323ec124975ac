import { DefinitionError, type Problem } from '../errors/definition-error.js';
import { type Scope, serviceOf } from '../metadata/service.js';
import type { Constructor } from '../protocol/constructor.js';
import { isPromise } from '../protocol/maybe-promise.js';
import type { Container, ResolutionScope } from './contract.js';
import { dispose } from './disposal.js';
import { checkGraph, isCaptive, type ServiceFacts } from './graph.js';
import { constructing } from './inject.js';
import { nameOf, type Provider, type ServiceId } from './provider.js';
import { ScopeContainer } from './scope-container.js';
import { isValue, registered } from './typedi-registry.js';

/** The container of an app: typedi makes the instances, this class decides where they live and when they end. */
export class TypediContainer implements Container {
  readonly #providers: ReadonlyMap<ServiceId, Provider>;
  readonly #root: ScopeContainer;
  // A modern request is its own session: one object may then be the key of a container in both maps.
  readonly #sessions = new WeakMap<object, ScopeContainer>();
  readonly #requests = new WeakMap<object, ScopeContainer>();
  readonly #building: ServiceId[] = [];

  constructor(providers: readonly Provider[] = []) {
    this.#providers = new Map(providers.map((provider) => [provider.provide, provider]));
    this.#root = new ScopeContainer('singleton', this.#resolve);
  }

  /** Everything that would go wrong later with these services or what they need. */
  check(services: readonly Constructor[]): Problem[] {
    return checkGraph(services, (id) => this.#factsOf(id));
  }

  /**
   * Awaits asynchronous providers and makes the singletons among the services.
   *
   * @throws whatever a factory or constructor throws.
   */
  async start(services: readonly Constructor[]): Promise<void> {
    for (const provider of this.#providers.values()) {
      if (!('useFactory' in provider) || (provider.scope ?? 'singleton') !== 'singleton') continue;
      const made = this.#root.get<unknown>(provider.provide);
      if (!isPromise(made)) continue;
      const settled = await made;
      this.#root.instances.set(provider.provide, settled);
      this.#root.track(settled);
    }
    for (const service of services) if (this.scopeOf(service) === 'singleton') this.get(service);
  }

  /** How long instances of a service live; undecorated classes are singletons. */
  scopeOf(id: ServiceId): Scope {
    return this.#factsOf(id)?.scope ?? 'singleton';
  }

  get<T extends object>(id: ServiceId<T>, scope?: ResolutionScope): T {
    return this.#containerFor(scope).get<T>(id);
  }

  release(scope: object): Promise<void> | undefined {
    const ended = [this.#take(this.#requests, scope), this.#take(this.#sessions, scope)].filter(
      (held) => held !== undefined,
    );
    if (ended.length === 0) return undefined;
    // The request ends before the session it belongs to: what was made last goes first.
    return dispose(ended.reverse().flatMap((container) => container.disposables.splice(0)));
  }

  async close(): Promise<void> {
    await dispose(this.#root.disposables.splice(0));
  }

  #containerFor(scope: ResolutionScope | undefined): ScopeContainer {
    if (!scope) return this.#root;
    const session = this.#scoped(this.#sessions, scope.session, 'session', this.#root);
    return this.#scoped(this.#requests, scope.request, 'request', session);
  }

  #scoped(
    containers: WeakMap<object, ScopeContainer>,
    key: object,
    scope: 'session' | 'request',
    parent: ScopeContainer,
  ): ScopeContainer {
    const known = containers.get(key);
    if (known) return known;
    const made = new ScopeContainer(scope, this.#resolve, parent);
    containers.set(key, made);
    return made;
  }

  #take(containers: WeakMap<object, ScopeContainer>, key: object): ScopeContainer | undefined {
    const container = containers.get(key);
    if (container) containers.delete(key);
    return container;
  }

  readonly #resolve = (id: ServiceId, from: ScopeContainer): unknown => {
    const scope = this.scopeOf(id);
    const home = scope === 'transient' ? from : this.#homeOf(id, scope, from);
    if (home.instances.has(id)) return this.#settled(id, home.instances.get(id));
    if (this.#building.includes(id))
      throw this.#failure('SIGIL_DEPENDENCY_CYCLE', id, 'it needs itself to be made');
    this.#building.push(id);
    try {
      const made = constructing(home, () => this.#make(id, home));
      if (scope !== 'transient') home.instances.set(id, made);
      return this.#settled(id, made);
    } finally {
      this.#building.pop();
    }
  };

  /** What is promised can be awaited at the outside, and nowhere within a construction. */
  #settled(id: ServiceId, made: unknown): unknown {
    if (!isPromise(made) || this.#building.at(-1) === this.#building[0]) return made;
    throw this.#failure('SIGIL_UNRESOLVABLE', id, 'its factory is asynchronous and has not finished');
  }

  #homeOf(id: ServiceId, scope: Exclude<Scope, 'transient'>, from: ScopeContainer): ScopeContainer {
    if (isCaptive(from.scope, scope)) {
      const what = `a ${scope} service was asked for where only ${from.scope} services live`;
      throw this.#failure('SIGIL_CAPTIVE_SCOPE', id, what);
    }
    let home: ScopeContainer = from;
    while (home.scope !== scope && home.parent) home = home.parent;
    return home;
  }

  #make(id: ServiceId, home: ScopeContainer): unknown {
    const provider = this.#providers.get(id);
    if (provider && 'useValue' in provider) return provider.useValue;
    if (provider && 'useFactory' in provider) {
      const made = provider.useFactory((other) => home.get(other));
      // What is promised is tracked when it is there.
      if (!isPromise(made)) home.track(made);
      return made;
    }
    if (provider) return home.construct(id, provider.useClass);
    const service = registered(id);
    if (service && isValue(service)) return service.value;
    if (service?.factory) return home.produce(id, service.factory);
    const cls = service?.type ?? id;
    if (typeof cls === 'function') return home.construct(id, cls);
    throw this.#failure('SIGIL_UNRESOLVABLE', id, 'the container does not know how to make it');
  }

  #factsOf(id: ServiceId): ServiceFacts | undefined {
    const provider = this.#providers.get(id);
    if (provider && 'useValue' in provider) return { scope: 'singleton' };
    if (provider && 'useFactory' in provider) return { scope: provider.scope ?? 'singleton' };
    if (provider) return { scope: provider.scope ?? 'singleton', cls: provider.useClass };
    const service = registered(id);
    if (typeof id === 'function') {
      const cls = id as Constructor;
      const own = serviceOf(cls);
      if (own) return { scope: own.scope, cls };
      if (service)
        return {
          scope: service.transient ? 'transient' : 'singleton',
          cls: service.factory ? undefined : cls,
        };
      return { scope: 'singleton', cls };
    }
    return service ? { scope: service.transient ? 'transient' : 'singleton' } : undefined;
  }

  #failure(code: Problem['code'], id: ServiceId, what: string): DefinitionError {
    const where = [...this.#building, id].map(nameOf).join(' → ');
    return new DefinitionError([
      { code, where, what, fix: 'see the scopes of these services in @Service({ scope })' },
    ]);
  }
}
