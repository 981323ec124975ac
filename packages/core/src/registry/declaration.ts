import type { ErrorMapper, GuardLike, MiddlewareLike } from '../context/policies.js';
import type { DefinitionInfo, RequestContext } from '../context/context.js';
import type {
  CompletionDefinition,
  HandlerDefinition,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import type { SchemaSource, ValuePlan } from '../schema/index.js';
import type { Call } from '../context/call.js';
import type { ResourceContents } from '../protocol/content.js';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/results.js';
import type { AskingHandler, Entry, Gate, Handler, NamedGate, Permits } from './entry.js';

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

/** Turns declarations into functions. The room above provides it, so that building entries knows no invocation. */
export interface Compile {
  /** Gives the context of a call of a definition, the same at every question for one call. */
  context(kind: Entry['kind'], info: DefinitionInfo): (call: Call) => RequestContext;
  tool(
    declaration: Declaration<ToolDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
    output?: ValuePlan,
  ): AskingHandler<CallToolResult>;
  /** @param shape changes each of the contents; `undefined` leaves them as they are. */
  resource(
    declaration: Declaration<ResourceDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
    shape: ((contents: ResourceContents) => ResourceContents) | undefined,
  ): AskingHandler<ReadResourceResult | undefined>;
  prompt(
    declaration: Declaration<PromptDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
  ): AskingHandler<GetPromptResult>;
  /** @param info the prompt or template that is completed. */
  completion(declaration: Declaration<CompletionDefinition>, info: DefinitionInfo): Handler<CompleteResult>;
  gate(declaration: Declaration, info: DefinitionInfo): Gate | undefined;
  /** What the guards of a resource say of subscriptions; `undefined` when none of them looks at arguments. */
  permits(
    declaration: Declaration<ResourceDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
  ): Permits | undefined;
  /** The guards behind that gate, one by one. */
  guards(declaration: Declaration, info: DefinitionInfo): NamedGate[];
}
