/** A class that can be constructed. */
export type Constructor<T = object> = new (...args: never[]) => T;

/** Whether a value can be used with `new` and `instanceof`. */
export function isConstructor(value: unknown): value is Constructor {
  return typeof value === 'function' && typeof value.prototype === 'object';
}

/** A class that may be abstract. */
export type AbstractConstructor<T = object> = abstract new (...args: never[]) => T;

/** A token for a service; `T` is the type of the service. */
export interface ServiceToken<T> {
  /** Only declares the type of the service. The member does not exist at run time. */
  readonly serviceType?: T;
}

/** The id of a service: a class, an `InjectionToken`, a name, or any object. */
export type ServiceId<T = unknown> =
  (abstract new (...args: never[]) => T & object) | ServiceToken<T> | object | string;

/** The type of the service that a container returns for an id. */
export type ServiceOf<Id> = Id extends abstract new (...args: never[]) => infer T
  ? T
  : Id extends ServiceToken<infer T>
    ? T
    : unknown;

/** The request and the session of a service that a container resolves. Containers compare both by object identity. */
export interface ResolutionScope {
  /** Identifies the request: the same object is passed during one request. */
  readonly request: object;
  /**
   * Identifies the session (revision 2025-11-25 or earlier): the same object during one session. If there is no
   * session, the object is the same as `request`.
   */
  readonly session: object;
  /** Returns the context of the request, so that services can inject it. */
  readonly context?: () => object;
}
