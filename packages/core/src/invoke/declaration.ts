import type { Call } from '../context/call.js';
import type { RequestContext } from '../context/context.js';
import type { ErrorMapper, GuardLike, MiddlewareLike, ScopeRequirement } from '../context/policies.js';
import type { InputRequired } from '../context/questions.js';
import type { HandlerDefinition } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { SchemaSource } from '../schema/index.js';

/** What runs: a method of a service, or a function. */
export type Target =
  | { readonly kind: 'method'; readonly cls: Constructor; readonly method: string | symbol }
  | { readonly kind: 'function'; readonly handle: (...values: never[]) => unknown };

/** Where the value of one handler parameter comes from. */
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

/** A definition with everything reflection knows about its handler, and all policies that apply to it. */
export interface Declaration<D extends HandlerDefinition = HandlerDefinition> {
  readonly definition: D;
  /** The place in the author's words: `Inventory.checkInventory`, or `defineTool('add')`. */
  readonly where: string;
  readonly target: Target;
  readonly binding: Binding;
  /** The schema of what the handler returns, as far as reflection knows it. */
  readonly returns?: SchemaSource;
  /** From the outside in: of the app, the module, the class, the method. */
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  /** All of them are needed. */
  readonly scopes: readonly ScopeRequirement[];
  /** Private metadata that decorators of the class and the method say; the definition's own wins over it. */
  readonly metadata?: Readonly<Record<PropertyKey, unknown>>;
  /** What thrown errors become, the nearest first: of the method, the class, the module, the app. */
  readonly errors: readonly ErrorMapper[];
}

/** Serves one request whose caller has passed its guards; compiled at boot. */
export type Handler<R> = (call: Call, args: Record<string, unknown>) => MaybePromise<R>;

/** A handler that may first say what it needs. */
export type AskingHandler<R> = Handler<R | InputRequired>;

/**
 * Whether a caller may see and use an entry; compiled at boot, absent when everybody may.
 *
 * @param context the context of the call, when the request is a call of the entry; absent for lists and the like.
 */
export type GuardCheck = (call: Call, context?: RequestContext) => MaybePromise<boolean>;

/**
 * Finds out which scopes a call of an entry needs; compiled at boot, absent when it needs none.
 *
 * @param args as they came.
 * @param arePartial whether they are those of a completion, which come without having been checked.
 */
export type NeededScopes = (
  args: Record<string, unknown>,
  arePartial?: boolean,
) => MaybePromise<readonly string[]>;

/** A single guard of an entry, by the name of its class or function. */
export interface NamedGuard {
  readonly name: string;
  readonly allows: GuardCheck;
}

/** Whether guards permit a caller to hear of the changes of one resource; compiled at boot. */
export type Permits = (
  call: Call,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
) => Promise<boolean>;
