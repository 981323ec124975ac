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

/** The source of one handler parameter's value. */
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
  /** The maximum rate of calls. */
  readonly rate?: RateLimit;
  /**
   * The maximum number of calls that run at the same time in this process. Further calls wait at most `queueMs`
   * milliseconds for their turn.
   */
  readonly runs?: { readonly concurrency: number; readonly queueMs: number; readonly per: LimitKey };
  /**
   * The name of the module whose definitions share the limit; if absent, the limit applies to each definition
   * separately.
   */
  readonly module?: string;
}

/**
 * A definition, with everything that reflection knows about its handler, and with all policies that apply to
 * it.
 */
export interface Declaration<D extends HandlerDefinition = HandlerDefinition> {
  readonly definition: D;
  /**
   * The place of the definition as its author knows it: `Inventory.checkInventory`, or `defineTool('add')`.
   */
  readonly where: string;
  readonly target: Target;
  readonly binding: Binding;
  /** The schema of the handler's return value, as far as reflection knows it. */
  readonly returns?: SchemaSource;
  /** The guards, outermost first: of the app, the module, the class, the method. */
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  /** The required scopes. A principal needs all of them. */
  readonly scopes: readonly ScopeRequirement[];
  /** The limits, outermost first: of the module, the class, the method. All of them apply. */
  readonly limits: readonly DeclaredLimit[];
  /**
   * Private metadata from decorators of the class and the method. Metadata of the definition overrides it.
   */
  readonly metadata?: Readonly<Record<PropertyKey, unknown>>;
  /** The error mappers, nearest first: of the method, the class, the module, the app. */
  readonly errors: readonly ErrorMapper[];
  /** Adds the module's prefix to a URI from the author; absent if the module has no prefix. */
  readonly prefixUri?: (uri: string) => string;
}

/** The engine's hooks in the path of a request; see `Invoke`. */
export interface Passage<R, A> {
  /** Answers a caller who may not see the definition, as if it did not exist. Usually throws. */
  refuse(): A;
  /** Applies the time limit of the request to a slow step: the validation of the arguments, or the handler. */
  limited<T>(work: MaybePromise<T>): MaybePromise<T>;
  /** Creates the response for a result. */
  answer(result: R): MaybePromise<A>;
  /** Runs the remaining steps of an authorized call. For tools, extensions can replace or wrap these steps. */
  enter(run: () => MaybePromise<A>): MaybePromise<A>;
  /**
   * Marks the client's request state as used; absent if the request has none. The promise rejects if the state was used
   * before.
   */
  accept?: (() => Promise<void> | undefined) | undefined;
  /** Called after all checks, before middleware and the handler. */
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

/** An `Invoke` for handlers that can return required inputs instead of a result. */
export type AskingInvoke<R> = Invoke<R | InputRequired>;

/**
 * Checks whether a caller is allowed to see and use an entry. Compiled at start; absent if every caller is allowed.
 *
 * @param context the context of the call, if the request calls the entry; absent for lists and other requests.
 */
export type GuardCheck = (call: Call, context?: RequestContext) => MaybePromise<boolean>;

/**
 * Returns the scopes that a completion needs. Receives the arguments entered so far, which are not validated. Absent if
 * the completion needs no scopes.
 */
export type PartialScopes = (args: Record<string, unknown>) => MaybePromise<readonly string[]>;

/** The requirements for seeing and using an entry. Empty if the entry is open to all callers. */
export interface Requirements {
  readonly guardCheck?: GuardCheck;
  /** The single guards that `guardCheck` combines, in the order of their calls; absent if the entry has no guards. */
  readonly guards?: readonly NamedGuard[];
  /** The scopes that every use of the entry needs; absent if it needs none. */
  readonly scopes?: readonly string[];
  /** The scopes that the completion of an argument needs; absent if it needs none. */
  readonly partialScopes?: PartialScopes;
}

/** A single guard of an entry, with the name of its class or function. */
export interface NamedGuard {
  readonly name: string;
  readonly allows: GuardCheck;
}

/** Lists the resources of a template. Compiled at start; guards of the template run before it. */
export interface TemplateList {
  readonly run: Invoke<Listing>;
  /** The scopes that a caller needs in order to see any of the resources. */
  readonly scopes: readonly string[];
  /** Whether a caller who may use the template may also read a resource of it. */
  readonly shows: (call: Call, resource: Listed) => MaybePromise<boolean>;
}

/**
 * Finds out whether a caller may be notified of changes to one resource. Compiled at start.
 *
 * @returns the scopes that the notifications need, which the caller may lack; `undefined` if a guard refuses
 * the caller.
 */
export type Hears = (
  call: Call,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
) => Promise<readonly string[] | undefined>;
