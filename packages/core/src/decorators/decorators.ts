import type { InputRequired } from '../context/questions.js';
import type {
  HandlerDefinition,
  PromptDefinition,
  ResourceDefinition,
  SchemaLike,
  ToolDefinition,
} from '../metadata/definitions.js';
import { OptionChecks } from '../transport/option-checks.js';
import { addHandler } from '../metadata/metadata.js';
import { decorator, type StandardMethodDecorator } from '../metadata/standard-decorators.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { CallToolResult } from '../protocol/results.js';
import type { StandardSchema } from '../protocol/standard-schema.js';
import type { ListResources } from './resource-lists.js';

/**
 * The return type of a handler with an output schema. For a DTO class: its instances, or plain objects with its
 * properties. For a schema of another library: the input of that schema. For JSON Schema: anything, because types
 * cannot read it.
 */
export type OutputOf<S> =
  S extends StandardSchema<infer Input, infer _>
    ? Input
    : S extends Constructor<infer T>
      ? T | DataOf<T>
      : S extends readonly [Constructor<infer T>]
        ? readonly (T | DataOf<T>)[]
        : unknown;

/** The properties of an instance without its methods. */
type DataOf<T> = { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: T[K] };

/**
 * The return type of a tool with an output schema, at once or as a promise. Content alone is not a result of such a
 * tool.
 */
export type ToolReturn<S> =
  unknown extends OutputOf<S>
    ? unknown
    : | OutputOf<S>
      | CallToolResult
      | InputRequired
      | PromiseLike<OutputOf<S> | CallToolResult | InputRequired>;

/**
 * Decorates a method whose return type fits the output schema.
 *
 * @typeParam S the output schema.
 */
export type ToolDecorator<S> =
  unknown extends OutputOf<S>
    ? HandlerDecorator
    : (<M extends (...values: never[]) => ToolReturn<S>>(
        prototype: object,
        method: string | symbol,
        descriptor: TypedPropertyDescriptor<M>,
      ) => void) &
        StandardMethodDecorator<(...values: never[]) => ToolReturn<S>>;

/** A decorator of methods, with and without `experimentalDecorators`. */
export type HandlerDecorator = MethodDecorator & StandardMethodDecorator;

function handler(name: string, options: object, described: HandlerDefinition): HandlerDecorator {
  OptionChecks.requireObject(`@${name}`, options);
  const definition: HandlerDefinition = { ...options, ...described };
  const record = (prototype: object, method?: string | symbol): void => {
    if (method !== undefined) addHandler(prototype, method, definition);
  };
  return decorator(name, record);
}

/**
 * Options of `@Tool`.
 *
 * @typeParam S the output schema.
 */
export interface ToolOptions<S extends SchemaLike = SchemaLike> extends Omit<
  ToolDefinition,
  'kind' | 'output'
> {
  /**
   * Schema of the result: a DTO class, `[Dto]`, JSON Schema, or a schema of zod, valibot or arktype. Results are
   * checked against it when the tool is called, and the return type of the method when it is compiled (except with JSON
   * Schema).
   *
   * @default the DTO class in the method's return type. The type inside a promise is unknown at run time: for
   *   `Promise<StockLevel>` write `output: StockLevel`.
   */
  readonly output?: S;
}

/**
 * Makes a method a tool.
 *
 * **Name**: the method's name in snake_case, unless `name` is given (`checkInventory` → `check_inventory`).
 *
 * **Parameters**: one DTO class, or values marked with `@Arg`, and a `ToolContext` in any position. The input schema
 * comes from them; invalid arguments are answered with an `isError` result and never reach the method.
 *
 * **Return value**: a string, number or boolean becomes text. A plain object, array or DTO instance becomes
 * `structuredContent`, and its JSON becomes text. Blocks from the builders of `content`, such as `content.text()`,
 * alone or in an array, become `content`. An object with `content` is the whole result. `undefined` becomes empty
 * content.
 *
 * **Errors**: a `ToolError` becomes an `isError` result with its text; a `ProtocolError` a JSON-RPC error; anything
 * else is logged and answered with a fixed text.
 *
 * Services are singletons unless `@Service({ scope })` says otherwise.
 *
 * @param options name, description, hints, schemas and limits of the tool.
 * @example
 * ```ts
 * @Tool({ description: 'Tells how many pieces are in stock', readOnly: true })
 * async checkInventory(@Arg('sku') sku: string, ctx: ToolContext): Promise<string> {
 *   const pieces = await this.stock.count(sku, ctx.signal);
 *   return `${pieces} in stock`;
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function Tool<S extends SchemaLike = JsonSchema>(options: ToolOptions<S> = {}): ToolDecorator<S> {
  return handler('Tool', options, { kind: 'tool' });
}

/**
 * Options of `@Resource`; `groups` are validation groups of class-validator, as in `@Tool`.
 *
 * @typeParam L the name of the method that lists the resources of a template.
 */
export interface ResourceOptions<L extends string = string> extends Omit<
  ResourceDefinition,
  'kind' | 'uri' | 'list'
> {
  /**
   * The name of the method that returns the resources of a template for `resources/list`: it is called with
   * `{ cursor, limit }` and a `RequestContext`. Without it the list has none of them.
   */
  readonly list?: L;
}

/**
 * Decorates a method of a class that also has the list method of the template.
 *
 * @typeParam U the URI template.
 * @typeParam L the name of the method that lists its resources.
 */
export type ResourceDecorator<U extends string, L extends string> = [L] extends [never]
  ? HandlerDecorator
  : (<C extends Readonly<Record<L, ListResources<U>>>>(
      prototype: C,
      method: string | symbol,
      descriptor: PropertyDescriptor,
    ) => void) &
      StandardMethodDecorator;

/**
 * Makes a method a resource, or a resource template when the URI has variables (RFC 6570).
 *
 * **Parameters**: one `@Param(name)` a variable, or one DTO class with a property a variable, and a `ResourceContext`
 * in any position.
 *
 * **Return value**: a string becomes text; a `Uint8Array`, `Buffer` or `ArrayBuffer` becomes a base64 blob; an object
 * with `contents` is the whole result, and may say how long it may be kept (`ttlMs`, `cacheScope`); contents made by
 * `resourceContents.text()` and `resourceContents.blob()`, alone or in an array, are used as they are; any other value
 * becomes its JSON with MIME type `application/json`; `undefined` means that there is no such resource.
 *
 * **Lists**: `resources/list` shows fixed URIs. It shows those of a template if `list` names a method that returns
 * them: a page `{ resources, nextCursor? }`, or all as an array or (async) iterable. Guards and scopes of the template
 * decide who sees them.
 *
 * @param uri the URI for clients, such as `config://app` or `users://{id}/profile`.
 * @param options name, description, MIME type, annotations, caching and list of the resource.
 * @example
 * ```ts
 * @Resource('users://{id}/profile', { description: 'The profile of a user', list: 'profiles' })
 * profile(@Param('id') id: string): Promise<Profile | undefined> {
 *   return this.users.find(id);
 * }
 *
 * async profiles({ cursor, limit }: ListRequest) {
 *   const { users, next } = await this.users.page(cursor, limit);
 *   return { resources: users.map(({ id, name }) => ({ variables: { id }, name })), nextCursor: next };
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
export function Resource<const U extends string, const L extends string = never>(
  uri: U,
  options: ResourceOptions<L> = {},
): ResourceDecorator<U, L> {
  return handler('Resource', options, { kind: 'resource', uri });
}

/** Options of `@Prompt`. */
export type PromptOptions = Omit<PromptDefinition, 'kind'>;

/**
 * Makes a method a prompt.
 *
 * **Name**: the method's name in snake_case, unless `name` is given.
 *
 * **Parameters**: one DTO class, or values marked with `@Arg`, and a `PromptContext` in any position. Prompt arguments
 * are strings on the wire; for a number or boolean they are converted when nothing is lost.
 *
 * **Return value**: a string or content becomes one user message; messages made by `message.user()` and `message.assistant()`, alone or
 * in an array, are used in order; an object with `messages` is the whole result.
 *
 * @param options name, description and schema of the prompt.
 * @example
 * ```ts
 * @Prompt({ description: 'Reviews a piece of code' })
 * reviewCode(@Arg('code') code: string) {
 *   return message.user(`Review this code:\n${code}`);
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
export function Prompt(options: PromptOptions = {}): HandlerDecorator {
  return handler('Prompt', options, { kind: 'prompt' });
}

/**
 * Makes a method the source of completions for one argument of a prompt or one variable of a resource template.
 *
 * **Parameters**: the typed text, as a string, and a `CompletionContext` in any position.
 *
 * **Return value**: the suggestions, best first. At most 100 are sent; `total` and `hasMore` are filled in.
 *
 * @param ref the name of the prompt, or the URI template exactly as in `@Resource`.
 * @param argument the name of the argument or variable.
 * @example
 * ```ts
 * @Complete('users://{id}/profile', 'id')
 * completeId(prefix: string): Promise<string[]> {
 *   return this.users.idsLike(prefix);
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
export function Complete(ref: string, argument: string): HandlerDecorator {
  return handler('Complete', {}, { kind: 'completion', ref, argument });
}
