import { DefinitionError, messageOf, type DefinitionProblem } from '../errors/errors.js';
import { type ServiceScope, serviceOf } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import { isPromise, type MaybePromise, recovered } from '../protocol/maybe-promise.js';
import { type Container, nameOf, type Provider, type ResolutionScope, type ServiceId } from './container.js';
import {
  cannotCreate,
  checkGraph,
  dependenciesOf,
  fixOfFailure,
  isCaptive,
  needsOf,
  type ServiceDetails,
} from './graph.js';
import { dispose, type HookWatch, Lifecycle } from './lifecycle.js';
import { constructing } from './inject.js';
import { NotReady, type Resolver, ScopeContainer } from './scope-container.js';
import { isValue, registered, InjectionToken } from './typedi-registry.js';

/** The token of the current request's `ResolutionScope`. Services with the scope `request` can inject it. */
export const RESOLUTION: InjectionToken<ResolutionScope> = new InjectionToken('the request');

/**
 * The container of an app. typedi creates the instances. This class chooses the scope of each instance, and disposes of
 * the instances.
 */
export class TypediContainer implements Container, Resolver {
  readonly #providers: ReadonlyMap<ServiceId, Provider>;
  readonly #root: ScopeContainer;
  // A request of revision 2026-07-28 is its own session, so one object may be a key in both maps.
  readonly #sessions = new WeakMap<object, ScopeContainer>();
  readonly #requests = new WeakMap<object, ScopeContainer>();
  readonly #building: ServiceId[] = [];
  readonly #watch: HookWatch;
  readonly #lifecycle: Lifecycle;
  readonly #kept = new WeakSet<object>();
  /** The classes that the app itself requests: classes with handlers, and the classes of guards and middleware. */
  readonly #asked = new Set<ServiceId>();

  constructor(providers: readonly Provider[], watch: HookWatch) {
    this.#watch = watch;
    this.#lifecycle = new Lifecycle(watch);
    this.#providers = new Map(providers.map((provider) => [provider.provide, provider]));
    this.#root = new ScopeContainer('singleton', this);
  }

  /** Finds faults in the given services, in their dependencies, and in all providers of the app. */
  check(services: readonly ServiceId[]): readonly DefinitionProblem[] {
    for (const service of services) this.#asked.add(service);
    return checkGraph(
      [...services, ...this.#providers.keys()],
      (id) => this.#detailsOf(id),
      (id) => this.knows(id),
    );
  }

  /**
   * Creates the singletons that the app needs at start: the results of factories, the given services, and the
   * dependencies of both. Each singleton is created after its dependencies. Awaits asynchronous factories and `onInit`.
   *
   * @throws DefinitionError if a service cannot be resolved.
   * @throws Error if the creation of a service fails. The message names the service, and `cause` is the original error.
   */
  async start(services: readonly ServiceId[]): Promise<void> {
    const done = new Set<ServiceId>();
    const make = async (id: ServiceId): Promise<void> => {
      if (done.has(id)) return;
      done.add(id);
      const details = this.#detailsOf(id);
      if (!details) return;
      for (const need of needsOf(details, (one) => this.knows(one)))
        if (this.#detailsOf(need)) await make(need);
      if (details.scope === 'singleton') await this.get(id);
    };
    for (const { provide } of this.#providers.values()) if (this.#isEager(provide)) await make(provide);
    for (const service of services) await make(service);
  }

  /**
   * Calls `onReady` of all singletons, in the order of their initialisation. For singletons created later, `onReady` is
   * called immediately after `onInit`.
   */
  ready(): Promise<void> {
    return this.#lifecycle.ready();
  }

  /** Returns the scope of a service. Guards and classes with handlers are singletons if they have no `@Service`. */
  scopeOf(id: ServiceId): ServiceScope {
    return this.#detailsOf(id)?.scope ?? 'singleton';
  }

  knows(id: ServiceId): boolean {
    if (this.#providers.has(id) || registered(id) !== undefined || id === RESOLUTION) return true;
    return typeof id === 'function' && (this.#asked.has(id) || serviceOf(id as Constructor) !== undefined);
  }

  /** Returns the instance of a class that the app needs, such as a guard. The class does not need `@Service`. */
  getOwn<T extends object>(cls: Constructor<T>): MaybePromise<T> {
    this.#asked.add(cls);
    return this.get<T>(cls);
  }

  /**
   * Returns the instance of a service. Returns a promise of the instance while the service, or one of its dependencies,
   * is still being created or initialised.
   */
  get<T>(id: ServiceId<T>, scope?: ResolutionScope): MaybePromise<T> {
    // An existing singleton needs no scope.
    const known = this.#root.instances.get(id);
    if (known !== undefined && !isPromise(known) && !this.#lifecycle.isStarting) return known as T;
    const home = this.#containerFor(scope);
    try {
      const { made, starting } = this.#lifecycle.collect(() => this.resolve(id, home));
      const whole = starting ? starting.then(() => made) : made;
      if (!isPromise(whole)) return whole as T;
      return whole.catch((error: unknown) => this.#again(error, id, scope)) as Promise<T>;
    } catch (error) {
      return this.#again(error, id, scope);
    }
  }

  release(scope: object): Promise<void> | undefined {
    // The request ends before its session: the last instance created is the first disposed of.
    const ended = [this.#sessions, this.#requests].flatMap((containers) => {
      const container = containers.get(scope);
      containers.delete(scope);
      return container ?? [];
    });
    if (ended.length === 0) return undefined;
    return dispose(
      ended.flatMap((container) => container.disposables.splice(0)),
      this.#watch,
    );
  }

  async close(): Promise<void> {
    await dispose(this.#root.disposables.splice(0), this.#watch);
  }

  resolve(id: ServiceId, from: ScopeContainer): unknown {
    const scope = this.scopeOf(id);
    const home = scope === 'transient' ? from : this.#homeOf(id, scope, from);
    if (home.instances.has(id)) return this.#lifecycle.use(home.instances.get(id));
    if (this.#building.includes(id))
      throw this.#failure('SIGIL_DEPENDENCY_CYCLE', id, 'it depends on itself');
    this.#building.push(id);
    try {
      const { made, starting } = this.#lifecycle.collect(() =>
        constructing(home, () => this.#make(id, home, scope)),
      );
      if (!isPromise(made)) return this.#keep(id, made, home, scope, starting);
      const settled = made.then(
        async (value) => {
          await starting;
          const kept = this.#keep(id, value, home, scope);
          await this.#lifecycle.starting(kept);
          return kept;
        },
        (error: unknown) => {
          home.instances.delete(id);
          throw error;
        },
      );
      if (scope !== 'transient') home.instances.set(id, settled);
      return settled;
    } finally {
      this.#building.pop();
    }
  }

  /** Runs a construction again after its asynchronous dependency is ready. */
  #again<T>(error: unknown, id: ServiceId<T>, scope: ResolutionScope | undefined): Promise<T> {
    if (!(error instanceof NotReady)) throw error;
    // Transient instances are not kept, so the next run would get another promise.
    if (this.scopeOf(error.id) === 'transient')
      throw this.#failure('SIGIL_UNRESOLVABLE', error.id, 'its factory is transient and asynchronous');
    return error.settled.then(() => this.get(id, scope));
  }

  #keep(
    id: ServiceId,
    made: unknown,
    home: ScopeContainer,
    scope: ServiceScope,
    needed?: Promise<unknown>,
  ): unknown {
    if (scope !== 'transient') home.instances.set(id, made);
    const provider = this.#providers.get(id);
    const dispose = provider && 'dispose' in provider ? provider.dispose : undefined;
    // An instance that belongs to another id has its lifecycle there, as for an alias, or for a factory that returns
    // one of its dependencies.
    const object = typeof made === 'object' && made !== null ? made : undefined;
    if (!dispose && object && this.#kept.has(object)) return this.#lifecycle.use(made);
    const isOurs = !this.#isGiven(id, provider);
    if (isOurs && object) this.#kept.add(object);
    if (isOurs || dispose) home.track(id, made, dispose);
    if (!isOurs) return made;
    const forget = (): void => void home.instances.delete(id);
    return this.#lifecycle.add(made, { name: nameOf(id), hooks: scope === 'singleton', needed, forget });
  }

  /** Whether an instance was created elsewhere, and is disposed of there. */
  #isGiven(id: ServiceId, provider: Provider | undefined): boolean {
    if (provider) return 'useValue' in provider || 'useExisting' in provider;
    const service = registered(id);
    return id === RESOLUTION || (service !== undefined && isValue(service));
  }

  /**
   * Whether a service is created at start. Values are resolved at start as well, so that they are disposed of
   * at the end.
   */
  #isEager(id: ServiceId): boolean {
    const provider = this.#providers.get(id);
    if (!provider || this.scopeOf(id) !== 'singleton') return false;
    return 'useFactory' in provider || ('useValue' in provider && provider.dispose !== undefined);
  }

  #containerFor(scope: ResolutionScope | undefined): ScopeContainer {
    if (!scope) return this.#root;
    const session = this.#scoped(this.#sessions, scope.session, 'session', this.#root);
    return this.#scoped(this.#requests, scope.request, 'request', session, scope);
  }

  #scoped(
    containers: WeakMap<object, ScopeContainer>,
    key: object,
    scope: 'session' | 'request',
    parent: ScopeContainer,
    resolution?: ResolutionScope,
  ): ScopeContainer {
    const known = containers.get(key);
    if (known) return known;
    const made = new ScopeContainer(scope, this, parent, resolution);
    containers.set(key, made);
    return made;
  }

  #homeOf(id: ServiceId, scope: Exclude<ServiceScope, 'transient'>, from: ScopeContainer): ScopeContainer {
    if (isCaptive(from.scope, scope)) {
      const what = `a service of the scope ${from.scope} cannot depend on a service of the scope ${scope}`;
      throw this.#failure('SIGIL_CAPTIVE_SCOPE', id, what);
    }
    let home: ScopeContainer = from;
    while (home.scope !== scope && home.parent) home = home.parent;
    return home;
  }

  #make(id: ServiceId, home: ScopeContainer, scope: ServiceScope): unknown {
    if (id === RESOLUTION) return home.resolution;
    const provider = this.#providers.get(id);
    if (provider && 'useValue' in provider) return provider.useValue;
    if (provider && 'useExisting' in provider) return home.get(provider.useExisting);
    if (provider && 'useFactory' in provider) {
      const needed = (provider.inject ?? []).map((need) => home.get(need));
      return this.#produce(id, scope, (): unknown => Reflect.apply(provider.useFactory, undefined, needed));
    }
    if (provider) return this.#construct(id, provider.useClass, home, scope);
    const service = registered(id);
    if (service && isValue(service)) return service.value;
    if (service?.factory) return home.produce(id, service.factory);
    const cls = service?.type ?? id;
    if (typeof cls === 'function' && this.knows(id))
      return this.#construct(id, cls as Constructor, home, scope);
    throw this.#failure('SIGIL_UNRESOLVABLE', id, cannotCreate(id));
  }

  #construct(id: ServiceId, cls: Constructor, home: ScopeContainer, scope: ServiceScope): unknown {
    try {
      return home.construct(id, cls, dependenciesOf(cls).optional);
    } catch (error) {
      throw failureOf(`The constructor of ${nameOf(id)}`, error, scope);
    }
  }

  /** Adds the name of the provider to an error of its factory. */
  #produce(id: ServiceId, scope: ServiceScope, run: () => unknown): unknown {
    const watched = (): unknown => {
      const made = run();
      return scope === 'singleton' && isPromise(made)
        ? this.#watch.starting(`The provider of ${nameOf(id)}`, made)
        : made;
    };
    return recovered(watched, (error) => {
      throw failureOf(`The provider of ${nameOf(id)}`, error, scope);
    });
  }

  #detailsOf(id: ServiceId): ServiceDetails | undefined {
    if (id === RESOLUTION) return { scope: 'request' };
    const provider = this.#providers.get(id);
    if (provider && 'useValue' in provider) return { scope: 'singleton' };
    if (provider && 'useExisting' in provider) return this.#aliasDetails(provider.useExisting, [id]);
    if (provider && 'useFactory' in provider)
      return { scope: provider.scope ?? 'singleton', needs: provider.inject ?? [] };
    if (provider) return { scope: provider.scope ?? 'singleton', cls: provider.useClass };
    const cls = typeof id === 'function' ? (id as Constructor) : undefined;
    const own = cls && serviceOf(cls);
    if (own) return { scope: own.scope, cls };
    const { transient = false, factory } = registered(id) ?? {};
    if (!this.knows(id)) return undefined;
    return { scope: transient ? 'transient' : 'singleton', cls: factory ? undefined : cls };
  }

  /** Returns the details of an alias, whose scope is the scope of its target. */
  #aliasDetails(target: ServiceId, path: readonly ServiceId[]): ServiceDetails {
    const provider = this.#providers.get(target);
    if (path.includes(target) || !provider || !('useExisting' in provider)) {
      const scope = path.includes(target) ? 'singleton' : this.scopeOf(target);
      return { scope, needs: [target] };
    }
    return { ...this.#aliasDetails(provider.useExisting, [...path, target]), needs: [target] };
  }

  #failure(code: DefinitionProblem['code'], id: ServiceId, what: string): DefinitionError {
    const isLast = code === 'SIGIL_UNRESOLVABLE' && this.#building.at(-1) === id;
    const where = [...this.#building, ...(isLast ? [] : [id])].map(nameOf).join(' → ');
    return new DefinitionError([{ code, where, what, fix: fixOfFailure(code, id) }]);
  }
}

/**
 * Errors that name the failed singleton. They have no class of their own, because Node would print the name of the
 * class.
 */
const NAMED = new WeakSet<Error>();

/**
 * Adds the name of the singleton to an error of its creation. During a request, an error may be meant for the client.
 */
function failureOf(who: string, error: unknown, scope: ServiceScope): unknown {
  if (scope !== 'singleton' || error instanceof NotReady || error instanceof DefinitionError) return error;
  if (error instanceof Error && NAMED.has(error)) return error;
  const named = new Error(`${who} failed: ${messageOf(error)}`, { cause: error });
  NAMED.add(named);
  return named;
}
