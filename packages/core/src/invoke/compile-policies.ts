import {
  type Diagnostics,
  invalidParams,
  isProtocolError,
  messageOf,
  OverloadedError,
} from '../errors/errors.js';
import type { Container } from '../container/container.js';
import type { Call } from '../context/call.js';
import type { Guard, GuardLike, Middleware, MiddlewareLike, NextFunction } from '../context/policies.js';
import { type GuardContext, type DefinitionInfo, type RequestContext } from '../context/context.js';
import { type Constructor, isConstructor } from '../protocol/constructor.js';
import { frozenCopy, isObject } from '../protocol/json.js';
import { isScope } from '../protocol/principal.js';
import { after, isPromise, type MaybePromise, observed, recovered } from '../protocol/maybe-promise.js';
import type { Logger } from '../protocol/logging.js';
import type { Deadlines } from '../transport/deadlines.js';
import type { Declaration, GuardCheck, NamedGuard } from './declaration.js';

/** Decides whether one call may run with its arguments. */
type PermitsCall = (call: Call, context: RequestContext) => MaybePromise<boolean>;

/** Runs a handler with middleware around it. */
export type Around = (call: Call, context: RequestContext, handler: () => unknown) => MaybePromise<unknown>;

/** The dependencies of the compiled guard checks. */
export interface GuardParts {
  readonly container: Container;
  /** The time limit of each guard. */
  readonly guardTime: Deadlines;
  readonly logger: Logger;
  /**
   * The guards that have returned a value other than true or false. A warning is logged once for each of these guards.
   */
  readonly unclear: WeakSet<GuardLike>;
}

/** Thrown when a guard throws: access is neither granted nor refused, and the request fails. */
class GuardFailure extends Error {
  override readonly name = 'GuardFailure';
}

/**
 * The error of a guard or scope function that exceeds its time limit. The request is then refused with an
 * `OverloadedError`, whose `cause` is this error.
 */
export class LateGuardError extends Error {
  override readonly name = 'LateGuardError';
}

/**
 * Compiles guards into one check. The check calls the guards in order, and stops at the first guard that refuses the
 * call. It throws if a guard throws.
 */
export function compileGuards(
  guards: readonly GuardLike[],
  definition: DefinitionInfo,
  parts: GuardParts,
): GuardCheck | undefined {
  if (guards.length === 0) return undefined;
  const asks = guards.map((guard, index) => toAsk(guard, index, parts));
  const askFrom = (index: number, call: Call, access: GuardContext): MaybePromise<boolean> => {
    const ask = asks[index];
    if (!ask) return true;
    return after(ask(call, access), (allowed) =>
      allowed === true ? askFrom(index + 1, call, access) : refused(allowed, guards[index], parts),
    );
  };
  const fail = (error: unknown): never => {
    // Such an error is for the client.
    if (isProtocolError(error)) throw error;
    const names = guards.map(nameOf).join(', ');
    throw new GuardFailure(
      `${guards.length === 1 ? 'The guard' : 'One of the guards'} ${names} failed: ${messageOf(error)}`,
      { cause: error },
    );
  };
  return (call, context) =>
    recovered(() => askFrom(0, call, context ?? guardContextOf(call, definition)), fail);
}

/**
 * Refuses a call, because its guard did not return `true`. If the guard returned no boolean, a warning is logged, once
 * for each guard.
 */
function refused(answer: unknown, guard: GuardLike | undefined, { logger, unclear }: GuardParts): false {
  if (answer === false || guard === undefined || unclear.has(guard)) return false;
  unclear.add(guard);
  const given =
    answer === null ? 'null' : answer === undefined ? 'undefined' : `a value of type ${typeof answer}`;
  logger.warn(
    { guard: guard.name || 'a function without a name' },
    `a guard returned ${given}, which refuses the call: return true to allow it, or false to refuse it; perhaps the guard lacks a "return"`,
  );
  return false;
}

/**
 * Compiles each guard into a separate check. These checks only show which guard refuses a caller; requests are served
 * with the check from `compileGuards`.
 */
export function nameGuards(
  guards: readonly GuardLike[],
  definition: DefinitionInfo,
  parts: GuardParts,
): readonly NamedGuard[] {
  // Other values are reported as invalid guards.
  const guardChecks = guards
    .filter((guard) => typeof guard === 'function')
    .flatMap((guard, index) => {
      const allows = compileGuards([guard], definition, parts);
      return allows ? [{ name: guard.name || `guard ${index + 1}, which has no name`, allows }] : [];
    });
  return frozenCopy(guardChecks);
}

/**
 * Compiles the `permits` methods of guard classes into one check of the parsed arguments. Returns `undefined` if no
 * guard is a class.
 */
export function compilePermits(guards: readonly GuardLike[], parts: GuardParts): PermitsCall | undefined {
  const classes = guards.filter((guard) => isClass<Guard>(guard));
  if (classes.length === 0) return undefined;
  const askFrom = (index: number, call: Call, context: RequestContext): MaybePromise<boolean> => {
    const guard = classes[index];
    if (!guard) return true;
    const permitted = after(resolve(guard, call, parts.container), (instance) =>
      instance.permits ? instance.permits(context) : true,
    );
    return after(inTime(permitted, `The guard ${guard.name}`, parts.guardTime), (agreed) =>
      agreed === true ? askFrom(index + 1, call, context) : refused(agreed, guard, parts),
    );
  };
  return (call, context) => askFrom(0, call, context);
}

/** The scopes that a call needs. */
export interface NeededScopes {
  /** The scopes that do not depend on arguments. */
  readonly fixed: readonly string[];
  /** Returns all scopes that a call needs, given its arguments; absent if no scope depends on arguments. */
  readonly of?: (args: unknown) => Promise<readonly string[]>;
}

/**
 * Separates the scopes that every call of a definition needs from those that depend on the arguments.
 *
 * @returns `undefined` if calls need no scopes.
 *
 * @param where the place of the definition in the author's code, for messages.
 * @param guardTime the time limit for each function that returns scopes; the same as for each guard.
 */
export function compileScopes(
  { scopes: requirements, where }: Pick<Declaration, 'scopes' | 'where'>,
  guardTime: Deadlines,
): NeededScopes | undefined {
  if (requirements.length === 0) return undefined;
  const fixed = [...new Set(requirements.filter((requirement) => typeof requirement === 'string'))];
  const asked = requirements.filter((requirement) => typeof requirement === 'function');
  if (asked.length === 0) return { fixed };
  const who = `A function that returns the scopes of ${where}`;
  return {
    fixed,
    async of(args) {
      const given = await Promise.all(
        asked.map(async (requirement) =>
          inTime<unknown>(Reflect.apply(requirement, undefined, [args]), who, guardTime),
        ),
      );
      return [...new Set([...fixed, ...given.flatMap(scopesOf)])];
    },
  };
}

function scopesOf(given: unknown): readonly string[] {
  const scopes: readonly unknown[] | undefined = Array.isArray(given) ? given : undefined;
  if (scopes?.every(isScope)) return scopes;
  if (scopes?.every((one) => typeof one === 'string')) {
    const wrong = scopes.find((one) => !isScope(one)) ?? '';
    // The message is made from the client's own arguments.
    throw invalidParams(
      `With these arguments, the request would need the scope ${JSON.stringify(wrong.slice(0, 100))}, which is not a valid scope: ${SCOPE_RULE}`,
    );
  }
  throw new TypeError(
    "A function that is passed to @RequireScopes must return a list of scopes, such as ['files:write']",
  );
}

const SCOPE_RULE =
  'a scope has at most 256 letters, digits and punctuation marks, but no spaces, quotes or backslashes';

/**
 * Waits for the answer of a guard, a scope function or a similar check. If the time limit passes first, the promise
 * rejects with an `OverloadedError`, which asks the client to retry.
 *
 * @param who the guard or function, for the log.
 */
export function inTime<T>(answer: MaybePromise<T>, who: string, guardTime: Deadlines): MaybePromise<T> {
  if (!isPromise(answer)) return answer;
  const late = (): Error => {
    const cause = new LateGuardError(`${who} did not answer within ${guardTime.afterMs} ms`);
    return new OverloadedError('Access cannot be checked now; try again later', { cause });
  };
  return guardTime.within(answer, late);
}

/**
 * Compiles middleware into one function, with the first middleware outermost. @returns `undefined` if the list is
 * empty.
 */
export function compileMiddleware(
  middleware: readonly MiddlewareLike[],
  container: Container,
): Around | undefined {
  if (middleware.length === 0) return undefined;
  const steps = middleware.map((like) => toStep(like, container));
  const runFrom = (
    index: number,
    call: Call,
    context: RequestContext,
    handler: () => unknown,
  ): MaybePromise<unknown> => {
    const step = steps[index];
    if (!step) return handler();
    const turn = new Turn(nameOf(middleware[index], index), async () =>
      runFrom(index + 1, call, context, handler),
    );
    return after(step(call, context, turn.next), (value) => turn.check(value));
  };
  return (call, context, handler) => runFrom(0, call, context, handler);
}

/** One run of one middleware. It may call `next()` once, and must return the result. */
class Turn {
  #given: unknown;
  #state: 'waiting' | 'running' | 'done' = 'waiting';

  constructor(
    private readonly name: string,
    private readonly run: NextFunction,
  ) {}

  readonly next: NextFunction = () => {
    if (this.#state !== 'waiting') {
      return observed(
        Promise.reject(new Error(`The middleware ${this.name} called next() twice: call it once`)),
      );
    }
    this.#state = 'running';
    const result = this.run().then((given) => {
      this.#state = 'done';
      return (this.#given = given);
    });
    return observed(result);
  };

  /**
   * Checks the return value of the middleware. @throws Error if it does not contain the result of `next()`.
   */
  check(value: unknown): unknown {
    if (value !== undefined || this.#state === 'waiting') return value;
    if (this.#state === 'running') {
      throw new Error(`The middleware ${this.name} did not wait for next(): write "return await next()"`);
    }
    if (this.#given === undefined) return value;
    throw new Error(
      `The middleware ${this.name} returned nothing, although next() returned a value: return that value, or null for no value`,
    );
  }
}

type Policies = Readonly<Record<'guards' | 'middleware' | 'scopes' | 'errors', readonly unknown[]>>;

/**
 * Reports invalid guards, middleware, error mappers and scopes.
 *
 * @param policies the policies to check: those of the whole app, and those of single definitions.
 * @param declarations the definitions that use the policies. Each problem is reported with the place of a definition
 *   that has it.
 * @param shared the policies of the whole app. A problem with one of these is reported without a definition.
 */
export function checkPolicies(
  { guards, middleware, scopes, errors }: Policies,
  declarations: readonly Pick<Declaration, keyof Policies | 'where'>[],
  shared: { readonly [K in keyof Policies]?: unknown },
  diagnostics: Diagnostics,
): void {
  const placeOf = (kind: keyof Policies, policy: unknown): Diagnostics => {
    const has = (list: unknown): boolean => Array.isArray(list) && list.includes(policy);
    const owner = has(shared[kind]) ? undefined : declarations.find((declaration) => has(declaration[kind]));
    return owner ? diagnostics.at(owner.where) : diagnostics;
  };
  const check = (kind: 'guards' | 'middleware', like: unknown, what: string, method: string): void => {
    if (typeof like === 'function') return;
    const fix = `pass a function or a class, not an instance; a class needs the method ${method}`;
    placeOf(kind, like)
      .at(what)
      .add('SIGIL_INVALID_POLICY', `${String(like)} is not valid as ${what}`, fix);
  };
  for (const guard of guards) check('guards', guard, 'guard', 'allows(context)');
  for (const step of middleware) check('middleware', step, 'middleware', 'handle(context, next)');
  for (const scope of scopes) {
    if (typeof scope === 'function' || isScope(scope)) continue;
    const fix =
      "pass each scope as an argument, for example @RequireScopes('files', 'files:write'), or pass a function that returns a list of scopes";
    const at = placeOf('scopes', scope).at('scopes');
    at.add('SIGIL_INVALID_POLICY', `${JSON.stringify(scope) ?? 'nothing'} is not a scope`, fix);
  }
  for (const mapper of errors) {
    if (isObject(mapper) && isConstructor(mapper['error']) && typeof mapper['map'] === 'function') continue;
    const shown = typeof mapper === 'function' ? mapper.name : String(mapper);
    const fix = 'create it with mapError(DomainError, (error) => new ToolError(error.message))';
    placeOf('errors', mapper)
      .at('errors')
      .add('SIGIL_INVALID_POLICY', `${shown} is not an error mapper`, fix);
  }
}

/**
 * Reports a guard class without the method `allows`, or a middleware class without `handle`. Checks an instance,
 * because the method can be an arrow function in a property.
 */
export function checkMethod(
  cls: Constructor,
  instance: object,
  method: 'allows' | 'handle',
  diagnostics: Diagnostics,
): void {
  if (typeof Reflect.get(instance, method) === 'function') return;
  const [use, fix] = {
    allows: ['a guard', 'implement Guard: allows(context) { return … }'] as const,
    handle: ['middleware', 'implement Middleware: handle(context, next) { return next() }'] as const,
  }[method];
  const what = `the class is used as ${use}, but has no method ${method}`;
  diagnostics.at(cls.name).add('SIGIL_INVALID_POLICY', what, fix);
}

/**
 * Whether a value is a class, rather than a function to call.
 *
 * @param value a class or a function.
 * @example
 * ```ts
 * const kind = isClass(Date) ? 'a class' : 'a function';
 * ```
 */
export function isClass<T extends object>(value: unknown): value is Constructor<T> {
  if (typeof value !== 'function') return false;
  // The prototype of a class cannot be replaced; that of a plain function can, and arrow functions have none.
  const prototype = Object.getOwnPropertyDescriptor(value, 'prototype');
  if (prototype?.writable === false) return true;
  const own = Object.getOwnPropertyNames(prototype?.value ?? {});
  return own.some((name) => name !== 'constructor');
}

function toAsk(
  guard: GuardLike,
  index: number,
  { container, guardTime }: GuardParts,
): (call: Call, access: GuardContext) => MaybePromise<boolean> {
  const name = `The guard ${nameOf(guard, index)}`;
  if (!isClass<Guard>(guard)) return (_call, access) => inTime(guard(access), name, guardTime);
  return (call, access) => {
    const allowed = after(resolve(guard, call, container), (instance) => instance.allows(access));
    return inTime(allowed, name, guardTime);
  };
}

function toStep(
  like: MiddlewareLike,
  container: Container,
): (call: Call, context: RequestContext, next: NextFunction) => MaybePromise<unknown> {
  if (!isClass<Middleware>(like)) return (_call, context, next) => like(context, next);
  return (call, context, next) =>
    after(resolve(like, call, container), (instance) => instance.handle(context, next));
}

function resolve<T extends object>(cls: Constructor<T>, call: Call, container: Container): MaybePromise<T> {
  return container.get<T>(cls, call.scope);
}

/** Converts a call to the context that guards get. */
export function guardContextOf(call: Call, definition: DefinitionInfo): GuardContext {
  const { principal, client, headers, state, requestInfo } = call;
  return { definition, principal, client, headers, source: requestInfo.source, state };
}

function nameOf(like: GuardLike | MiddlewareLike | undefined, index: number): string {
  return like?.name || `${index + 1}, which has no name,`;
}
