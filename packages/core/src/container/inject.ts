import type { ServiceId } from './container.js';
import type { ScopeContainer } from './scope-container.js';

const AT_WORK = Symbol.for('sigil:containers-at-work');
const shared = globalThis as { [AT_WORK]?: Pick<ScopeContainer, 'find' | 'get'>[] };
// Construction is synchronous, so the container at work is the last one on this stack. A program that loads two copies of the
// package has one stack: a service imports either of them.
const atWork = (shared[AT_WORK] ??= []);

/** Runs a construction during which `inject` resolves from a container. */
export function constructing<T>(container: ScopeContainer, construct: () => T): T {
  atWork.push(container);
  try {
    return construct();
  } finally {
    atWork.pop();
  }
}

/** How `inject` asks. */
export interface InjectOptions {
  /** Returns `undefined` instead of failing if the id is neither provided nor a class with `@Service`. */
  readonly optional?: boolean;
}

/**
 * Resolves a service while a class is being constructed, in a field initialiser or constructor. Needs no decorator
 * metadata, so it works with every build.
 *
 * @param id a class, a token, or a name.
 * @param options whether it may be missing.
 * @returns the service; `undefined` when it is optional and not there.
 * @throws Error when no container is constructing anything.
 * @example
 * ```ts
 * @Service()
 * class Tickets {
 *   private readonly stock = inject(Stock);
 *   private readonly cache = inject(CACHE, { optional: true });
 * }
 * ```
 */
export function inject<T>(
  id: ServiceId<T>,
  options: InjectOptions & { readonly optional: true },
): T | undefined;
export function inject<T>(id: ServiceId<T>, options?: InjectOptions): T;
export function inject<T>(id: ServiceId<T>, options: InjectOptions = {}): T | undefined {
  const container = atWork.at(-1);
  if (!container) {
    throw new Error(
      'inject() works only while the container makes a service: in constructors, field initialisers, and factories before their first await. Pass the dependency by hand here',
    );
  }
  return options.optional ? container.find<T>(id) : container.get<T>(id);
}
