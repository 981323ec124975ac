import type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from '../metadata/definitions.js';
import type { Access } from '../context/access.js';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/results.js';
import type { ValuePlan } from '../schema/index.js';
import type { Declaration } from './declaration.js';
import type { AskingHandler, Gate, Handler, NamedGate } from './entry.js';

/** Turns declarations into functions. The room above provides it, so that building entries knows no invocation. */
export interface Compile {
  tool(
    declaration: Declaration<ToolDefinition>,
    input: ValuePlan,
    output?: ValuePlan,
  ): AskingHandler<CallToolResult>;
  resource(
    declaration: Declaration<ResourceDefinition>,
    input: ValuePlan,
  ): AskingHandler<ReadResourceResult | undefined>;
  prompt(declaration: Declaration<PromptDefinition>, input: ValuePlan): AskingHandler<GetPromptResult>;
  completion(declaration: Declaration<CompletionDefinition>): Handler<CompleteResult>;
  gate(declaration: Declaration, target: Pick<Access, 'kind' | 'name' | 'meta'>): Gate | undefined;
  /** The guards behind that gate, one by one. */
  guards(declaration: Declaration, target: Pick<Access, 'kind' | 'name' | 'meta'>): NamedGate[];
}
