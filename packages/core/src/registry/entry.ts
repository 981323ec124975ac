import type {
  CacheOptions,
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/results.js';
import type { DefinitionInfo } from '../context/context.js';
import type {
  MirroredArgument,
  Prompt,
  Resource,
  ResourceTemplate,
  Tool,
  ToolAnnotations,
} from '../protocol/descriptors.js';
import type { AskingInvoke, Hears, Invoke, Requirements, TemplateList } from '../invoke/declaration.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { ResourceContents } from '../protocol/content.js';
import type { JsonSchema } from '../protocol/json.js';

interface EntryBase extends Requirements {
  /** The key of the entry: a name, a URI, or a URI template. */
  readonly key: string;
  readonly where: string;
  /** The definition as guards, middleware, handlers and extensions get it. */
  readonly info: DefinitionDetails;
  /** Maximum time of the handler, in milliseconds; absent for the app's default. */
  readonly timeoutMs?: number | false;
}

/**
 * The functions that return completions. The key of each function is the name of a prompt argument or template
 * variable.
 */
export type Completers = Readonly<Record<string, Invoke<CompleteResult>>>;

/** A compiled tool. */
export interface ToolEntry extends EntryBase {
  readonly kind: 'tool';
  readonly descriptor: Tool;
  /** The arguments that clients repeat in headers. */
  readonly mirrored: readonly MirroredArgument[];
  readonly run: AskingInvoke<CallToolResult>;
}

interface ReadableEntry extends EntryBase {
  readonly cache?: CacheOptions;
  /** Decides which callers are notified of changes. */
  readonly hears: Hears;
  readonly run: AskingInvoke<ReadResourceResult | undefined>;
}

/** A compiled resource with a fixed URI. */
export interface ResourceEntry extends ReadableEntry {
  readonly kind: 'resource';
  readonly descriptor: Resource;
}

/** A compiled resource template. */
export interface TemplateEntry extends ReadableEntry {
  readonly kind: 'template';
  readonly descriptor: ResourceTemplate;
  /** The literal text that every matching URI begins with, used to find the template quickly. */
  readonly head: string;
  /** Returns the values of the template's variables in a URI; `undefined` if the URI does not match the template. */
  readonly match: (uri: string) => Record<string, string | string[]> | undefined;
  /** The functions that return completions. The key of each function is the name of a template variable. */
  readonly completers: Completers;
  /** Lists the resources of the template for `resources/list`; absent if the template has no `list`. */
  readonly list?: TemplateList;
}

/** A compiled prompt. */
export interface PromptEntry extends EntryBase {
  readonly kind: 'prompt';
  readonly descriptor: Prompt;
  /** The schema of the prompt's arguments. It is not part of `prompts/list`. */
  readonly inputSchema: JsonSchema;
  readonly run: AskingInvoke<GetPromptResult>;
  /** The functions that return completions. The key of each function is the name of a prompt argument. */
  readonly completers: Completers;
}

/** A compiled tool, resource, template or prompt. Entries are frozen: a change creates a new entry. */
export type Entry = ToolEntry | ResourceEntry | TemplateEntry | PromptEntry;

/** A definition as extensions see it, before it is compiled. */
export interface DefinitionDetails extends DefinitionInfo {
  /** The place of the definition in the source: `Inventory.checkInventory`, or `defineTool('add')`. */
  readonly where: string;
  /** The author's `_meta`, which clients receive. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** The author's `annotations` of a tool, which clients receive. */
  readonly annotations: ToolAnnotations | undefined;
  /** The MIME type of a resource or template, if the author set one. */
  readonly mimeType: string | undefined;
}

/** Finds the definition that serves a URI. */
export type FindResource = (uri: string) => DefinitionDetails | undefined;

/**
 * An extension's hooks for the definitions of an app. Each hook is called once for each definition, when the
 * definition is added.
 */
export interface DefinitionHooks {
  /**
   * Checks the settings of this extension in a definition, and returns the faults. If there are faults, the app does
   * not start; a running app does not add the definition.
   *
   * @param find a function that returns the resource or template for a URI, from all definitions of the app.
   */
  check?(definition: DefinitionDetails, find: FindResource): readonly DefinitionProblem[];
  /** Returns members to add to the `_meta` that clients see in lists. */
  describe?(definition: DefinitionDetails): Readonly<Record<string, unknown>> | undefined;
  /**
   * Returns a function that changes the contents of the resource or template before they are sent to clients;
   * `undefined` to leave all contents unchanged.
   */
  shapeContents?(
    definition: DefinitionDetails,
  ): ((contents: ResourceContents) => ResourceContents) | undefined;
  /**
   * Returns additional members of a tool for the result of `manifestOf(app)`. By default, the result contains the
   * members that the tool has in `tools/list`.
   */
  promise?(definition: DefinitionDetails): Readonly<Record<string, unknown>> | undefined;
}
