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
 * The return type of a handler with an output schema:
 *
 * - For a DTO class: its instances, or plain objects with its properties.
 * - For a schema of zod, valibot or arktype: the input type of that schema.
 * - For JSON Schema: any type, because TypeScript cannot derive a type from it.
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
 * The return type of a tool with an output schema. The tool returns a value that fits the schema, a complete tool
 * result, an `InputRequired`, or a promise of one of these. Content blocks alone are not allowed.
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

/** A method decorator that works both with and without `experimentalDecorators`. */
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
   * The schema of the result: a DTO class, `[Dto]`, JSON Schema, or a schema of zod, valibot or arktype. Results are
   * checked against this schema at run time. The compiler also checks the method's return type, unless the schema is
   * JSON Schema.
   *
   * @default the DTO class in the method's return type. The type inside a promise is unknown at run time: for
   *   `Promise<StockLevel>`, write `output: StockLevel`.
   */
  readonly output?: S;
}

/**
 * Makes a method a tool.
 *
 * **Name**: the method's name in snake_case, unless `name` is given (`checkInventory` → `check_inventory`).
 *
 * **Parameters**: either one parameter whose type is a DTO class, or any number of parameters with `@Arg`. The input
 * schema is derived from these parameters. The method can also have a `ToolContext` parameter, in any position. A call
 * with invalid arguments gets an `isError` result and never reaches the method.
 *
 * **Return value**: a string, number or boolean becomes text. A plain object, array or DTO instance becomes
 * `structuredContent`, and its JSON is also sent as text. A content block, or an array of content blocks, becomes the
 * member `content` of the result. `content.text()` and similar functions create content blocks. An object with a member
 * `content` is used as the whole result. `undefined` becomes empty content.
 *
 * **Errors**: a `ToolError` becomes an `isError` result with its text. A `ProtocolError` becomes a JSON-RPC error. Any
 * other error is logged, and the client gets a fixed text.
 *
 * One instance of the class handles all calls, unless `@Service({ scope })` sets a scope other than `singleton`.
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
   * The name of the method that returns the resources of a template for `resources/list`. The method is called with
   * `{ cursor, limit }` and a `RequestContext`. Without this option, `resources/list` shows no resources of the
   * template.
   */
  readonly list?: L;
}

/**
 * Decorates a resource method. If `list` is set, the compiler checks that the class has a method with that name.
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
 * **Parameters**: either one parameter with `@Param(name)` for each variable, or one parameter whose type is a DTO
 * class with a property for each variable. The method can also have a `ResourceContext` parameter, in any position.
 *
 * **Return value**: a string becomes text. A `Uint8Array`, `Buffer` or `ArrayBuffer` becomes a base64 blob. An object
 * with a member `contents` is used as the whole result; it can also contain `ttlMs` and `cacheScope`, which control how
 * clients cache the result. Contents made by `resourceContents.text()` and `resourceContents.blob()`, alone or in an
 * array, are used unchanged. Any other value becomes JSON text with the MIME type `application/json`. `undefined` means
 * that the resource does not exist.
 *
 * **Lists**: `resources/list` shows resources with fixed URIs. It shows the resources of a template only if `list` is
 * the name of a method that returns them. This method returns either a page `{ resources, nextCursor? }`, or all
 * resources as an array or (async) iterable. The guards and scopes of the template determine which callers see its
 * resources.
 *
 * @param uri the URI for clients, such as `config://app` or `users://{id}/profile`.
 * @param options name, description, MIME type, annotations and caching of the resource; for a template, also the name
 *   of its list method.
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
 * **Parameters**: either one parameter whose type is a DTO class, or any number of parameters with `@Arg`. The method
 * can also have a `PromptContext` parameter, in any position. Clients send prompt arguments as strings. For a parameter
 * of type number or boolean, the string is converted if no information is lost.
 *
 * **Return value**: a string or a content block becomes one user message. Messages made by `message.user()` and
 * `message.assistant()`, alone or in an array, are used in order. An object with a member `messages` is used as the
 * whole result.
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
 * **Parameters**: the text that the user has typed, as a string. The method can also have a `CompletionContext`
 * parameter, in any position.
 *
 * **Return value**: the suggestions, best first. At most 100 suggestions are sent; Sigil adds `total` and `hasMore` to
 * the result.
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
