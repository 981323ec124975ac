import type {
  ErrorMapper,
  GuardLike,
  LimitLike,
  MiddlewareLike,
  ScopeRequirement,
} from '../context/policies.js';
import type { CompletionContext, PromptContext, ResourceContext, ToolContext } from '../context/contexts.js';
import type {
  CompletionDefinition,
  HandlerDefinition,
  PromptDefinition,
  ResourceDefinition,
  SchemaLike,
  ToolDefinition,
} from '../metadata/definitions.js';
import type { JsonSchema } from '../protocol/json.js';
import { OptionChecks } from '../transport/option-checks.js';
import type { StandardSchema } from '../protocol/standard-schema.js';
import type { Constructor } from '../protocol/constructor.js';
import type { PromptOptions, ResourceOptions, ToolOptions, ToolReturn } from './decorators.js';
import type { ListResources } from './resource-lists.js';
import type { VariablesOf } from './uri-variables.js';

/** A definition whose handler is a function. The definition can be passed to `createApp`, or added to a running app. */
export interface FunctionDefinition<D extends HandlerDefinition = HandlerDefinition> {
  readonly definition: D;
  readonly input: SchemaLike | undefined;
  /** The handler function, which is called with the arguments and the context. */
  readonly handle: (...values: never[]) => unknown;
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  readonly scopes: readonly ScopeRequirement[];
  readonly errors: readonly ErrorMapper[];
  readonly limits: readonly LimitLike[];
}

/** The guards, middleware, scopes, limits and error mappers of a handler function. */
export interface Policies {
  readonly guards?: readonly GuardLike[];
  readonly middleware?: readonly MiddlewareLike[];
  /** The scopes that a principal needs. Accepts the same values as `@RequireScopes`. */
  readonly scopes?: readonly ScopeRequirement[];
  readonly errors?: readonly ErrorMapper[];
  /**
   * How often the definition can be called, and how many of these calls can run at the same time. Accepts the same
   * values as `@Limit`. For several limits, pass a list.
   */
  readonly limit?: LimitLike | readonly LimitLike[];
}

/** The type of a handler's arguments, derived from the input schema `S`. */
export type ArgumentsOf<S> =
  S extends StandardSchema<infer _, infer T>
    ? T
    : S extends Constructor<infer T>
      ? T
      : Record<string, unknown>;

/**
 * Options of `defineTool`: the options of `@Tool`, a name, and the handler.
 *
 * @typeParam S the schema of the arguments.
 * @typeParam O the output schema, which determines the type of the handler's return value.
 */
export interface ToolFunctionOptions<S extends SchemaLike, O extends SchemaLike = JsonSchema>
  extends Omit<ToolOptions<O>, 'input'>, Policies {
  readonly name: string;
  readonly input?: S;
  /** The handler of the tool. Returns the result for the client. */
  readonly handle: (args: ArgumentsOf<S>, context: ToolContext) => ToolReturn<O>;
}

/**
 * Defines a tool without decorators. It works like `@Tool`. If the options contain no output schema, the handler can
 * return any value.
 *
 * @param options the options of `@Tool`, a name, and the handler.
 * @returns the definition, for `createApp`, a module, or `app.tools.add`.
 * @example
 * ```ts
 * import { z } from 'zod';
 *
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   handle: ({ a, b }) => a + b,
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function defineTool<S extends SchemaLike = Record<string, never>>(
  // Without an output schema, a handler may return anything, and its return type is not inferred from a schema.
  options: ToolFunctionOptions<S> & { readonly output?: undefined },
): FunctionDefinition<ToolDefinition>;
export function defineTool<S extends SchemaLike = Record<string, never>, O extends SchemaLike = JsonSchema>(
  options: ToolFunctionOptions<S, O>,
): FunctionDefinition<ToolDefinition>;
export function defineTool<S extends SchemaLike = Record<string, never>, O extends SchemaLike = JsonSchema>(
  options: ToolFunctionOptions<S, O>,
): FunctionDefinition<ToolDefinition> {
  return record(options, { kind: 'tool' });
}

/**
 * Options of `defineResource`: a URI or URI template, the options of `@Resource`, and the handler.
 *
 * @typeParam S the schema of the variables.
 * @typeParam U the URI template, which contains the names of the variables.
 */
export interface ResourceFunctionOptions<S extends SchemaLike, U extends string = string>
  extends Omit<ResourceOptions, 'list'>, Policies {
  readonly uri: U;
  readonly name: string;
  /** The schema of the variables. Without a schema, the handler gets the variables as strings. */
  readonly input?: S;
  /**
   * Returns the resources of a template for `resources/list`. Without this function, `resources/list` contains no
   * resources of the template.
   */
  readonly list?: ListResources<U>;
  /** The handler of the resource. Returns the contents for the client. */
  readonly handle: (
    variables: S extends Record<string, never> ? VariablesOf<U> : ArgumentsOf<S>,
    context: ResourceContext,
  ) => unknown;
}

/**
 * Defines a resource or a resource template without decorators. It works like `@Resource`.
 *
 * @param options a URI or URI template, the options of `@Resource`, and the handler.
 * @returns the definition, for `createApp`, a module, or `app.resources.add`.
 * @example
 * ```ts
 * const profile = defineResource({
 *   uri: 'users://{id}/profile',
 *   name: 'profile',
 *   handle: ({ id }) => users.get(id),
 *   list: async ({ cursor, limit }) => {
 *     const page = await users.page(cursor, limit);
 *     const resources = page.users.map(({ id, name }) => ({ variables: { id }, name }));
 *     return { resources, nextCursor: page.next };
 *   },
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
export function defineResource<S extends SchemaLike = Record<string, never>, const U extends string = string>(
  options: ResourceFunctionOptions<S, U>,
): FunctionDefinition<ResourceDefinition> {
  return record(options, { kind: 'resource' });
}

/** Options of `definePrompt`: the options of `@Prompt`, a name, and the handler. */
export interface PromptFunctionOptions<S extends SchemaLike> extends Omit<PromptOptions, 'input'>, Policies {
  readonly name: string;
  readonly input?: S;
  /** The handler of the prompt. Returns the messages of the prompt. */
  readonly handle: (args: ArgumentsOf<S>, context: PromptContext) => unknown;
}

/**
 * Defines a prompt without decorators. It works like `@Prompt`.
 *
 * @param options the options of `@Prompt`, a name, and the handler.
 * @returns the definition, for `createApp`, a module, or `app.prompts.add`.
 * @example
 * ```ts
 * const review = definePrompt({
 *   name: 'review',
 *   input: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
 *   handle: ({ code }) => message.user(`Review this code:\n${String(code)}`),
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
export function definePrompt<S extends SchemaLike = Record<string, never>>(
  options: PromptFunctionOptions<S>,
): FunctionDefinition<PromptDefinition> {
  return record(options, { kind: 'prompt' });
}

/** Options of `defineCompletion`: the options of `@Complete`, and the handler. */
export interface CompletionFunctionOptions extends Policies {
  /** The name of the prompt, or the URI template exactly as in the definition of the resource. */
  readonly ref: string;
  /** The name of the prompt argument or template variable to complete. */
  readonly argument: string;
  /** The handler of the completion. Returns the suggestions for the typed text, best first. */
  readonly handle: (prefix: string, context: CompletionContext) => unknown;
}

/**
 * Defines a completion without decorators. It works like `@Complete`.
 *
 * @param options the options of `@Complete`, and the handler.
 * @returns the definition, for `createApp`, a module, or `app.completions.add`.
 * @example
 * ```ts
 * const genres = ['jazz', 'rock', 'soul'];
 * const genre = defineCompletion({
 *   ref: 'recommend',
 *   argument: 'genre',
 *   handle: (prefix) => genres.filter((name) => name.startsWith(prefix)),
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
export function defineCompletion(
  options: CompletionFunctionOptions,
): FunctionDefinition<CompletionDefinition> {
  return record(options, { kind: 'completion' });
}

function record<D extends HandlerDefinition>(
  options: Policies & { readonly input?: SchemaLike; readonly handle: (...values: never[]) => unknown },
  { kind }: Pick<D, 'kind'>,
): FunctionDefinition<D> {
  OptionChecks.requireObject(functionOf(kind), options);
  const {
    handle,
    guards = [],
    middleware = [],
    scopes = [],
    errors = [],
    limit = [],
    input,
    ...definition
  } = options;
  return {
    definition: { ...definition, kind } as D,
    input,
    handle,
    guards,
    middleware,
    scopes,
    errors,
    limits: [limit].flat(),
  };
}

/** Returns the name of the function that creates definitions of the given kind, such as `defineTool`. */
export function functionOf(kind: HandlerDefinition['kind']): string {
  return `define${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
