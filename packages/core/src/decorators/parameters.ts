import type { ParameterDefinition } from '../metadata/definitions.js';
import { addHeader, addParameter, annotate, type SchemaAnnotations } from '../metadata/metadata.js';
import { decorator } from '../metadata/standard-decorators.js';
import { OptionChecks } from '../transport/option-checks.js';
import type { RequestContext } from '../context/context.js';
import type { Principal as PrincipalOfRequest } from '../protocol/principal.js';

/** Options of `@Arg` and `@Param`: any JSON Schema keyword, and these. */
export interface ArgOptions {
  /** The type, when the build emits none or reflection cannot see it: `() => Date`, `() => Address`, `'integer'` … */
  readonly type?: (() => unknown) | string;
  /** The type of the elements of an array: `() => String`, `() => Address`. */
  readonly items?: (() => unknown) | object;
  readonly description?: string;
  /**
   * Whether the argument may be left out.
   * @default true if there is a `default`, or if the parameter has an initialiser (`page: number = 1`), which then
   *   applies
   */
  readonly optional?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly [keyword: string]: unknown;
}

/**
 * Gives a handler parameter one argument of a tool or prompt by name; no DTO class is needed for small things. The type
 * comes from the parameter; constraints and description from the options.
 *
 * **Arrays**: at run time `string[]` is only an array, so name the type of its elements: `{ items: () => String }`.
 *
 * **Enums and unions**: TypeScript emits `String` or `Number` for an enum and for a union of literals, which would let
 * any text or number pass. Name the enum, `{ type: () => Size }`, or the values, `{ enum: ['s', 'm'] }`. A union of
 * several types stops the start until `{ anyOf: […] }` names them.
 *
 * **Optional arguments**: an argument is required unless `{ optional: true }` says otherwise, because TypeScript
 * removes the question mark of `note?: string`. An initialiser is detected: an argument for `page: number = 1` may be
 * left out. `{ default: 1 }` also shows the value to clients. After a parameter with an initialiser, each argument must
 * say whether it is optional, because JavaScript counts parameters only up to the first initialiser.
 *
 * @param name the name of the argument, as clients send it.
 * @param options its description, constraints and type, if the parameter's own type is not enough.
 * @throws TypeError when it is not on a parameter of a method.
 * @example
 * ```ts
 * @Tool({ description: 'Searches the catalogue' })
 * search(
 *   @Arg('words', { items: () => String }) words: string[],
 *   @Arg('category', { optional: true }) category?: string,
 *   @Arg('page', { minimum: 1, default: 1 }) page: number = 1,
 * ) {
 *   return this.catalogue.search(words, category, page);
 * }
 * ```
 */
export function Arg(name: string, options: ArgOptions = {}): ParameterDecorator {
  return record('arg', name, options);
}

/**
 * Gives a handler parameter one variable of a resource template by name.
 *
 * @param name the name of the variable in the URI template.
 * @param options its description, constraints and type, if the parameter's own type is not enough.
 * @throws TypeError when it is not on a parameter of a method.
 * @example
 * ```ts
 * @Resource('orders://{id}')
 * order(@Param('id', { type: 'integer', minimum: 1 }) id: number): Promise<Order | undefined> {
 *   return this.orders.find(id);
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
 */
export function Param(name: string, options: ArgOptions = {}): ParameterDecorator {
  return record('param', name, options);
}

const DECORATOR = { arg: 'Arg', param: 'Param' } as const;

function record(kind: ParameterDefinition['kind'], name: string, options: ArgOptions): ParameterDecorator {
  return (prototype, method, index) => {
    if (method === undefined)
      throw new TypeError(`@Arg and @Param belong on the parameters of methods: ${name}`);
    OptionChecks.requireObject(
      `${prototype.constructor.name}.${String(method)}, @${DECORATOR[kind]}`,
      options,
    );
    const { type, items, optional, ...keywords } = options;
    const byName = typeof type === 'string' ? { type } : {};
    addParameter(prototype, method, {
      kind,
      index,
      name,
      optional: optional ?? ('default' in keywords ? true : undefined),
      initialiser: initialiserAt(prototype, method, index),
      keywords: { ...byName, ...(typeof items === 'object' ? { items } : {}), ...keywords },
      ...(typeof type === 'function' ? { type } : {}),
      ...(typeof items === 'function' ? { items } : {}),
    });
  };
}

/** `length` ends before the first initialiser. Decorators of parameters run first, so the method is still the one that was written. */
function initialiserAt(
  prototype: object,
  method: string | symbol,
  index: number,
): ParameterDefinition['initialiser'] {
  const written: unknown = Reflect.get(prototype, method);
  const length = typeof written === 'function' ? written.length : Infinity;
  if (index < length) return 'none';
  return index === length ? 'own' : 'unknown';
}

/**
 * Creates a decorator for handler parameters whose value comes from the context of the call. The parameter never shows
 * in a schema.
 *
 * @param value returns the value; a promise is awaited before the handler runs. An error fails the call, as if the
 *   handler had thrown it.
 * @returns the decorator, which takes no arguments; it throws a TypeError when it is not on a parameter of a method.
 * @example
 * ```ts
 * const Tenant = createParamDecorator((ctx) => String(ctx.headers['x-tenant'] ?? 'default'));
 *
 * @Service()
 * class Tickets {
 *   @Tool()
 *   listTickets(@Tenant() tenant: string) {
 *     return `The tickets of ${tenant}`;
 *   }
 * }
 * ```
 */
export function createParamDecorator(value: (context: RequestContext) => unknown): () => ParameterDecorator {
  return () => (prototype, method, index) => {
    if (method === undefined)
      throw new TypeError('a decorator made by createParamDecorator belongs on a parameter of a method');
    addParameter(prototype, method, { kind: 'custom', index, value });
  };
}

/** The authenticated caller of a request. */
export type Principal = PrincipalOfRequest;

/**
 * Gives a handler parameter the authenticated principal; `undefined` on an unauthenticated transport.
 *
 * @example
 * ```ts
 * @Tool({ description: 'Tells whom the server takes you for' })
 * whoAmI(@Principal() principal: Principal | undefined): string {
 *   return principal?.id ?? 'a guest';
 * }
 * ```
 */
export const Principal: () => ParameterDecorator = createParamDecorator((context) => context.principal);

/**
 * Passes the context of the call to a handler parameter. Only for builds without decorator metadata, and only if the
 * parameter is ambiguous there: elsewhere the type of the parameter is enough.
 *
 * @example
 * ```ts
 * @Tool({ description: 'Tells whom the server takes you for' })
 * whoAmI(@Ctx() ctx: ToolContext): string {
 *   return ctx.principal?.id ?? 'a guest';
 * }
 * ```
 */
export const Ctx: () => ParameterDecorator = createParamDecorator((context) => context);

/**
 * Has clients repeat an argument in the HTTP header `Mcp-Param-<name>`, for gateways that route by it without reading bodies.
 * Requests whose header and body disagree are refused. Proxies log headers: an argument named like a secret is warned of at start.
 * For a property of a DTO, or beside `@Arg`; strings, integers and booleans only.
 *
 * @param name the part of the header after `Mcp-Param-`; unique within the tool.
 * @throws TypeError when it is neither on a property nor on a parameter of a method.
 * @example
 * ```ts
 * @Tool({ description: 'Runs a query in one region' })
 * query(@Arg('region') @McpHeader('Region') region: string, @Arg('sql') sql: string) {
 *   return this.databases.in(region).query(sql);
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http,
 *   "Custom Headers from Tool Parameters"
 */
export function McpHeader(name: string): PropertyDecorator & ParameterDecorator {
  const ofProperty = decorator('McpHeader', (target, member) => annotate(target, member, { header: name }));
  return (target: object, member: string | symbol | undefined, index?: number) => {
    if (member === undefined)
      throw new TypeError(`@McpHeader belongs on properties and parameters of methods: ${name}`);
    if (typeof index === 'number') addHeader(target, member, index, name);
    else ofProperty(target, member);
  };
}

/**
 * Describes a DTO class or one of its properties to the model.
 *
 * @param description the meaning of the value, in words for a model.
 * @param more title, examples, or deprecation.
 * @example
 * ```ts
 * @Describe('An order of one article')
 * class Order {
 *   @IsInt()
 *   @Describe('How many pieces', { examples: [1] })
 *   quantity!: number;
 * }
 * ```
 */
export function Describe(
  description: string,
  more: Omit<SchemaAnnotations, 'description'> = {},
): ClassDecorator & PropertyDecorator {
  return decorator('Describe', (target, property) => annotate(target, property, { ...more, description }));
}
