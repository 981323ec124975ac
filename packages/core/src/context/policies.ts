import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { AbstractConstructor, Constructor } from '../protocol/constructor.js';
import type { Rate } from '../backend/backend.js';
import type { GuardContext, RequestContext } from './context.js';

/** A guard that is a class. The container creates the instance of the class. */
export interface Guard {
  /**
   * Decides whether the caller may see and use a definition. Called for lists, calls, reads, completions and
   * subscriptions, before arguments are parsed. For a list, it is called once for each definition.
   *
   * @throws any error, if the guard cannot decide. The request then fails, and the client gets an internal error. An
   *   `OverloadedError` also asks the client to retry (over HTTP: 503 and `Retry-After`).
   */
  allows(context: GuardContext): MaybePromise<boolean>;
  /**
   * Decides whether one call may run. Called after the arguments are parsed; they are in `context.args`. A refused tool
   * call gets an `isError` result. A refused read gets the same answer as a missing resource. Any other refused request
   * gets an error (-32602).
   */
  permits?(context: RequestContext): MaybePromise<boolean>;
}

/** A guard: a function like `Guard.allows`, or a class that the container resolves. */
export type GuardLike = ((context: GuardContext) => MaybePromise<boolean>) | Constructor<Guard>;

/**
 * A scope that the principal needs, or a function that returns the scopes for the arguments of a call. The function
 * receives checked arguments. For a completion, it receives the arguments known so far, unchecked.
 */
export type ScopeRequirement<A = never> = string | ((args: A) => MaybePromise<readonly string[]>);

/**
 * How a limit groups the calls that it counts:
 *
 * - `principal`: one group for each principal; without a principal, one for each network address; without an address,
 *   one for each connection.
 * - `address`: one group for each network address; for IPv6, one for each 64-bit network.
 * - `app`: one group for all callers.
 * - a function: one group for each key that the function returns. If the function returns `undefined`, the call is not
 *   counted.
 */
export type LimitKey = 'principal' | 'address' | 'app' | ((context: GuardContext) => string | undefined);

/**
 * The behaviour while the store cannot count calls: each process counts on its own (`local`), all calls are served
 * (`open`), or all calls are refused (`closed`; over HTTP: 503).
 */
export type UncountedCalls = 'local' | 'open' | 'closed';

/** A limit on the rate of calls, and how the limit counts the calls. */
export interface RateLimit extends Rate {
  /**
   * How the limit groups the calls that it counts.
   * @default 'principal'
   */
  readonly per?: LimitKey;
  /**
   * The behaviour while the store cannot count calls.
   * @default 'local'
   */
  readonly fail?: UncountedCalls;
}

/** Limits on the rate and on the concurrency of a definition's calls. */
export interface CallLimit extends Pick<RateLimit, 'fail'> {
  /** The number of calls per second, minute, hour or day, such as `30/min`, `5/s`, `100/h` or `1000/d`. */
  readonly rate?: string;
  /**
   * How many calls are allowed in immediate succession after a long pause.
   * @default the number in `rate`, such as 30 for `30/min`
   */
  readonly burst?: number;
  /**
   * How the limit groups the calls that it counts.
   * @default 'principal' for `rate`; 'app' for `concurrency`, so that all callers count together
   */
  readonly per?: LimitKey;
  /**
   * Maximum number of concurrent calls of the handler in one process, for each group that `per` defines. Runs of tasks
   * do not count; `@TaskSupport({ concurrency })` limits them.
   */
  readonly concurrency?: number;
  /**
   * How long a call beyond `concurrency` waits for its turn, in milliseconds, before it is refused. Waiting calls run
   * in order of arrival.
   * @default 0
   */
  readonly queueMs?: number;
}

/** A limit of a definition: a rate such as `30/min`, or an object with further options. */
export type LimitLike = string | CallLimit;

/**
 * Runs the next middleware or, if no further middleware follows, the handler. Returns the value of that middleware or
 * handler. Must not be called more than once.
 */
export type NextFunction = () => Promise<unknown>;

/** A middleware that is a class. The container creates the instance of the class. */
export interface Middleware {
  /**
   * Runs around the handler, after the arguments have been checked. The handler runs only if this method calls
   * `next()`.
   *
   * @returns the value that replaces the handler's return value, usually the value of `next()`; `null` for no value.
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
   * Returns the replacement for the error, usually a `ToolError`.
   *
   * @param context the context of the call; `undefined` if the call failed before its context was created.
   */
  map(error: object, context?: RequestContext): unknown;
}

/**
 * Maps a domain error to an error for clients. Use the mapper in `createApp({ errors })`, in a module, or with
 * `@MapErrors` on a class. If several mappers match, the mapper nearest to the handler is used: class before module,
 * module before app. The error that the mapper returns is not mapped again.
 *
 * @param error the class of the error.
 * @param map a function that receives the error, and returns the error to answer with: a `ToolError` for the model, or
 *   a `ProtocolError` for the client.
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
