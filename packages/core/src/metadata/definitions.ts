import type { CacheOptions } from '../protocol/results.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Annotations, Icon } from '../protocol/content.js';
import type { JsonSchema } from '../protocol/json.js';
import type { StandardSchema } from '../protocol/standard-schema.js';

/**
 * A schema as an author writes it: a DTO class, `[Dto]` for a list of instances, hand-written JSON Schema, or a schema
 * of zod, valibot or arktype.
 */
export type SchemaLike = Constructor | readonly [Constructor] | StandardSchema | JsonSchema;

/** The common options of tools, resources and prompts. */
export interface Presentation {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** Sent to clients as the `_meta` of the definition. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * Private metadata that never reaches a client. Guards, middleware and handlers read it from `definition.metadata`.
   */
  readonly metadata?: Readonly<Record<PropertyKey, unknown>>;
  /**
   * Time limit of the handler, in milliseconds; `false` for no limit. After that time, `ctx.signal` aborts. If the
   * request is a tool call, the client then gets an `isError` result. For any other request, it gets error -32001. Time
   * spent waiting for the client's answers does not count.
   * @default the `timeoutMs` of the app
   */
  readonly timeoutMs?: number | false;
}

/** How undeclared arguments are handled. */
export type UnknownProperties = 'reject' | 'strip' | 'keep';

/** A tool, as declared. */
export interface ToolDefinition extends Presentation {
  readonly kind: 'tool';
  /** The tool changes nothing. */
  readonly readOnly?: boolean;
  /** The tool can delete or overwrite data. Has no meaning for read-only tools. */
  readonly destructive?: boolean;
  /** Repeated calls with the same arguments have no effect beyond that of the first call. */
  readonly idempotent?: boolean;
  /** The tool accesses systems outside this server, such as the web. */
  readonly openWorld?: boolean;
  /** Schema of the arguments. Needed only if the parameter types of the handler do not determine it. */
  readonly input?: SchemaLike;
  /**
   * Validation groups of class-validator. In a DTO class, only rules of these groups and rules without a group apply. A
   * property that only has rules of other groups counts as undeclared. If no groups are set, every rule applies.
   */
  readonly groups?: readonly string[];
  readonly output?: SchemaLike;
  /**
   * Whether strings are converted to the type in the schema: "42" for a number, "true" for a boolean, JSON for an
   * object or list. A string stays unchanged if the conversion would lose information. Defaults to the app's option.
   */
  readonly coerce?: boolean;
  /**
   * How undeclared arguments are handled: `reject` them with a hint, `strip` them, or `keep` them for the handler.
   * Defaults to the app's option. Applies only to DTO classes and to parameters with `@Arg`. JSON Schemas use
   * `additionalProperties` instead. Schemas of zod and other libraries have their own settings, such as
   * `z.strictObject()`.
   */
  readonly unknownProperties?: UnknownProperties;
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
  /**
   * How long clients of revision 2026-07-28 can store the contents, and whether shared caches can store them. Defaults
   * to the app's option.
   */
  readonly cache?: CacheOptions;
  /**
   * A function that returns the resources of a template for `resources/list`, or the name of a method that does so.
   */
  readonly list?: string | ((...values: never[]) => unknown);
}

/** A prompt, as declared. */
export interface PromptDefinition extends Presentation {
  readonly kind: 'prompt';
  /** Schema of the arguments. Needed only if the parameter types of the handler do not determine it. */
  readonly input?: SchemaLike;
  /** Validation groups of class-validator, as in `@Tool`. */
  readonly groups?: readonly string[];
}

/** A source of completions for one argument, as declared. */
export interface CompletionDefinition {
  readonly kind: 'completion';
  /** The name of a prompt, or the URI template of a resource. */
  readonly ref: string;
  readonly argument: string;
}

/** A definition of a tool, resource, prompt or completion, as declared. */
export type HandlerDefinition = ToolDefinition | ResourceDefinition | PromptDefinition | CompletionDefinition;

/** A handler parameter that gets its value from an author's own decorator. */
export interface CustomParameterDefinition {
  readonly kind: 'custom';
  readonly index: number;
  /** Returns the value of the parameter, from the context of the call. */
  readonly value: (context: never) => unknown;
}

/** One argument that a handler parameter receives. */
export interface ParameterDefinition {
  readonly kind: 'arg' | 'param';
  readonly index: number;
  readonly name: string;
  /** The type from the decorator, if the author set one there. */
  readonly type?: unknown;
  /** The type of an array's elements. */
  readonly items?: unknown;
  /** Whether clients can omit the argument; `undefined` if the author set neither `optional` nor `default`. */
  readonly optional: boolean | undefined;
  /**
   * Whether the parameter has an initialiser: `own` if it has one; `unknown` if an earlier parameter has an
   * initialiser, because only the first initialiser of a method can be detected.
   */
  readonly initialiser: 'none' | 'own' | 'unknown';
  /** JSON Schema keywords: `description`, `minimum`, `enum`, `default` … */
  readonly keywords: JsonSchema;
}
