import type { GuardLike, MiddlewareLike } from '../context/policies.js';
import type { ErrorMapper } from '../context/error-mapper.js';
import type { RequestContext } from '../context/request-context.js';
import type { HandlerDefinition } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
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
  /** What a decorator made by `createParameter` gives. */
  | { readonly from: 'custom'; readonly value: (context: RequestContext) => unknown };

/** How a request's arguments become the parameters of a handler. */
export interface Binding {
  readonly parameters: readonly ParameterBinding[];
  readonly source: SchemaSource;
}

/** A definition with everything reflection knows about its handler. */
export interface Declaration<D extends HandlerDefinition = HandlerDefinition> {
  readonly definition: D;
  /** The place in the author's words: `Inventory.checkInventory`, or `defineTool('add')`. */
  readonly where: string;
  readonly target: Target;
  readonly binding: Binding;
  /** The schema of what the handler returns, as far as reflection knows it. */
  readonly returns?: SchemaSource;
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  /** Private metadata that decorators of the class and the method say; the definition's own wins over it. */
  readonly metadata?: Readonly<Record<PropertyKey, unknown>>;
  /** What thrown errors become, the nearest first: of the method, the class, the module, the app. */
  readonly errors: readonly ErrorMapper[];
}
