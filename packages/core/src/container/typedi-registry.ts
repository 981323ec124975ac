import '../metadata/reflect.js';
import { Container, type ContainerInstance, Inject, Token } from 'typedi';
import type { Constructor } from '../protocol/constructor.js';
import type { ServiceId } from './provider.js';

export { Inject, Token };

/** What typedi's own `@Service` and `Container.set` recorded about a service. */
export interface RegisteredService {
  readonly id: unknown;
  readonly type: Constructor | null;
  readonly factory: unknown;
  readonly transient: boolean;
}

/** Finds a service in typedi's default container, where its decorators register. */
export function registered(id: ServiceId): RegisteredService | undefined {
  // typedi keeps the list private, and has no question that does not also create the service.
  const defaults = Container.of(undefined) as unknown as { services: readonly RegisteredService[] };
  return defaults.services.find((service) => service.id === id);
}

/** The value of a token or name set on typedi's default container. */
export function registeredValue(id: ServiceId): unknown {
  return Container.get(id as string);
}

/** What `@Inject` asks for at a constructor parameter; `undefined` when the parameter has none. */
export function injectedAt(cls: Constructor, index: number): ServiceId | undefined {
  // As typedi looks it up: on the class itself and one level above.
  const owners: unknown[] = [cls, Object.getPrototypeOf(cls)];
  const handler = Container.handlers.find(
    (candidate) => candidate.index === index && owners.includes(candidate.object),
  );
  const probe = { get: (id: ServiceId) => id } as unknown as ContainerInstance;
  return handler?.value(probe) as ServiceId | undefined;
}
