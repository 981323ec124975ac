import type { Constructor } from '../protocol/constructor.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Scope } from '../metadata/service.js';

/** Something that never exists and only names a service: typedi's `Token`, or any object of your own. */
export type ServiceId<T = unknown> = Constructor<T & object> | object | string;

/** Resolves another service, in the scope of the one being made. */
export type Resolve = <T>(id: ServiceId<T>) => T;

/** Says how one service is made, where a decorated class is not enough. Given to `createApp({ providers })`. */
export type Provider =
  | { readonly provide: ServiceId; readonly useValue: unknown }
  | { readonly provide: ServiceId; readonly useClass: Constructor; readonly scope?: Scope }
  | {
      readonly provide: ServiceId;
      /** May be asynchronous for a singleton: it is awaited before the server listens. */
      readonly useFactory: (resolve: Resolve) => MaybePromise<unknown>;
      readonly scope?: Scope;
    };

/** The name of a service in messages to the author. */
export function nameOf(id: ServiceId): string {
  if (typeof id === 'function') return id.name || 'an anonymous class';
  if (typeof id === 'string') return `'${id}'`;
  const name = (id as { name?: unknown }).name;
  return typeof name === 'string' && name !== '' ? `token '${name}'` : 'a nameless token';
}
