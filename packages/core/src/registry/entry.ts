import type { Call } from '../context/call.js';
import type {
  CacheOptions,
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/results.js';
import type { InputRequired } from '../context/input-required.js';
import type { RequestContext } from '../context/request-context.js';
import type { MirroredArgument, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/descriptors.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { DefinitionFacts } from './definition-hooks.js';

/** Serves one request whose caller has passed the gate; compiled at boot. */
export type Handler<R> = (call: Call, args: Record<string, unknown>) => MaybePromise<R>;

/** A handler that may first say what it needs. */
export type AskingHandler<R> = Handler<R | InputRequired>;

/**
 * Whether a caller may see and use an entry; compiled at boot, absent when everybody may.
 *
 * @param context the context of the call, when the request is a call of the entry; absent for lists and the like.
 */
export type Gate = (call: Call, context?: RequestContext) => MaybePromise<boolean>;

/** Whether guards permit a caller to hear of the changes of one resource; compiled at boot. */
export type Permits = (
  call: Call,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
) => Promise<boolean>;

/** A single guard of an entry, by the name of its class or function. */
export interface NamedGate {
  readonly name: string;
  readonly allows: Gate;
}

interface EntryBase {
  /** What it is found by: a name, a URI, or a URI template. */
  readonly key: string;
  readonly where: string;
  /** What guards, middleware, handlers and extensions know of it. */
  readonly info: DefinitionFacts;
  /** Gives the context of a call of it. */
  readonly context: (call: Call) => RequestContext;
  /** Milliseconds its handler may take; as the app says when absent. */
  readonly timeoutMs?: number | false;
  readonly gate?: Gate;
  /** The guards behind the gate, in the order they are asked; absent with it. */
  readonly guards?: readonly NamedGate[];
}

/** A source of completions for one argument. */
export interface Completer {
  readonly run: Handler<CompleteResult>;
  readonly gate?: Gate;
}

/** A tool, compiled. */
export interface ToolEntry extends EntryBase {
  readonly kind: 'tool';
  readonly descriptor: Tool;
  /** The arguments that clients repeat in headers. */
  readonly mirrored: readonly MirroredArgument[];
  readonly run: AskingHandler<CallToolResult>;
}

/** A resource with a fixed URI, compiled. */
export interface ResourceEntry extends EntryBase {
  readonly kind: 'resource';
  readonly descriptor: Resource;
  readonly cache?: CacheOptions;
  /** What guards say of a subscription; absent when none of them looks at arguments. */
  readonly permits?: Permits;
  readonly run: AskingHandler<ReadResourceResult | undefined>;
}

/** A resource template, compiled. */
export interface TemplateEntry extends EntryBase {
  readonly kind: 'template';
  readonly descriptor: ResourceTemplate;
  readonly cache?: CacheOptions;
  /** See `ResourceEntry`. */
  readonly permits?: Permits;
  /** Gives the values of the variables when a URI matches. */
  readonly match: (uri: string) => Record<string, string | string[]> | undefined;
  readonly run: AskingHandler<ReadResourceResult | undefined>;
  readonly completers: ReadonlyMap<string, Completer>;
}

/** A prompt, compiled. */
export interface PromptEntry extends EntryBase {
  readonly kind: 'prompt';
  readonly descriptor: Prompt;
  readonly run: AskingHandler<GetPromptResult>;
  readonly completers: ReadonlyMap<string, Completer>;
}

/** Anything a server serves. Frozen: a change is a new entry. */
export type Entry = ToolEntry | ResourceEntry | TemplateEntry | PromptEntry;
