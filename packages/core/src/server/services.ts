import type { ErrorMapper, GuardLike, MiddlewareLike, ScopeRequirement } from '../context/policies.js';
import type { Container, Provider } from '../container/container.js';
import type { HookWatch } from '../container/lifecycle.js';
import { TypediContainer } from '../container/typedi.js';
import { type DefinitionProblem, Diagnostics } from '../errors/errors.js';
import type { Declaration } from '../invoke/declaration.js';
import type { Instances } from '../invoke/handler-compiler.js';
import { checkMethod, isClass } from '../invoke/compile-policies.js';
import type { ServiceScope } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import type { AppOptions } from './app-options.js';

/** The guards, middleware, scopes and error mappers of an app and of its definitions. */
export interface Policies {
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  readonly scopes: readonly ScopeRequirement[];
  readonly errors: readonly ErrorMapper[];
}

/** The services of an app. */
export interface Services {
  readonly container: Container;
  readonly instances: Instances;
  /**
   * Returns the problems of classes, of class-validator constraints, and of all services that the classes or
   * constraints depend on.
   */
  check(classes: readonly Constructor[], constraints: readonly Constructor[]): readonly DefinitionProblem[];
  /**
   * Creates the singletons, calls their `onInit`, and waits for the results.
   *
   * @throws DefinitionError if an instance of a guard or middleware lacks the required method.
   */
  start(classes: readonly Constructor[], policies: Policies): Promise<void>;
  /**
   * A function that creates an instance of a class-validator constraint class. With an author's container, it returns
   * `undefined` for a class without constructor parameters, because such a class needs no container.
   */
  readonly constraint: (cls: Constructor) => unknown;
  /** Calls `onReady` of all service instances, and waits for the results. */
  ready(): Promise<void>;
}

/** Returns the services of an app, from the author's container or from the built-in container. */
export function chooseServices(
  own: Container | undefined,
  providers: readonly Provider[],
  watch: HookWatch,
): Services {
  if (own) {
    const nothing = (): Promise<void> => Promise.resolve();
    // A foreign container alone knows how long its instances live, so it is asked each time.
    const instances = { container: own, isSingleton: () => false };
    return {
      container: own,
      instances,
      check: (classes) => own.check?.(classes) ?? [],
      start: nothing,
      ready: nothing,
      constraint: (cls) => (cls.length > 0 ? own.get(cls) : undefined),
    };
  }
  const container = new TypediContainer(providers, watch);
  const instances: Instances = {
    container,
    isSingleton: (cls) => container.scopeOf(cls) === 'singleton',
  };
  return {
    container,
    instances,
    check: (classes, constraints) => [
      ...container
        .check([...classes, ...constraints.filter(({ length }) => length > 0)])
        .map((problem) => forConstraint(problem, constraints)),
      ...constraints.filter((cls) => isShortLived(container.scopeOf(cls))).map(shortLivedConstraint),
    ],
    async start(classes, policies) {
      await container.start(classes);
      await checkMethods(policies, instances);
    },
    ready: () => container.ready(),
    constraint: (cls) => container.getOwn(cls),
  };
}

const OF_A_CALL = 'put code that depends on the caller into the handler, or into permits(context) of a guard';

/**
 * Adapts a problem of a constraint's dependency, because a constraint cannot have the scope of its
 * dependency.
 */
function forConstraint(problem: DefinitionProblem, constraints: readonly Constructor[]): DefinitionProblem {
  const isOne =
    problem.code === 'SIGIL_CAPTIVE_SCOPE' && constraints.some(({ name }) => name === problem.where);
  const fix = `${OF_A_CALL}, because a constraint of class-validator exists as long as the app`;
  return isOne ? { ...problem, fix } : problem;
}

function isShortLived(scope: ServiceScope): boolean {
  return scope === 'request' || scope === 'session';
}

function shortLivedConstraint({ name }: Constructor): DefinitionProblem {
  return {
    code: 'SIGIL_CAPTIVE_SCOPE',
    where: name,
    what: 'a constraint of class-validator exists as long as the app, whatever the scope of its class',
    fix: `remove the scope from its @Service(): ${OF_A_CALL}`,
  };
}

/**
 * Collects the guards, middleware, scopes and error mappers of definitions, each of them once. The app's guards and
 * middleware are included even if the app has no definitions.
 */
export function policiesOf(
  declarations: readonly Declaration[],
  { guards = [], middleware = [] }: Pick<AppOptions, 'guards' | 'middleware'>,
): Policies {
  return {
    guards: [...new Set([...guards, ...declarations.flatMap((declaration) => declaration.guards)])],
    middleware: [
      ...new Set([...middleware, ...declarations.flatMap((declaration) => declaration.middleware)]),
    ],
    scopes: [...new Set(declarations.flatMap((declaration) => declaration.scopes))],
    errors: [...new Set(declarations.flatMap((declaration) => declaration.errors))],
  };
}

/**
 * Returns the classes whose instances the container creates: classes with handlers, and the classes of guards and
 * middleware.
 */
export function classesOf(
  declarations: readonly Declaration[],
  { guards, middleware }: Policies,
): Constructor[] {
  const targets = declarations.map(({ target }) => (target.kind === 'method' ? target.cls : undefined));
  return [
    ...new Set([
      ...targets.filter((cls) => cls !== undefined),
      ...[...guards, ...middleware].filter((like) => isClass(like)),
    ]),
  ];
}

/** Checks the instances of guards and middleware, whose method may be a property. */
async function checkMethods({ guards, middleware }: Policies, instances: Instances): Promise<void> {
  const diagnostics = new Diagnostics();
  const check = async (classes: readonly unknown[], method: 'allows' | 'handle'): Promise<void> => {
    for (const cls of classes)
      if (isClass(cls) && instances.isSingleton(cls))
        checkMethod(cls, await instances.container.get(cls), method, diagnostics);
  };
  await check(guards, 'allows');
  await check(middleware, 'handle');
  diagnostics.throwIfAny();
}
