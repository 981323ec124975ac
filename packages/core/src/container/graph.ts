import type { DefinitionProblem } from '../errors/errors.js';
import { constructorTypes, optionalOf, type ServiceScope } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import { nameOf, type ServiceId } from './container.js';
import { injectedAt } from './typedi-registry.js';

/** What a constructor asks for, or the reasons why that cannot be known. */
interface Dependencies {
  readonly ids: readonly ServiceId[];
  /** Those of the ids that may stay without a service. */
  readonly optional: readonly ServiceId[];
  readonly problems: readonly DefinitionProblem[];
}

const NOT_INJECTABLE: readonly unknown[] = [
  undefined,
  null,
  Object,
  Function,
  String,
  Number,
  Boolean,
  Array,
];

/** Reads what the constructor of a class needs, from `@Inject` first, then from the emitted types. */
export function dependenciesOf(cls: Constructor): Dependencies {
  const owner = constructorOwner(cls);
  const types = constructorTypes(owner);
  const count = Math.max(owner.length, types?.length ?? 0);
  const ids: ServiceId[] = [];
  const optional: ServiceId[] = [];
  const mayBeEmpty = optionalOf(owner);
  const problems: DefinitionProblem[] = [];
  for (let index = 0; index < count; index++) {
    const id = injectedAt(owner, index) ?? types?.[index];
    if (!NOT_INJECTABLE.includes(id)) (mayBeEmpty.includes(index) ? optional : ids).push(id as ServiceId);
    // A parameter with a default value is the author's own affair.
    else if (index < owner.length) problems.push(problemAt(cls, index, types));
  }
  return { ids: [...ids, ...optional], optional, problems };
}

function problemAt(
  cls: Constructor,
  index: number,
  types: readonly unknown[] | undefined,
): DefinitionProblem {
  const where = `${cls.name}, constructor parameter ${index}`;
  if (types === undefined) {
    return {
      code: 'SIGIL_MISSING_METADATA',
      where,
      what: 'the build emitted no types for the constructor',
      fix: `decorate ${cls.name} with @Service() and build with tsc or swc and "emitDecoratorMetadata" (esbuild and tsx emit none), or write "private readonly x = inject(X)" instead of the parameter`,
    };
  }
  return {
    code: 'SIGIL_ERASED_TYPE',
    where,
    what: 'its type is not a class at run time',
    fix: 'import the class with "import { X }" instead of "import type { X }", or name what to inject with @Inject(TOKEN)',
  };
}

/** The class in the chain whose constructor runs first: a subclass without one inherits its parameters. */
function constructorOwner(cls: Constructor): Constructor {
  const parent = Object.getPrototypeOf(cls) as unknown;
  const declares = constructorTypes(cls) !== undefined || cls.length > 0;
  if (declares || typeof parent !== 'function' || parent === Function.prototype) return cls;
  return constructorOwner(parent as Constructor);
}

/** What the graph check asks about a service. */
export interface ServiceFacts {
  readonly scope: ServiceScope;
  /** The class whose constructor is run; absent for values and factories. */
  readonly cls?: Constructor | undefined;
  /** What a factory asks for, or what an alias stands for. */
  readonly needs?: readonly ServiceId[];
}

const LIFETIME: Record<ServiceScope, number> = { transient: 0, request: 1, session: 2, singleton: 3 };

/** Walks what services depend on and reports everything that would fail, or leak between scopes, later on. */
export function checkGraph(
  roots: readonly ServiceId[],
  factsOf: (id: ServiceId) => ServiceFacts | undefined,
  knows: (id: ServiceId) => boolean,
): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const done = new Set<ServiceId>();

  function visit(id: ServiceId, path: readonly ServiceId[]): void {
    if (path.includes(id)) return void problems.push(cycle([...path.slice(path.indexOf(id)), id]));
    if (done.has(id)) return;
    done.add(id);
    const facts = factsOf(id);
    if (!facts) return void problems.push(unresolvable(id, path));
    if (!Object.hasOwn(LIFETIME, facts.scope)) problems.push(unknownScope(id, facts.scope));
    const { ids, problems: faults } = needsOf(facts);
    problems.push(...faults, ...unawaitedHooks(id, facts));
    for (const dependency of ids) {
      const shorter = factsOf(dependency);
      if (shorter && isCaptive(facts.scope, shorter.scope))
        problems.push(captive(id, facts, dependency, shorter));
      visit(dependency, [...path, id]);
    }
  }

  for (const root of roots) visit(root, []);
  return problems;

  function needsOf({ cls, needs = [] }: ServiceFacts): Pick<Dependencies, 'ids' | 'problems'> {
    if (!cls) return { ids: needs, problems: [] };
    const { ids, optional, problems } = dependenciesOf(cls);
    return { ids: ids.filter((id) => !optional.includes(id) || knows(id)), problems };
  }
}

/** Whether a service of one scope would keep an instance of a shorter one alive beyond its end. */
export function isCaptive(holder: ServiceScope, held: ServiceScope): boolean {
  return holder !== 'transient' && held !== 'transient' && LIFETIME[held] < LIFETIME[holder];
}

/** Only singletons are awaited before anybody uses them. */
function unawaitedHooks(id: ServiceId, { scope, cls }: ServiceFacts): DefinitionProblem[] {
  if (scope === 'singleton' || !cls) return [];
  const prototype = cls.prototype as Record<string, unknown>;
  return ['onInit', 'onReady']
    .filter((hook) => typeof prototype[hook] === 'function')
    .map((hook) => ({
      code: 'SIGIL_UNAWAITED_HOOK',
      where: `${nameOf(id)}.${hook}`,
      what: `a ${scope} service is made while a request waits, so its ${hook} is never called`,
      fix: 'make it a singleton, give a provider with an asynchronous useFactory, or do the work in the handler',
    }));
}

function unknownScope(id: ServiceId, scope: unknown): DefinitionProblem {
  return {
    code: 'SIGIL_INVALID_OPTIONS',
    where: nameOf(id),
    what: `'${String(scope)}' is not a scope`,
    fix: `give one of ${Object.keys(LIFETIME).reverse().join(', ')}`,
  };
}

const CYCLE_FIX =
  'move what they share into a third service, or resolve one of them later with ctx.resolve()';

/** What helps against a failure while a service is made. */
export function fixOfFailure(code: DefinitionProblem['code'], id: ServiceId): string {
  if (code === 'SIGIL_UNRESOLVABLE') return fixOf(id);
  if (code === 'SIGIL_DEPENDENCY_CYCLE') return CYCLE_FIX;
  return 'see the scopes of these services in @Service({ scope })';
}

function cycle(path: readonly ServiceId[]): DefinitionProblem {
  return {
    code: 'SIGIL_DEPENDENCY_CYCLE',
    where: path.map(nameOf).join(' → '),
    what: 'these services need each other to be constructed',
    fix: CYCLE_FIX,
  };
}

function unresolvable(id: ServiceId, path: readonly ServiceId[]): DefinitionProblem {
  const asker = path.at(-1);
  return {
    code: 'SIGIL_UNRESOLVABLE',
    where: asker === undefined ? nameOf(id) : `${nameOf(asker)}, which needs ${nameOf(id)}`,
    what: 'the container does not know how to make it',
    fix: fixOf(id),
  };
}

/** What helps when the container does not know how to make a service. An abstract class looks like any other at run time. */
function fixOf(id: ServiceId): string {
  if (id === undefined || id === null)
    return 'give a class, a token or a name; an undefined one usually means that two files import each other';
  return typeof id === 'function'
    ? `decorate ${nameOf(id)} with @Service(), or, when it is abstract, give createApp({ providers: [{ provide: ${nameOf(id)}, … }] })`
    : 'give createApp({ providers: [{ provide: <the token>, useValue | useClass | useFactory }] })';
}

function captive(
  id: ServiceId,
  facts: ServiceFacts,
  held: ServiceId,
  heldFacts: ServiceFacts,
): DefinitionProblem {
  return {
    code: 'SIGIL_CAPTIVE_SCOPE',
    where: nameOf(id),
    what: `a ${facts.scope} service would keep the ${heldFacts.scope} service ${nameOf(held)} for everybody`,
    fix: `give ${nameOf(id)} the scope '${heldFacts.scope}', or resolve ${nameOf(held)} in the handler with ctx.resolve()`,
  };
}
