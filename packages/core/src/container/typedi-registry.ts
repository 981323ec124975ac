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
 * Names the id of a constructor parameter, if its type does not determine it: the `@Inject` of typedi. Field
 * initialisers use `inject(id)`.
 *
 * @throws TypeError, the decorator, when it is a standard one: parameters cannot have those.
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
 * Names a service that has no class, and carries its type: `inject`, `provide`, `ctx.resolve` and `app.get` infer it.
 *
 * @example
 * ```ts
 * const DATABASE = new InjectionToken<Database>('database');
 * ```
 */
export class InjectionToken<T = unknown> extends Token<T> implements ServiceToken<T> {
  /** Never there at run time. */
  declare readonly serviceType?: T;
}

/** The record of typedi's own `@Service` and `Container.set` about a service. */
export interface RegisteredService {
  readonly id: unknown;
  readonly type: Constructor | null;
  readonly factory: unknown;
  readonly transient: boolean;
  readonly value: unknown;
}

/** Finds a service in typedi's default container, in which its decorators register. */
export function registered(id: ServiceId): RegisteredService | undefined {
  // typedi keeps the list private, and has no question that does not also create the service.
  const defaults = typedi.Container.of(undefined) as unknown as { services: readonly RegisteredService[] };
  return defaults.services.find((service) => service.id === id);
}

/** Whether a registered service is a value, set by hand or made by the default container before. */
export function isValue({ value }: RegisteredService): boolean {
  // typedi marks missing instances with a symbol that it does not export.
  return !(typeof value === 'symbol' && value.description === 'EMPTY_VALUE');
}

/** The id in `@Inject` at a constructor parameter; `undefined` if the parameter has none. */
export function injectedAt(cls: Constructor, index: number): ServiceId | undefined {
  // As typedi looks it up: on the class itself and one level above.
  const owners: unknown[] = [cls, Object.getPrototypeOf(cls)];
  const handler = typedi.Container.handlers.find(
    (candidate) => candidate.index === index && owners.includes(candidate.object),
  );
  const probe = { get: (id: ServiceId) => id } as ContainerInstance;
  return handler?.value(probe) as ServiceId | undefined;
}
