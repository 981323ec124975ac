import type { Call } from './call.js';
import { type DefinitionInfo, RequestContext } from './context.js';

/**
 * The context of a tool.
 *
 * @example
 * ```ts
 * @Tool({ description: 'Imports the catalogue' })
 * async importCatalogue(ctx: ToolContext): Promise<string> {
 *   ctx.progress(0, 1, 'Downloading');
 *   const pieces = await this.catalogue.download(ctx.signal);
 *   return `${ctx.tool} has read ${pieces} pieces`;
 * }
 * ```
 */
export class ToolContext extends RequestContext {
  /** The name that the client used to call the tool. */
  readonly tool: string;

  constructor(call: Call, definition: DefinitionInfo) {
    super(call, definition);
    this.tool = String(call.params['name']);
  }
}

/**
 * The context of a resource.
 *
 * @example
 * ```ts
 * @Resource('config://app')
 * config(ctx: ResourceContext) {
 *   return resourceContents.text(ctx.uri, '{"currency":"EUR"}', 'application/json');
 * }
 * ```
 */
export class ResourceContext extends RequestContext {
  /** The URI that is being read. */
  readonly uri: string;

  constructor(call: Call, definition: DefinitionInfo) {
    super(call, definition);
    this.uri = String(call.params['uri']);
  }
}

/**
 * The context of a prompt.
 *
 * @example
 * ```ts
 * @Prompt({ description: 'Greets the user' })
 * greet(ctx: PromptContext) {
 *   return message.user(`Say hello to ${ctx.principal?.id ?? 'the guest'}`);
 * }
 * ```
 */
export class PromptContext extends RequestContext {
  /** The name that the client used to get the prompt. */
  readonly prompt: string;

  constructor(call: Call, definition: DefinitionInfo) {
    super(call, definition);
    this.prompt = String(call.params['name']);
  }
}

/**
 * The context of a completion.
 *
 * @example
 * ```ts
 * @Complete('plan_visit', 'city')
 * cities(prefix: string, ctx: CompletionContext): Promise<string[]> {
 *   return this.atlas.cities(ctx.args['country'], prefix);
 * }
 * ```
 */
export class CompletionContext extends RequestContext {
  /**
   * The arguments that already have values, and the text that the user has entered for the argument to complete. Values
   * from the client that are not strings are left out.
   */
  declare readonly args: Readonly<Record<string, string>>;
}
