/** A class that can be constructed. */
export type Constructor<T = object> = new (...args: never[]) => T;

/** Whether a value can be used with `new` and `instanceof`. */
export function isConstructor(value: unknown): value is Constructor {
  return typeof value === 'function' && typeof value.prototype === 'object';
}

/** A class that may be abstract. */
export type AbstractConstructor<T = object> = abstract new (...args: never[]) => T;

/** Carries the type of the service that a token stands for. */
export interface ServiceToken<T> {
  /** Carries the type only. The member does not exist at run time. */
  readonly serviceType?: T;
}

/** The id of a service: a class, an `InjectionToken`, a name, or any object. */
export type ServiceId<T = unknown> =
  (abstract new (...args: never[]) => T & object) | ServiceToken<T> | object | string;

/** The type that a container returns for an id. */
export type ServiceOf<Id> = Id extends abstract new (...args: never[]) => infer T
  ? T
  : Id extends ServiceToken<infer T>
    ? T
    : unknown;

/** The scopes of a resolution, which containers tell apart by object identity. */
export interface ResolutionScope {
  /** The same object during one request. */
  readonly request: object;
  /** The same object during one legacy session; equal to `request` for clients without sessions. */
  readonly session: object;
  /** The context that handlers of the request receive, for services that inject it. */
  readonly context?: () => object;
}
