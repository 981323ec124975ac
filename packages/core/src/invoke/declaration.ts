import type { Call } from '../context/call.js';
import type { RequestContext } from '../context/context.js';
import type {
  ErrorMapper,
  GuardLike,
  LimitKey,
  MiddlewareLike,
  RateLimit,
  ScopeRequirement,
} from '../context/policies.js';
import type { InputRequired } from '../context/questions.js';
import type { HandlerDefinition } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { SchemaSource } from '../schema/index.js';
import type { Listed, Listing } from './listing.js';

/** The handler: a method of a service, or a function. */
export type Target =
  | { readonly kind: 'method'; readonly cls: Constructor; readonly method: string | symbol }
  | { readonly kind: 'function'; readonly handle: (...values: never[]) => unknown };

/** Describes where one parameter of a handler gets its value from. */
export type ParameterBinding =
  | { readonly from: 'arguments' }
  | { readonly from: 'argument'; readonly name: string }
  | { readonly from: 'context' }
  /** What a decorator made by `createParamDecorator` gives. */
  | { readonly from: 'custom'; readonly value: (context: RequestContext) => unknown };

/** Describes how the arguments of a request become the parameters of a handler. */
export interface Binding {
  readonly parameters: readonly ParameterBinding[];
  readonly source: SchemaSource;
}

/** A validated limit from `@Limit` or from the option `limit`. */
export interface DeclaredLimit {
  /** The maximum number of calls in a period; absent if only the number of simultaneous calls is limited. */
  readonly rate?: RateLimit;
  /**
   * The maximum number of calls (`concurrency`) that run at the same time in this process, counted separately for each
   * group of callers (`per`). A further call waits until another call has ended, or is refused after `queueMs`
   * milliseconds.
   */
  readonly runs?: { readonly concurrency: number; readonly queueMs: number; readonly per: LimitKey };
  /**
   * The name of the module whose definitions share the limit; if absent, the limit applies to each definition
   * separately.
   */
  readonly module?: string;
}

/** A definition with all policies that apply to it, and with the data that reflection provides about its handler. */
export interface Declaration<D extends HandlerDefinition = HandlerDefinition> {
  readonly definition: D;
  /** The place of the definition in the author's code, such as `Inventory.checkInventory` or `defineTool('add')`. */
  readonly where: string;
  readonly target: Target;
  readonly binding: Binding;
  /** The schema of the handler's return value, as far as reflection knows it. */
  readonly returns?: SchemaSource;
  /** The guards of the app, the module, the class and the method, in this order. */
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  /** The required scopes. A principal needs all of them. */
  readonly scopes: readonly ScopeRequirement[];
  /** The limits of the module, the class and the method, in this order. All of them apply. */
  readonly limits: readonly DeclaredLimit[];
  /**
   * Private metadata from decorators of the class and the method. The option `metadata` of the definition overrides it.
   */
  readonly metadata?: Readonly<Record<PropertyKey, unknown>>;
  /** The error mappers of the method, the class, the module and the app, in this order. */
  readonly errors: readonly ErrorMapper[];
  /** Adds the module's prefix to a URI from the author; absent if the module has no prefix. */
  readonly prefixUri?: (uri: string) => string;
}

/** Functions that the engine passes to `Invoke`, and that `Invoke` calls at certain steps of a request. */
export interface Passage<R, A> {
  /**
   * Answers a request that a guard has refused, as if the definition did not exist. Usually throws the error for the
   * client.
   */
  refuse(): A;
  /** Applies the time limit of the request to a slow step: the validation of the arguments, or the handler. */
  limited<T>(work: MaybePromise<T>): MaybePromise<T>;
  /** Creates the response for a result. */
  answer(result: R): MaybePromise<A>;
  /**
   * Called after the check that the caller has all required scopes. Calls `run` for the remaining steps. For tools, an
   * extension can replace or wrap these steps.
   */
  enter(run: () => MaybePromise<A>): MaybePromise<A>;
  /**
   * Marks the `requestState` in the request as used; absent if the request has none. The promise rejects if an earlier
   * request has used that `requestState`.
   */
  accept?: (() => Promise<void> | undefined) | undefined;
  /**
   * Called after all checks, for example to record the call. Middleware and the handler run only after its promise
   * resolves.
   */
  begin?: (() => Promise<void>) | undefined;
}

/**
 * Serves one request for a definition, from the guards to the encoded result. Compiled at start; see `HandlerCompiler`
 * for the steps.
 */
export type Invoke<R> = <A>(
  call: Call,
  args: Record<string, unknown>,
  passage: Passage<R, A>,
) => MaybePromise<A>;

/**
 * An `Invoke` for handlers that can ask the client for input: they return an `InputRequired` instead of a result.
 */
export type AskingInvoke<R> = Invoke<R | InputRequired>;

/**
 * Returns whether the guards of a definition allow a caller to see and use the definition. Created at start;
 * absent if the definition has no guards.
 *
 * @param context the context of the call, if the request uses the definition; absent for lists and other requests.
 */
export type GuardCheck = (call: Call, context?: RequestContext) => MaybePromise<boolean>;

/**
 * Returns the scopes that a caller needs to complete an argument of a prompt or template. Receives the arguments that
 * the user has already entered, unvalidated. Absent if no scopes are needed.
 */
export type PartialScopes = (args: Record<string, unknown>) => MaybePromise<readonly string[]>;

/**
 * The requirements that a caller must satisfy to see and use a tool, resource, template or prompt. Empty if every
 * caller is allowed.
 */
export interface Requirements {
  readonly guardCheck?: GuardCheck;
  /**
   * Each guard in `guardCheck` as a separate check, in the order that `guardCheck` uses; absent if there are no guards.
   */
  readonly guards?: readonly NamedGuard[];
  /** The scopes that every use of the entry needs; absent if it needs none. */
  readonly scopes?: readonly string[];
  /** Returns the scopes that the completion of an argument needs; absent if completions need no scopes. */
  readonly partialScopes?: PartialScopes;
}

/** A single guard of an entry, with the name of its class or function. */
export interface NamedGuard {
  readonly name: string;
  readonly allows: GuardCheck;
}

/**
 * The compiled function that lists a template's resources. Before the engine calls `run`, it checks the template's
 * guards and `scopes`.
 */
export interface TemplateList {
  readonly run: Invoke<Listing>;
  /** The scopes that a caller needs in order to see any of the resources. */
  readonly scopes: readonly string[];
  /**
   * Returns whether a caller can read the given resource. Assumes that the template's guards allow the caller, and that
   * the caller has the required `scopes`.
   */
  readonly shows: (call: Call, resource: Listed) => MaybePromise<boolean>;
}

/**
 * Checks whether a caller is allowed to receive notifications of changes to one resource. Created at start.
 *
 * @returns the scopes that the notifications need; the function does not check whether the caller has them. Returns
 *   `undefined` if a guard refuses the caller, or if the variables are invalid.
 */
export type Hears = (
  call: Call,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
) => Promise<readonly string[] | undefined>;
