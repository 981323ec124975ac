import type { CacheOptions } from '../protocol/results.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Annotations, Icon } from '../protocol/content.js';
import type { JsonSchema } from '../protocol/json.js';
import type { StandardSchema } from '../protocol/standard-schema.js';

/**
 * A schema by its author: a DTO class, a list of one (`[Dto]`), hand-written JSON Schema, or a schema of zod, valibot
 * or arktype.
 */
export type SchemaLike = Constructor | readonly [Constructor] | StandardSchema | JsonSchema;

/** The common options of all definitions. */
export interface Presentation {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** Travels to clients as `_meta` with the definition. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Private: guards, middleware and handlers read it from `definition.metadata`; it never reaches a client. */
  readonly metadata?: Readonly<Record<PropertyKey, unknown>>;
  /**
   * Time limit of the handler, in milliseconds. After it `ctx.signal` aborts, and the request is answered with an
   * `isError` result, or with error -32001 if it is not a tool call. Time spent waiting for the client's answers does
   * not count.
   * @default the `timeoutMs` of the app
   */
  readonly timeoutMs?: number | false;
}

/** The handling of undeclared arguments. */
export type UnknownProperties = 'reject' | 'strip' | 'keep';

/** A tool, as declared. */
export interface ToolDefinition extends Presentation {
  readonly kind: 'tool';
  /** The tool changes nothing. */
  readonly readOnly?: boolean;
  /** The tool may delete or overwrite; meaningful when it is not read-only. */
  readonly destructive?: boolean;
  /** Calling it twice with the same arguments does no more than calling it once. */
  readonly idempotent?: boolean;
  /** The tool reaches beyond this server, such as the web. */
  readonly openWorld?: boolean;
  /** Schema of the arguments, for a handler whose parameter types say nothing. */
  readonly input?: SchemaLike;
  /**
   * Validation groups of class-validator: of a DTO class only rules of these groups apply, and rules of no group. A
   * property that has rules of other groups only is unknown. Without groups every rule applies.
   */
  readonly groups?: readonly string[];
  readonly output?: SchemaLike;
  /**
   * Converts strings to the type of the schema if nothing is lost: "42" for a number, "true" for a boolean, JSON for an
   * object or list. Defaults to the app's option.
   */
  readonly coerce?: boolean;
  /**
   * The handling of undeclared arguments: `reject` them with a hint, `strip` them, or `keep` them for the handler.
   * Defaults to the app's option. For DTO classes and single arguments: JSON Schemas use `additionalProperties` instead,
   * and schemas of zod and other libraries decide themselves, such as `z.strictObject()`.
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
  /** How long and in which cache clients of 2026-07-28 may store the contents. Defaults to the app's option. */
  readonly cache?: CacheOptions;
  /** Returns the resources of a template for `resources/list`: the name of a method of the class, or a function. */
  readonly list?: string | ((...values: never[]) => unknown);
}

/** A prompt, as declared. */
export interface PromptDefinition extends Presentation {
  readonly kind: 'prompt';
  /** Schema of the arguments, for a handler whose parameter types say nothing. */
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

/** Anything a decorator on a method declares. */
export type HandlerDefinition = ToolDefinition | ResourceDefinition | PromptDefinition | CompletionDefinition;

/** A parameter of a handler that a decorator of the author's own fills. */
export interface CustomParameterDefinition {
  readonly kind: 'custom';
  readonly index: number;
  /** Gives the value, of the context of the call. */
  readonly value: (context: never) => unknown;
}

/** One argument a handler parameter receives. */
export interface ParameterDefinition {
  readonly kind: 'arg' | 'param';
  readonly index: number;
  readonly name: string;
  /** The type according to the author, if reflection cannot know it. */
  readonly type?: unknown;
  /** Type of the elements of an array. */
  readonly items?: unknown;
  /** Whether it may be left out; undefined when the author did not say. */
  readonly optional: boolean | undefined;
  /** Whether the parameter has an initialiser; unknown if a parameter before it has one. */
  readonly initialiser: 'none' | 'own' | 'unknown';
  /** JSON Schema keywords: `description`, `minimum`, `enum`, `default` … */
  readonly keywords: JsonSchema;
}
