import type { Constructor } from '../protocol/constructor.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';

/** The scopes a resolution happens in, by identity. */
export interface ResolutionScope {
  /** The same object during one request. */
  readonly request: object;
  /** The same object during one legacy session; equal to `request` in the modern era. */
  readonly session: object;
}

/** Anything that makes instances of services. The one method any container can offer. */
export interface Container {
  /**
   * @param cls the class wanted.
   * @param scope the request it is wanted for; absent at start, when singletons are made.
   */
  get<T extends object>(cls: Constructor<T>, scope?: ResolutionScope): MaybePromise<T>;
  /** Disposes of what lived in a scope. */
  release?(scope: object): MaybePromise<void>;
  /** Disposes of everything, those made last first. */
  close?(): MaybePromise<void>;
}
