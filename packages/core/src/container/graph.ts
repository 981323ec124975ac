import { type DefinitionProblem, Diagnostics, EMIT_METADATA } from '../errors/errors.js';
import { constructorTypes, optionalOf, serviceOf, type ServiceScope } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import { nameOf, type ServiceId } from './container.js';
import { injectedAt } from './typedi-registry.js';

/** The dependencies of a constructor. */
interface Dependencies {
  readonly ids: readonly ServiceId[];
  /** The dependencies that may be missing. */
  readonly optional: readonly ServiceId[];
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

/**
 * Returns the dependencies of a constructor. The id in `@Inject` takes precedence over the type that the compiler
 * emitted.
 *
 * @param diagnostics receives a problem for each parameter whose dependency cannot be determined.
 */
export function dependenciesOf(cls: Constructor, diagnostics?: Diagnostics): Dependencies {
  const owner = constructorOwner(cls);
  const types = constructorTypes(owner);
  const count = Math.max(owner.length, types?.length ?? 0);
  const ids: ServiceId[] = [];
  const optional: ServiceId[] = [];
  const mayBeEmpty = optionalOf(owner);
  for (let index = 0; index < count; index++) {
    const id = injectedAt(owner, index) ?? types?.[index];
    if (!NOT_INJECTABLE.includes(id)) (mayBeEmpty.includes(index) ? optional : ids).push(id as ServiceId);
    // A parameter with a default value needs no dependency.
    else if (index < owner.length)
      diagnostics?.at(`${cls.name}, constructor parameter ${index}`).add(...unknownType(cls, types));
  }
  return { ids: [...ids, ...optional], optional };
}

function unknownType(cls: Constructor, types: unknown): Parameters<Diagnostics['add']> {
  if (types === undefined) {
    return [
      'SIGIL_MISSING_METADATA',
      'the compiler emitted no decorator metadata, so the type of this parameter is not known',
      `${serviceOf(cls) ? '' : `decorate ${cls.name} with @Service(), and `}${EMIT_METADATA}; or write "private readonly x = inject(X)" instead of the parameter`,
    ];
  }
  return [
    'SIGIL_ERASED_TYPE',
    'the type of this parameter is not a class at run time',
    'import the class with "import { X }" instead of "import type { X }", or write @Inject(TOKEN) before the parameter',
  ];
}

/**
 * Returns the class whose constructor runs: the class itself, or a base class if it has no constructor of its
 * own.
 */
function constructorOwner(cls: Constructor): Constructor {
  const parent: unknown = Object.getPrototypeOf(cls);
  const declares = constructorTypes(cls) !== undefined || cls.length > 0;
  if (declares || typeof parent !== 'function' || parent === Function.prototype) return cls;
  return constructorOwner(parent as Constructor);
}

/** The details of a service that `checkGraph` needs. */
export interface ServiceDetails {
  readonly scope: ServiceScope;
  /** The class whose constructor creates the service; absent for values, factories and aliases. */
  readonly cls?: Constructor | undefined;
  /** The dependencies of a factory, or the target of an alias. */
  readonly needs?: readonly ServiceId[];
}

const LIFETIME: Record<ServiceScope, number> = { transient: 0, request: 1, session: 2, singleton: 3 };

/**
 * Returns the ids of the services that must exist before the given service can be created.
 *
 * @param knows a function that returns whether the container can provide a service. If the function returns `false` for
 *   an optional dependency, this dependency is left out.
 * @param diagnostics receives a problem for each constructor parameter whose dependency cannot be determined.
 */
export function needsOf(
  { cls, needs = [] }: ServiceDetails,
  knows: (id: ServiceId) => boolean,
  diagnostics?: Diagnostics,
): readonly ServiceId[] {
  if (!cls) return needs;
  const { ids, optional } = dependenciesOf(cls, diagnostics);
  return ids.filter((id) => !optional.includes(id) || knows(id));
}

/**
 * Finds cycles of dependencies, services that cannot be created, invalid scopes, and services that depend on a service
 * with a shorter lifetime than their own.
 */
export function checkGraph(
  roots: readonly ServiceId[],
  detailsOf: (id: ServiceId) => ServiceDetails | undefined,
  knows: (id: ServiceId) => boolean,
): readonly DefinitionProblem[] {
  const diagnostics = new Diagnostics();
  const done = new Set<ServiceId>();

  function visit(id: ServiceId, path: readonly ServiceId[]): void {
    const at = diagnostics.at(nameOf(id));
    if (path.includes(id)) {
      const where = [...path.slice(path.indexOf(id)), id].map(nameOf).join(' → ');
      const what = 'these services depend on each other';
      return diagnostics.at(where).add('SIGIL_DEPENDENCY_CYCLE', what, CYCLE_FIX);
    }
    if (done.has(id)) return;
    done.add(id);
    const details = detailsOf(id);
    if (!details) {
      const asker = path.at(-1);
      const where = asker === undefined ? nameOf(id) : `${nameOf(asker)}, which needs ${nameOf(id)}`;
      return diagnostics.at(where).add('SIGIL_UNRESOLVABLE', cannotCreate(id), fixOf(id));
    }
    const { scope } = details;
    if (!Object.hasOwn(LIFETIME, scope)) {
      const fix = `use one of ${Object.keys(LIFETIME).reverse().join(', ')}`;
      at.add('SIGIL_INVALID_OPTIONS', `'${String(scope)}' is not a scope`, fix);
    }
    const service = details.cls && serviceOf(details.cls);
    for (const option of Object.keys(service ?? {}).filter((name) => name !== 'scope'))
      diagnostics
        .at(`${nameOf(id)}, @Service({ ${option} })`)
        .add(
          'SIGIL_INVALID_OPTIONS',
          'this option does not exist; the only option is scope',
          'write @Service({ scope })',
        );
    const needs = needsOf(details, knows, diagnostics);
    for (const hook of unawaitedHooks(details)) {
      const what = `a ${scope} service is created during a request, so its ${hook} is never called`;
      diagnostics.at(`${nameOf(id)}.${hook}`).add('SIGIL_UNAWAITED_HOOK', what, HOOK_FIX);
    }
    for (const need of needs) {
      const shorter = detailsOf(need)?.scope;
      if (shorter && isCaptive(scope, shorter))
        at.add(
          'SIGIL_CAPTIVE_SCOPE',
          `a ${scope} service would share the ${shorter} service ${nameOf(need)} between all clients`,
          `set the scope of ${nameOf(id)} to '${shorter}', or resolve ${nameOf(need)} in the handler with ctx.resolve()`,
        );
      visit(need, [...path, id]);
    }
  }

  for (const root of roots) visit(root, []);
  return diagnostics.problems;
}

/**
 * Returns `true` if a service with the scope `holder` lives longer than its dependency with the scope `held`. For
 * example, a singleton lives longer than a request. Returns `false` if one of the scopes is `transient`.
 */
export function isCaptive(holder: ServiceScope, held: ServiceScope): boolean {
  return holder !== 'transient' && held !== 'transient' && LIFETIME[held] < LIFETIME[holder];
}

/** Returns the hooks that are not awaited: only the hooks of singletons are awaited before use. */
function unawaitedHooks({ scope, cls }: ServiceDetails): string[] {
  if (scope === 'singleton' || !cls) return [];
  const prototype = cls.prototype as Record<string, unknown>;
  return ['onInit', 'onReady'].filter((hook) => typeof prototype[hook] === 'function');
}

const HOOK_FIX =
  'make the service a singleton, use a provider with an asynchronous useFactory, or do the work in the handler';
const CYCLE_FIX =
  'move the common part of these services into a third service, or resolve one of them later with ctx.resolve()';

/** Returns advice for a service that could not be created. */
export function fixOfFailure(code: DefinitionProblem['code'], id: ServiceId): string {
  if (code === 'SIGIL_UNRESOLVABLE') return fixOf(id);
  if (code === 'SIGIL_DEPENDENCY_CYCLE') return CYCLE_FIX;
  return 'set a shorter scope with @Service({ scope }) on the service that has the dependency, or call ctx.resolve() in the handler';
}

/** Returns the message for a service that the container cannot create. */
export function cannotCreate(id: ServiceId): string {
  return `the container cannot create ${nameOf(id)}`;
}

/**
 * Returns advice for a service that the container cannot create. At run time, an abstract class looks like
 * any other class.
 */
function fixOf(id: ServiceId): string {
  if (id === undefined || id === null)
    return 'use a class, a token or a name; if the id is undefined, the usual cause is that two files import each other';
  return typeof id === 'function'
    ? `decorate ${nameOf(id)} with @Service(), or, if it is an abstract class, add an object such as { provide: ${nameOf(id)}, useClass: … } to createApp({ providers })`
    : 'add provide(<the token>, <its value>) to createApp({ providers }), or an object with provide: <the token> and useClass or useFactory';
}
