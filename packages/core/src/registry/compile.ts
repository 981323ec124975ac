import type { Call } from '../context/call.js';
import type { DefinitionInfo, RequestContext } from '../context/request-context.js';
import type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from '../metadata/definitions.js';
import type { ResourceContents } from '../protocol/content.js';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/results.js';
import type { ValuePlan } from '../schema/index.js';
import type { Declaration } from './declaration.js';
import type { AskingHandler, Entry, Gate, Handler, NamedGate, Permits } from './entry.js';

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
