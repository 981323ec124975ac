import type { ServiceId } from './container.js';
import type { ScopeContainer } from './scope-container.js';

const AT_WORK = Symbol.for('sigil:containers-at-work');
const shared = globalThis as { [AT_WORK]?: Pick<ScopeContainer, 'find' | 'get'>[] };
// Construction is synchronous, so the container at work is the last one on this stack. Two copies of the package in one
// program share one stack, because a service may import either copy.
const atWork = (shared[AT_WORK] ??= []);

/** Runs a function that constructs an instance. During the run, `inject` resolves services from the given container. */
export function constructing<T>(container: ScopeContainer, construct: () => T): T {
  atWork.push(container);
  try {
    return construct();
  } finally {
    atWork.pop();
  }
}

/** Options of `inject`. */
export interface InjectOptions {
  /**
   * If `true`, `inject` returns `undefined` for a missing service; by default, it throws. A service is missing if its
   * id has no provider and is not a class with `@Service`.
   */
  readonly optional?: boolean;
}

/**
 * Resolves a service while a class is being constructed, in a field initialiser or constructor. This function needs no
 * decorator metadata, so it works with every build.
 *
 * @param id a class, a token, or a name.
 * @param options whether the service may be missing.
 * @returns the service; `undefined` if it is optional and missing.
 * @throws Error when no container is constructing an instance.
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
      'inject() only works while the container creates a service: in constructors, field initialisers, and factories before their first await. Elsewhere, pass the dependency as an argument',
    );
  }
  return options.optional ? container.find<T>(id) : container.get<T>(id);
}
