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
  /** Its key: a name, a URI, or a URI template. */
  readonly key: string;
  readonly where: string;
  /** The definition, as guards, middleware, handlers and extensions see it. */
  readonly info: DefinitionDetails;
  /** Milliseconds its handler may take; as the app says when absent. */
  readonly timeoutMs?: number | false;
}

/** Sources of completions, by the argument they complete. */
export type Completers = Readonly<Record<string, Invoke<CompleteResult>>>;

/** A tool, compiled. */
export interface ToolEntry extends EntryBase {
  readonly kind: 'tool';
  readonly descriptor: Tool;
  /** The arguments that clients repeat in headers. */
  readonly mirrored: readonly MirroredArgument[];
  readonly run: AskingInvoke<CallToolResult>;
}

interface ReadableEntry extends EntryBase {
  readonly cache?: CacheOptions;
  /** The callers who may hear of its changes. */
  readonly hears: Hears;
  readonly run: AskingInvoke<ReadResourceResult | undefined>;
}

/** A resource with a fixed URI, compiled. */
export interface ResourceEntry extends ReadableEntry {
  readonly kind: 'resource';
  readonly descriptor: Resource;
}

/** A resource template, compiled. */
export interface TemplateEntry extends ReadableEntry {
  readonly kind: 'template';
  readonly descriptor: ResourceTemplate;
  /** The common beginning of all matching URIs. */
  readonly head: string;
  /** Gives the values of the variables when a URI matches. */
  readonly match: (uri: string) => Record<string, string | string[]> | undefined;
  /** The sources of completions, by argument. */
  readonly completers: Completers;
  /** Returns its resources for `resources/list`; absent if they are not listed. */
  readonly list?: TemplateList;
}

/** A prompt, compiled. */
export interface PromptEntry extends EntryBase {
  readonly kind: 'prompt';
  readonly descriptor: Prompt;
  /** The schema of its arguments. Lists have their names only. */
  readonly inputSchema: JsonSchema;
  readonly run: AskingInvoke<GetPromptResult>;
  /** The sources of completions, by argument. */
  readonly completers: Completers;
}

/** Anything a server serves. Frozen: a change is a new entry. */
export type Entry = ToolEntry | ResourceEntry | TemplateEntry | PromptEntry;

/** A definition as extensions see it, before it is compiled. */
export interface DefinitionDetails extends DefinitionInfo {
  /** The place in the author's words: `Inventory.checkInventory`, or `defineTool('add')`. */
  readonly where: string;
  /** The `_meta` its author gave it, which clients see. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** A tool's effects according to its author, as clients see them. */
  readonly annotations: ToolAnnotations | undefined;
  /** The MIME type of a resource or template, when its author gave one. */
  readonly mimeType: string | undefined;
}

/** Finds the definition of a URI. */
export type FindResource = (uri: string) => DefinitionDetails | undefined;

/** How an extension takes part in the definitions of an app. Everything here happens once a definition, when it is added. */
export interface DefinitionHooks {
  /**
   * Finds the faults in a definition's options for the extension. The app then refuses to start.
   *
   * @param find finds the resource or template of a URI, among all definitions.
   */
  check?(definition: DefinitionDetails, find: FindResource): readonly DefinitionProblem[];
  /** Gives members to add to the `_meta` that clients see in lists. */
  describe?(definition: DefinitionDetails): Readonly<Record<string, unknown>> | undefined;
  /** Returns a function that changes the contents of a resource or template. */
  shapeContents?(
    definition: DefinitionDetails,
  ): ((contents: ResourceContents) => ResourceContents) | undefined;
  /** Returns members for the definition in `manifestOf(app)`, beside those in lists. */
  promise?(definition: DefinitionDetails): Readonly<Record<string, unknown>> | undefined;
}
