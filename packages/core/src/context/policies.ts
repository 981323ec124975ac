import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Access, RequestContext } from './request-context.js';

/** A guard as a class, resolved by the container. */
export interface Guard {
  /**
   * Decides whether a definition may be seen and used. Asked for lists, calls, reads, completions and subscriptions alike, before
   * arguments are parsed. An error counts as no.
   */
  allows(access: Access): MaybePromise<boolean>;
  /**
   * Decides whether one call may run, once its arguments are parsed: `context.args` has them. A refused tool call is answered
   * with an `isError` result, a refused read as if there were no such resource, any other request with an error (-32602).
   */
  permits?(context: RequestContext): MaybePromise<boolean>;
}

/** A guard: a function that is asked what `Guard.allows` is asked, or a class that the container resolves. */
export type GuardLike = ((access: Access) => MaybePromise<boolean>) | Constructor<Guard>;

/** Runs the next middleware, or the handler after the last one, and gives its value. May be called once. */
export type Next = () => Promise<unknown>;

/** A middleware as a class, resolved by the container. */
export interface Middleware {
  /**
   * Runs around a handler whose arguments have been checked.
   *
   * @returns what the handler is to have returned: usually the value of `next()`. `null` for no value at all.
   */
  handle(context: RequestContext, next: Next): MaybePromise<unknown>;
}

/** A middleware: a function, or a class that the container resolves. */
export type MiddlewareLike =
  ((context: RequestContext, next: Next) => MaybePromise<unknown>) | Constructor<Middleware>;
