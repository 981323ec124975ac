import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { AbstractConstructor, Constructor } from '../protocol/constructor.js';
import type { Rate } from '../backend/backend.js';
import type { GuardContext, RequestContext } from './context.js';

/** A guard as a class, resolved by the container. */
export interface Guard {
  /**
   * Decides whether a definition may be seen and used. Asked for lists, calls, reads, completions and subscriptions
   * alike, before arguments are parsed; for a list, once for each definition in it.
   *
   * @throws an error that the request fails with, instead of a decision. Any error is answered as an internal one; an
   *   `OverloadedError` asks clients to retry, over HTTP with 503 and `Retry-After`.
   */
  allows(context: GuardContext): MaybePromise<boolean>;
  /**
   * Decides whether one call may run, after its arguments are parsed: `context.args` has them. A refused tool call gets
   * an `isError` result, a refused read the answer for a missing resource, and any other request an error (-32602).
   */
  permits?(context: RequestContext): MaybePromise<boolean>;
}

/** A guard: a function like `Guard.allows`, or a class that the container resolves. */
export type GuardLike = ((context: GuardContext) => MaybePromise<boolean>) | Constructor<Guard>;

/**
 * A scope that a principal needs, or a function that gives several for the arguments of a call, once these have been checked. Of a
 * completion, it is given the arguments that there are so far, unchecked.
 */
export type ScopeRequirement<A = never> = string | ((args: A) => MaybePromise<readonly string[]>);

/**
 * The key of a limit. `principal` counts each principal, without one each address, and without that each connection.
 * `address` counts each network address (for IPv6 each network of 64 bits), and `app` all callers together. A function
 * returns a key; `undefined` leaves a call uncounted.
 */
export type LimitKey = 'principal' | 'address' | 'app' | ((context: GuardContext) => string | undefined);

/**
 * The behaviour while the store cannot count calls: each process counts on its own (`local`), all calls are served
 * (`open`), or all are refused (`closed`), over HTTP with 503.
 */
export type UncountedCalls = 'local' | 'open' | 'closed';

/** How often calls may be made. */
export interface RateLimit extends Rate {
  /**
   * The key of the limit.
   * @default 'principal'
   */
  readonly per?: LimitKey;
  /**
   * The behaviour while the store cannot count calls.
   * @default 'local'
   */
  readonly fail?: UncountedCalls;
}

/** How often a definition may be called, and how many of its handlers run at once. */
export interface CallLimit extends Pick<RateLimit, 'fail'> {
  /** How often: a number, and a second, minute, hour or day, such as `30/min`, `5/s`, `100/h` or `1000/d`. */
  readonly rate?: string;
  /**
   * How many times at once, when nothing has been called for long.
   * @default the number of `rate`
   */
  readonly burst?: number;
  /**
   * The key of the limit.
   * @default 'principal' for `rate`; 'app' for `concurrency`, which counts all callers together
   */
  readonly per?: LimitKey;
  /**
   * Maximum number of concurrent runs of the handler in one process. `@TaskSupport({ concurrency })` limits runs of
   * tasks.
   */
  readonly concurrency?: number;
  /**
   * How long a call waits for its turn, in milliseconds, before it is refused. The first to come is the first to run.
   * @default 0
   */
  readonly queueMs?: number;
}

/** A limit of a definition: a rate such as `30/min`, or more about it. */
export type LimitLike = string | CallLimit;

/** Runs the next middleware, or the handler after the last one, and gives its value. May be called once. */
export type NextFunction = () => Promise<unknown>;

/** A middleware as a class, resolved by the container. */
export interface Middleware {
  /**
   * Runs around a handler whose arguments have been checked.
   *
   * @returns the replacement for the handler's return value: usually the value of `next()`. `null` for no value.
   */
  handle(context: RequestContext, next: NextFunction): MaybePromise<unknown>;
}

/** A middleware: a function, or a class that the container resolves. */
export type MiddlewareLike =
  ((context: RequestContext, next: NextFunction) => MaybePromise<unknown>) | Constructor<Middleware>;

/** Turns errors of one class into errors for clients. Created by `mapError`. */
export interface ErrorMapper {
  /** The class of the mapped errors, including its subclasses. */
  readonly error: AbstractConstructor;
  /**
   * Returns the replacement of the error, usually a `ToolError`.
   *
   * @param context the context of the call; `undefined` when the call failed before it had one.
   */
  map(error: object, context?: RequestContext): unknown;
}

/**
 * Maps a domain error to one for clients, in one place: use it in `createApp({ errors })`, in a module, or with
 * `@MapErrors` on a class. The nearest matching mapper is used, and its result is not mapped again.
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
