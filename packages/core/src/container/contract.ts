import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ServiceId } from '../protocol/constructor.js';

/** The scopes a resolution happens in, by identity. */
export interface ResolutionScope {
  /** The same object during one request. */
  readonly request: object;
  /** The same object during one legacy session; equal to `request` in the modern era. */
  readonly session: object;
  /** The context that handlers of the request receive, for services that inject it. */
  readonly context?: () => object;
}

/** Anything that makes instances of services. The one method any container can offer. */
export interface Container {
  /**
   * Gives the instance of a service for a scope; makes it when there is none.
   *
   * @param id the class wanted, or the token or name.
   * @param scope the request it is wanted for; absent outside of requests, when singletons are made.
   */
  get<T>(id: ServiceId<T>, scope?: ResolutionScope): MaybePromise<T>;
  /** Disposes of what lived in a scope: a `request` or `session` that `get` was called for. */
  release?(scope: object): MaybePromise<void>;
  /** Disposes of everything, those made last first. */
  close?(): MaybePromise<void>;
}
