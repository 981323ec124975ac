import type { Container } from '../container/contract.js';
import type { Provider } from '../container/provider.js';
import { TypediContainer } from '../container/typedi.js';
import type { Guard, Middleware } from '../context/access.js';
import type { Problem } from '../errors/definition-error.js';
import { isClassWith } from '../invoke/middleware.js';
import type { Instances } from '../invoke/resolve-instance.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Declaration } from '../registry/declaration.js';
import type { AppOptions } from './app-options.js';

/** The services of an app, and how they begin. */
export interface Services {
  readonly container: Container;
  readonly instances: Instances;
  /** What is wrong with classes, and with what they need. */
  check(classes: readonly Constructor[]): Problem[];
  /** Makes the singletons and awaits their `onInit`. */
  start(classes: readonly Constructor[]): Promise<void>;
  /** Awaits `onReady` of what has been made. */
  ready(): Promise<void>;
}

/** Chooses the container: the author's own, or ours. */
export function chooseServices(own: Container | undefined, providers: readonly Provider[]): Services {
  if (own) {
    const nothing = (): Promise<void> => Promise.resolve();
    // A foreign container alone knows how long its instances live, so it is asked each time.
    const instances = { container: own, isSingleton: () => false };
    return { container: own, instances, check: () => [], start: nothing, ready: nothing };
  }
  const container = new TypediContainer(providers);
  return {
    container,
    instances: { container, isSingleton: (cls) => container.scopeOf(cls) === 'singleton' },
    check: (classes) => container.check(classes),
    start: (classes) => container.start(classes),
    ready: () => container.ready(),
  };
}

/** The classes that the container is to make: those with handlers, guards and middleware. */
export function classesOf(
  declarations: readonly Declaration[],
  { guards = [], middleware = [] }: Pick<AppOptions, 'guards' | 'middleware'>,
): Constructor[] {
  const targets = declarations.map(({ target }) => (target.kind === 'method' ? target.cls : undefined));
  const allGuards = [...guards, ...declarations.flatMap((declaration) => declaration.guards)];
  const allMiddleware = [...middleware, ...declarations.flatMap((declaration) => declaration.middleware)];
  return [
    ...new Set([
      ...targets.filter((cls) => cls !== undefined),
      ...allGuards.filter((guard) => isClassWith<Guard>(guard, 'allows')),
      ...allMiddleware.filter((step) => isClassWith<Middleware>(step, 'handle')),
    ]),
  ];
}
