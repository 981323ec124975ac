import type { Constructor } from '../protocol/constructor.js';
import { KEYS } from './keys.js';
import { readOwn, write } from './reflect.js';

/** How long an instance lives: as long as the app, a legacy session, or a request; or made anew each time. */
export type Scope = 'singleton' | 'session' | 'request' | 'transient';

/** How the container makes a class. */
export interface ServiceDefinition {
  readonly scope: Scope;
}

/** Records that a class is a service. */
export function defineService(cls: object, definition: ServiceDefinition): void {
  write(KEYS.service, definition, cls);
}

/** How the container makes a class; `undefined` when nothing was recorded on the class itself. */
export function serviceOf(cls: Constructor): ServiceDefinition | undefined {
  return readOwn(KEYS.service, cls) as ServiceDefinition | undefined;
}

/** Records that a constructor parameter stays `undefined` where nothing provides it. */
export function addOptional(cls: object, index: number): void {
  write(KEYS.optional, [...((readOwn(KEYS.optional, cls) as number[] | undefined) ?? []), index], cls);
}

/** The constructor parameters of a class itself that may stay `undefined`, by index. */
export function optionalOf(cls: Constructor): readonly number[] {
  return (readOwn(KEYS.optional, cls) as number[] | undefined) ?? [];
}
