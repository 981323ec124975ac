import type { InjectionToken, Type } from '@nestjs/common';
import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import type { DefinitionProblem, GuardContext, ServiceId } from '@sigil/core';
import type { Container, ResolutionScope } from '@sigil/core/extension';
import { handlersOf, isObject, serviceOf } from '@sigil/core/internal';
import { contextIdOf } from './call.js';

/** A class with a public constructor. */
export type Constructor<T = object> = new (...values: never[]) => T;

type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;
type Wrapper = NonNullable<ReturnType<NestModule['providers']['get']>>;

/** A provider of Nest, and its module. */
export interface Provided {
  readonly module: NestModule;
  readonly token: InjectionToken;
  readonly wrapper: Wrapper;
}

/**
 * Adapts Nest's container to Sigil's interface `Container`. It finds the classes with handlers among the providers and
 * controllers of all modules. For singletons, it returns the instances that Nest has created. For other scopes, Nest
 * creates instances for each call.
 */
export class NestContainer implements Container {
  /** The providers and controllers that have handlers, by class. */
  readonly served: ReadonlyMap<Constructor, Provided>;
  /** Finds unsupported uses of Nest's decorators in a class. `SigilModule` sets this function. */
  checkClass: (cls: Constructor) => readonly DefinitionProblem[] = () => [];
  /** Whether Nest has created all modules. Until then, some singletons can be missing. */
  isMade = false;
  readonly #modules: readonly NestModule[];
  readonly #found = new Map<ServiceId, Provided>();
  readonly #problems: DefinitionProblem[] = [];

  /**
   * @param include the modules whose handlers are served. If it is `undefined`, the handlers of all modules are served.
   */
  constructor(modules: ModulesContainer, include: readonly Type[] | undefined) {
    this.#modules = [...modules.values()];
    const included = this.#modules.filter(({ metatype }) => !include || include.includes(metatype));
    this.served = servedClasses(included, this.#problems);
  }

  get<T>(id: ServiceId<T>, scope?: ResolutionScope): T | Promise<T> {
    const provided = this.find(id);
    if (!provided)
      throw new Error(`Nest has no provider of ${nameOf(id)}: list it in the providers of a module`);
    const context = scope?.context?.() as GuardContext | undefined;
    if (!context && !this.isMade) return whenMade(provided.wrapper) as T;
    return this.instanceOf(provided, context) as T | Promise<T>;
  }

  check(classes: readonly Constructor[]): readonly DefinitionProblem[] {
    const unknown = classes
      .filter((cls) => !this.find(cls))
      .map((cls) => ({
        code: 'SIGIL_UNRESOLVABLE' as const,
        where: cls.name,
        what: 'no module of the Nest application provides it',
        fix: 'write @Injectable() on it, and list it in the providers of a module',
      }));
    return [...this.#problems, ...unknown, ...classes.flatMap((cls) => this.checkClass(cls))];
  }

  /** Finds Nest's provider of a class or token, in the first module with such a provider. */
  find(id: ServiceId): Provided | undefined {
    const known = this.served.get(id as Constructor) ?? this.#found.get(id);
    if (known) return known;
    for (const module of this.#modules) {
      const token = id as InjectionToken;
      const wrapper = module.providers.get(token) ?? module.injectables.get(token);
      if (!wrapper) continue;
      const provided = { module, token, wrapper };
      this.#found.set(id, provided);
      return provided;
    }
    return undefined;
  }

  /**
   * Returns an instance of a provider, in the scope that the provider has in Nest.
   *
   * @param context the context of the call; `undefined` outside of calls.
   */
  instanceOf({ module, token, wrapper }: Provided, context: GuardContext | undefined): unknown {
    if (!wrapper.isAlias && !wrapper.isTransient && wrapper.isDependencyTreeStatic()) return wrapper.instance;
    const modules = module.providers.get(ModuleRef)?.instance as ModuleRef;
    const contextId = context && contextIdOf(context, modules, wrapper.isDependencyTreeDurable());
    return modules.resolve(token, contextId, { strict: true });
  }
}

/**
 * Finds the classes with handlers in modules that no server includes. Returns a text for each class, with the names of
 * the class and its module.
 */
export function unserved(modules: ModulesContainer, included: ReadonlySet<Type>): string[] {
  const others = [...modules.values()].filter(({ metatype }) => !included.has(metatype));
  return [...servedClasses(others, [])].map(([cls, { module }]) => `${cls.name} of ${module.name}`);
}

/** Finds the classes with handlers that Nest creates. */
function servedClasses(
  modules: readonly NestModule[],
  problems: DefinitionProblem[],
): Map<Constructor, Provided> {
  const served = new Map<Constructor, Provided>();
  for (const module of modules) {
    for (const [token, wrapper] of [...module.providers, ...module.controllers]) {
      const cls = wrapper.isAlias ? undefined : classOf(token, wrapper);
      if (!cls) continue;
      const other = served.get(cls);
      if (other) {
        problems.push({
          code: 'SIGIL_DUPLICATE_PROVIDER',
          where: cls.name,
          what: `${other.module.name} and ${module.name} both list the class as a provider, so Nest creates two instances`,
          fix: 'provide it in one module, and import that module where it is needed',
        });
        continue;
      }
      served.set(cls, { module, token, wrapper });
      const { scope } = serviceOf(cls) ?? {};
      // Nest treats the class as a singleton, if it has no scope.
      if (scope === undefined || scope === 'singleton' || wrapper.scope) continue;
      problems.push({
        code: 'SIGIL_INVALID_OPTIONS',
        where: cls.name,
        what: `@Service gives the class the scope ${scope}, but Nest creates it as a singleton`,
        fix: 'write @Injectable({ scope: Scope.REQUEST }) or @Injectable({ scope: Scope.TRANSIENT }) in place of @Service()',
      });
    }
  }
  for (const [cls, provided] of servedAliases(modules, served)) served.set(cls, provided);
  return served;
}

/**
 * Finds classes with handlers that are aliases of a factory under another token. The class of the factory's
 * result is unknown.
 */
function servedAliases(
  modules: readonly NestModule[],
  served: ReadonlyMap<Constructor, Provided>,
): ReadonlyMap<Constructor, Provided> {
  const aliases = new Map<unknown, Wrapper>();
  for (const { providers } of modules)
    for (const [token, wrapper] of providers) if (wrapper.isAlias) aliases.set(token, wrapper);
  const targetOf = (token: unknown, seen = new Set<unknown>()): unknown => {
    const target: unknown = aliases.get(token)?.inject?.[0];
    return target === undefined || seen.has(target) ? token : targetOf(target, seen.add(target));
  };
  const known = new Set<unknown>([...served.values()].map(({ token }) => token));
  const nearest = new Map<unknown, Constructor>();
  const found = new Map<Constructor, Provided>();
  for (const module of modules)
    for (const [token, wrapper] of module.providers) {
      const target = targetOf(token);
      if (!wrapper.isAlias || !hasHandlers(token) || served.has(token) || known.has(target)) continue;
      const other = nearest.get(target);
      // If a class and its base class are aliases of the same provider, the first has the handlers of both.
      if (other && !(token.prototype instanceof other)) continue;
      if (other) found.delete(other);
      nearest.set(target, token);
      found.set(token, { module, token, wrapper });
    }
  return found;
}

/** Returns the class with handlers that a provider creates; `undefined` if there is none. */
function classOf(token: unknown, { metatype, instance, isNotMetatype }: Wrapper): Constructor | undefined {
  // For a factory, only the token is known; for a value, the value is known.
  const ofValue = isNotMetatype && !metatype ? instance?.constructor : undefined;
  return [metatype, token, ofValue].find(hasHandlers);
}

function hasHandlers(value: unknown): value is Constructor {
  return (
    typeof value === 'function' && isObject(value.prototype) && handlersOf(value as Constructor).length > 0
  );
}

function nameOf(id: ServiceId): string {
  if (typeof id === 'string') return id;
  return 'name' in id && typeof id.name === 'string' ? id.name : 'a token';
}

/**
 * Returns a stand-in for a singleton that Nest has not created yet, such as a constraint of
 * class-validator. It is used at the first call.
 */
function whenMade(wrapper: Wrapper): object {
  return new Proxy(
    {},
    {
      get(_target, member): unknown {
        const instance = wrapper.instance as Readonly<Record<string | symbol, unknown>>;
        const value = instance[member];
        return typeof value === 'function' ? value.bind(instance) : value;
      },
    },
  );
}
