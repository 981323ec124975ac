import type { ServiceId } from './container.js';
import type { ScopeContainer } from './scope-container.js';

const AT_WORK = Symbol.for('sigil:containers-at-work');
const shared = globalThis as { [AT_WORK]?: Pick<ScopeContainer, 'find' | 'get'>[] };
// Construction is synchronous, so the container at work is the last one on this stack. Two copies of the package in one
// program share one stack, because a service may import either copy.
const atWork = (shared[AT_WORK] ??= []);

/** Runs a construction; meanwhile, `inject` resolves from the container. */
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
  /** Returns `undefined` instead of failing if the id is neither provided nor a class with `@Service`. */
  readonly optional?: boolean;
}

/**
 * Resolves a service while a class is being constructed, in a field initialiser or constructor. It needs no decorator
 * metadata, so it works with every build.
 *
 * @param id a class, a token, or a name.
 * @param options whether the service may be missing.
 * @returns the service; `undefined` if it is optional and missing.
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
