import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { AbstractConstructor, Constructor } from '../protocol/constructor.js';
import type { GuardContext, RequestContext } from './context.js';

/** A guard as a class, resolved by the container. */
export interface Guard {
  /**
   * Decides whether a definition may be seen and used. Asked for lists, calls, reads, completions and subscriptions alike, before
   * arguments are parsed; for a list, once for each definition in it.
   *
   * @throws whatever the request is to fail with: neither yes nor no. Any error is answered as an internal one; an `OverloadedError` has
   *   clients try again later, over HTTP by 503 with `Retry-After`.
   */
  allows(context: GuardContext): MaybePromise<boolean>;
  /**
   * Decides whether one call may run, once its arguments are parsed: `context.args` has them. A refused tool call is answered
   * with an `isError` result, a refused read as if there were no such resource, any other request with an error (-32602).
   */
  permits?(context: RequestContext): MaybePromise<boolean>;
}

/** A guard: a function that is asked what `Guard.allows` is asked, or a class that the container resolves. */
export type GuardLike = ((context: GuardContext) => MaybePromise<boolean>) | Constructor<Guard>;

/**
 * A scope that a principal needs, or a function that gives several for the arguments of a call, once these have been checked. Of a
 * completion, it is given the arguments that there are so far, unchecked.
 */
export type ScopeRequirement<A = never> = string | ((args: A) => MaybePromise<readonly string[]>);

/** Runs the next middleware, or the handler after the last one, and gives its value. May be called once. */
export type NextFunction = () => Promise<unknown>;

/** A middleware as a class, resolved by the container. */
export interface Middleware {
  /**
   * Runs around a handler whose arguments have been checked.
   *
   * @returns what the handler is to have returned: usually the value of `next()`. `null` for no value at all.
   */
  handle(context: RequestContext, next: NextFunction): MaybePromise<unknown>;
}

/** A middleware: a function, or a class that the container resolves. */
export type MiddlewareLike =
  ((context: RequestContext, next: NextFunction) => MaybePromise<unknown>) | Constructor<Middleware>;

/** Turns errors of one class into errors that clients are told. Made by `mapError`. */
export interface ErrorMapper {
  /** The class whose instances are mapped, those of its subclasses included. */
  readonly error: AbstractConstructor;
  /**
   * Gives the error to go on with, usually a `ToolError`.
   *
   * @param context the context of the call; `undefined` when the call failed before it had one.
   */
  map(error: object, context?: RequestContext): unknown;
}

/**
 * Says what a domain error becomes for clients, in one place: give it to `createApp({ errors })`, to a module, or to a class with
 * `@MapErrors`. The nearest mapper that fits is used, and the error it gives is mapped no further.
 *
 * @param error the class of the error.
 * @param map gives the error to answer with: a `ToolError` for the model, a `ProtocolError` for the client.
 * @returns the mapper.
 * @example
 * ```ts
 * createApp({
 *   name: 'shop',
 *   version: '1.0.0',
 *   errors: [mapError(OutOfStock, (error) => new ToolError(`There is no more ${error.sku}`))],
 * });
 * ```
 */
export function mapError<E extends object>(
  error: AbstractConstructor<E>,
  map: (error: E, context?: RequestContext) => unknown,
): ErrorMapper {
  return { error, map };
}
