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

/** How a request's arguments become the parameters of a handler. */
export interface Binding {
  readonly parameters: readonly ParameterBinding[];
  readonly source: SchemaSource;
}

/** A limit that has been checked. */
export interface DeclaredLimit {
  /** How often. */
  readonly rate?: RateLimit;
  /** How many handlers at once in this process; a call waits `queueMs` milliseconds for its turn at most. */
  readonly runs?: { readonly concurrency: number; readonly queueMs: number; readonly per: LimitKey };
  /** The name of the module whose definitions share it; if absent, each definition has its own. */
  readonly module?: string;
}

/** A definition with everything reflection knows about its handler, and all policies that apply to it. */
export interface Declaration<D extends HandlerDefinition = HandlerDefinition> {
  readonly definition: D;
  /** The place in the author's words: `Inventory.checkInventory`, or `defineTool('add')`. */
  readonly where: string;
  readonly target: Target;
  readonly binding: Binding;
  /** The schema of the handler's return value, as far as reflection knows it. */
  readonly returns?: SchemaSource;
  /** From the outside in: of the app, the module, the class, the method. */
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  /** All of them are needed. */
  readonly scopes: readonly ScopeRequirement[];
  /** From the outside in: of the module, the class, the method. All of them hold. */
  readonly limits: readonly DeclaredLimit[];
  /** Private metadata that decorators of the class and the method say; the definition's own wins over it. */
  readonly metadata?: Readonly<Record<PropertyKey, unknown>>;
  /** The error mappers, nearest first: of the method, the class, the module, the app. */
  readonly errors: readonly ErrorMapper[];
  /** Adds the prefix of its module to an author's URI; absent without a prefix. */
  readonly prefixUri?: (uri: string) => string;
}

/** The engine's hooks in the path of a request; see `Invoke`. */
export interface Passage<R, A> {
  /** Answers a caller who may not see the definition, as if it did not exist. Usually throws. */
  refuse(): A;
  /** Limits the time of the slow steps: validation of the arguments, then the handler. */
  limited<T>(work: MaybePromise<T>): MaybePromise<T>;
  /** Makes the answer of a result. */
  answer(result: R): MaybePromise<A>;
  /** Runs the rest of an authorized call; extensions take part here. */
  enter(run: () => MaybePromise<A>): MaybePromise<A>;
  /** Uses up the client's request state, once; absent without a state. Rejects if it was used before. */
  accept?: (() => Promise<void> | undefined) | undefined;
  /** Runs after all checks, before middleware and handler, if present. */
  begin?: (() => Promise<void>) | undefined;
}

/**
 * Serves one request by a definition, from its guards to its result; compiled at boot. `HandlerCompiler` lists the
 * steps.
 */
export type Invoke<R> = <A>(
  call: Call,
  args: Record<string, unknown>,
  passage: Passage<R, A>,
) => MaybePromise<A>;

/** The same for handlers that may first require input. */
export type AskingInvoke<R> = Invoke<R | InputRequired>;

/**
 * Whether a caller may see and use an entry; compiled at boot, absent when everybody may.
 *
 * @param context the context of the call, when the request is a call of the entry; absent for lists and the like.
 */
export type GuardCheck = (call: Call, context?: RequestContext) => MaybePromise<boolean>;

/** Gives the scopes that a completion needs for the arguments there are so far, unchecked; absent when it needs none. */
export type PartialScopes = (args: Record<string, unknown>) => MaybePromise<readonly string[]>;

/** The requirements for seeing and using an entry. Empty if it is open to all callers. */
export interface Requirements {
  readonly guardCheck?: GuardCheck;
  /** The guards behind the check, in the order they are asked; absent with it. */
  readonly guards?: readonly NamedGuard[];
  /** The scopes that every use of it needs; absent when it needs none. */
  readonly scopes?: readonly string[];
  /** The scopes that completing an argument of it needs; absent when it needs none. */
  readonly partialScopes?: PartialScopes;
}

/** A single guard of an entry, by the name of its class or function. */
export interface NamedGuard {
  readonly name: string;
  readonly allows: GuardCheck;
}

/** Returns the resources of a template; compiled at boot. Guards of the template run before it. */
export interface TemplateList {
  readonly run: Invoke<Listing>;
  /** The scopes that a caller needs to see any of them. */
  readonly scopes: readonly string[];
  /** Whether a caller who may use the template may read one of them. */
  readonly shows: (call: Call, resource: Listed) => MaybePromise<boolean>;
}

/**
 * Finds out whether a caller may hear of the changes of one resource; compiled at boot.
 *
 * @returns the scopes that hearing needs, which the caller may lack; `undefined` when guards refuse it.
 */
export type Hears = (
  call: Call,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
) => Promise<readonly string[] | undefined>;
