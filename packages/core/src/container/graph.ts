import type { Problem } from '../errors/definition-error.js';
import type { Scope } from '../metadata/service.js';
import type { Constructor } from '../protocol/constructor.js';
import { dependenciesOf } from './dependencies.js';
import { nameOf, type ServiceId } from './provider.js';

/** What the graph check asks about a service. */
export interface ServiceFacts {
  readonly scope: Scope;
  /** The class whose constructor is run; absent for values and factories. */
  readonly cls?: Constructor | undefined;
}

const LIFETIME: Record<Scope, number> = { transient: 0, request: 1, session: 2, singleton: 3 };

/** Walks what services depend on and reports everything that would fail, or leak between scopes, later on. */
export function checkGraph(
  roots: readonly Constructor[],
  factsOf: (id: ServiceId) => ServiceFacts | undefined,
): Problem[] {
  const problems: Problem[] = [];
  const done = new Set<ServiceId>();

  function visit(id: ServiceId, path: readonly ServiceId[]): void {
    if (path.includes(id)) return void problems.push(cycle([...path.slice(path.indexOf(id)), id]));
    if (done.has(id)) return;
    done.add(id);
    const facts = factsOf(id);
    if (!facts) return void problems.push(unresolvable(id, path));
    if (!facts.cls) return;
    const dependencies = dependenciesOf(facts.cls);
    problems.push(...dependencies.problems);
    for (const dependency of dependencies.ids) {
      const shorter = factsOf(dependency);
      if (shorter && isCaptive(facts.scope, shorter.scope))
        problems.push(captive(id, facts, dependency, shorter));
      visit(dependency, [...path, id]);
    }
  }

  for (const root of roots) visit(root, []);
  return problems;
}

/** Whether a service of one scope would keep an instance of a shorter one alive beyond its end. */
export function isCaptive(holder: Scope, held: Scope): boolean {
  return holder !== 'transient' && held !== 'transient' && LIFETIME[held] < LIFETIME[holder];
}

function cycle(path: readonly ServiceId[]): Problem {
  return {
    code: 'SIGIL_DEPENDENCY_CYCLE',
    where: path.map(nameOf).join(' → '),
    what: 'these services need each other to be constructed',
    fix: 'move what they share into a third service, or resolve one of them later with ctx.resolve()',
  };
}

function unresolvable(id: ServiceId, path: readonly ServiceId[]): Problem {
  const asker = path.at(-1);
  return {
    code: 'SIGIL_UNRESOLVABLE',
    where: asker === undefined ? nameOf(id) : `${nameOf(asker)}, which needs ${nameOf(id)}`,
    what: 'the container does not know how to make it',
    fix:
      typeof id === 'function'
        ? `decorate ${nameOf(id)} with @Service(), or give createApp({ providers: [{ provide: ${nameOf(id)}, … }] })`
        : 'give createApp({ providers: [{ provide: <the token>, useValue | useClass | useFactory }] })',
  };
}

function captive(id: ServiceId, facts: ServiceFacts, held: ServiceId, heldFacts: ServiceFacts): Problem {
  return {
    code: 'SIGIL_CAPTIVE_SCOPE',
    where: nameOf(id),
    what: `a ${facts.scope} service would keep the ${heldFacts.scope} service ${nameOf(held)} for everybody`,
    fix: `give ${nameOf(id)} the scope '${heldFacts.scope}', or resolve ${nameOf(held)} in the handler with ctx.resolve()`,
  };
}
