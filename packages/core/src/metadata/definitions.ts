import type { CacheOptions } from '../protocol/cache-hint.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Annotations, Icon } from '../protocol/content.js';
import type { JsonSchema } from '../protocol/json.js';
import type { StandardSchema } from '../protocol/standard-schema.js';

/** A schema as an author may give it: a DTO class, a list of one (`[Dto]`), JSON Schema by hand, or one of zod, valibot or arktype. */
export type SchemaLike = Constructor | readonly [Constructor] | StandardSchema | JsonSchema;

/** What every definition may say about itself. */
export interface Presentation {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** Travels as `_meta` with the definition. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** What becomes of arguments that nobody declared. */
export type UnknownProperties = 'reject' | 'strip' | 'keep';

/** How a tool may run in the background (extension `io.modelcontextprotocol/tasks`). */
export interface TaskOptions {
  /** Whether clients without the extension may call the tool and wait for it, or may not call it at all. */
  readonly support: 'optional' | 'required';
  /**
   * When a call becomes a task: at once (`call`), or when the handler says so with `ctx.startTask()` (`handler`), after the
   * questions it needs answered first. `call` unless given.
   */
  readonly start?: 'call' | 'handler';
  /** Milliseconds from its creation that a task is kept, `null` for ever; as the app says unless given. */
  readonly ttlMs?: number | null;
  /** Milliseconds that clients should let pass between two looks; as the app says unless given. */
  readonly pollIntervalMs?: number;
}

/** How a tool is shown and who may call it (extension `io.modelcontextprotocol/ui`). */
export interface ToolUiOptions {
  /** The UI resource that hosts show with the results of the tool. */
  readonly resourceUri?: string;
  /** Who may call it: the model, the UI, or both. Both unless given. */
  readonly visibility?: readonly ('model' | 'app')[];
}

/** The origins a UI may reach, such as `https://api.example.com` or `https://*.example.com`. None unless given. */
export interface UiCsp {
  /** For requests: fetch, XMLHttpRequest, WebSocket. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, pictures, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** For nested frames. */
  readonly frameDomains?: readonly string[];
  /** For the base URI of the document. */
  readonly baseUriDomains?: readonly string[];
}

/** What a UI asks of the browser; each is given as an empty object, and hosts may refuse. */
export interface UiPermissions {
  readonly camera?: object;
  readonly microphone?: object;
  readonly geolocation?: object;
  readonly clipboardWrite?: object;
}

/** How hosts show a UI resource (extension `io.modelcontextprotocol/ui`). */
export interface UiOptions {
  readonly csp?: UiCsp;
  readonly permissions?: UiPermissions;
  /** The origin of the sandbox, in the form the host asks for. */
  readonly domain?: string;
  /** Whether the host draws a border around it. The host decides unless given. */
  readonly prefersBorder?: boolean;
}

/** A tool, as declared. */
export interface ToolDefinition extends Presentation {
  readonly kind: 'tool';
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
  readonly input?: SchemaLike;
  readonly groups?: readonly string[];
  readonly output?: SchemaLike;
  readonly coerce?: boolean;
  readonly unknownProperties?: UnknownProperties;
  readonly task?: TaskOptions['support'] | TaskOptions;
  readonly ui?: string | ToolUiOptions;
}

/** A resource or resource template, as declared. */
export interface ResourceDefinition extends Presentation {
  readonly kind: 'resource';
  /** A fixed URI, or an RFC 6570 template. */
  readonly uri: string;
  readonly groups?: readonly string[];
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  /** Size of the raw contents in bytes. */
  readonly size?: number;
  /** How long, and for whom, clients of 2026-07-28 may keep what is read. As the app says unless given. */
  readonly cache?: CacheOptions;
  /** Set on UI resources. */
  readonly ui?: UiOptions;
}

/** A prompt, as declared. */
export interface PromptDefinition extends Presentation {
  readonly kind: 'prompt';
  readonly input?: SchemaLike;
  readonly groups?: readonly string[];
}

/** A source of completions for one argument, as declared. */
export interface CompletionDefinition {
  readonly kind: 'completion';
  /** The name of a prompt, or the URI template of a resource. */
  readonly ref: string;
  readonly argument: string;
}

/** Anything a decorator on a method declares. */
export type HandlerDefinition = ToolDefinition | ResourceDefinition | PromptDefinition | CompletionDefinition;

/** One value a handler parameter receives. */
export interface ParameterDefinition {
  readonly kind: 'arg' | 'param';
  readonly index: number;
  readonly name: string;
  /** What the author says the type is, when reflection cannot know. */
  readonly type?: unknown;
  /** Type of the elements of an array. */
  readonly items?: unknown;
  /** Whether it may be left out; undefined when the author did not say. */
  readonly optional: boolean | undefined;
  /** Whether the parameter has an initialiser; unknown when it stands behind one that has. */
  readonly initialiser: 'none' | 'own' | 'unknown';
  /** JSON Schema keywords: `description`, `minimum`, `enum`, `default` … */
  readonly keywords: JsonSchema;
}
