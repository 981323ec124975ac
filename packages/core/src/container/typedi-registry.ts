import '../metadata/keys.js';
import type { ContainerInstance, Inject as InjectOfTypedi, Token as TokenOfTypedi } from 'typedi';
import exported from '#typedi';
import type { StandardContext } from '../metadata/standard-decorators.js';
import type { Constructor, ServiceToken } from '../protocol/constructor.js';
import type { ServiceId } from './container.js';

const { typedi } = exported;
const Token: typeof TokenOfTypedi = typedi.Token;

type InjectDecorator = (target: object, member?: string | symbol | StandardContext, index?: number) => void;

/**
 * Sets the id of the service to inject into a constructor parameter. Use the decorator if the parameter's type does not
 * determine the service. In field initialisers, use `inject(id)` instead. The decorator applies typedi's `@Inject`.
 *
 * @throws TypeError when it is applied as a standard decorator, because parameters cannot have standard decorators.
 * @example
 * ```ts
 * @Service()
 * class Search {
 *   constructor(@Inject(CACHE) private readonly cache: Cache) {}
 * }
 * ```
 */
export const Inject: typeof InjectOfTypedi = (id?: unknown): InjectDecorator => {
  const decorate = typedi.Inject(id as never) as InjectDecorator;
  return (target, member, index) => {
    if (typeof member === 'object')
      throw new TypeError(
        `@Inject on ${String(member.name)}: standard decorators cannot inject; write inject(id) as the initialiser of the field, or set "experimentalDecorators": true in tsconfig.json`,
      );
    decorate(target, member, index);
  };
};

/**
 * The id of a service that has no class. `inject`, `provide`, `ctx.resolve` and `app.get` infer the type of the service
 * from the token.
 *
 * @example
 * ```ts
 * const DATABASE = new InjectionToken<Database>('database');
 * ```
 */
export class InjectionToken<T = unknown> extends Token<T> implements ServiceToken<T> {
  /** The type of the service, for type inference. The property does not exist at run time. */
  declare readonly serviceType?: T;
}

/** A service that was registered with typedi's own `@Service` or `Container.set`. */
export interface RegisteredService {
  readonly id: unknown;
  readonly type: Constructor | null;
  readonly factory: unknown;
  readonly transient: boolean;
  readonly value: unknown;
}

/** Finds a service in typedi's default container, where typedi's decorators register services. */
export function registered(id: ServiceId): RegisteredService | undefined {
  // typedi keeps the list private, and has no method to look up a service without creating it.
  const defaults = typedi.Container.of(undefined) as unknown as { services: readonly RegisteredService[] };
  return defaults.services.find((service) => service.id === id);
}

/**
 * Whether a registered service already has a value, either set by the author or created by typedi's default container.
 */
export function isValue({ value }: RegisteredService): boolean {
  // typedi marks missing instances with a symbol that it does not export.
  return !(typeof value === 'symbol' && value.description === 'EMPTY_VALUE');
}

/** Returns the id that `@Inject` sets for a constructor parameter; `undefined` if the parameter has no `@Inject`. */
export function injectedAt(cls: Constructor, index: number): ServiceId | undefined {
  // Looked up as typedi does: on the class itself and one level above.
  const owners: unknown[] = [cls, Object.getPrototypeOf(cls)];
  const handler = typedi.Container.handlers.find(
    (candidate) => candidate.index === index && owners.includes(candidate.object),
  );
  const probe = { get: (id: ServiceId) => id } as ContainerInstance;
  return handler?.value(probe) as ServiceId | undefined;
}
