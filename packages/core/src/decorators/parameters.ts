import type { ParameterDefinition } from '../metadata/definitions.js';
import { addHeader, addParameter, annotate, type SchemaAnnotations } from '../metadata/metadata.js';
import { decorator } from '../metadata/standard-decorators.js';
import { OptionChecks } from '../transport/option-checks.js';
import type { RequestContext } from '../context/context.js';
import type { Principal as PrincipalOfRequest } from '../protocol/principal.js';

/** Options of `@Arg` and `@Param`: any JSON Schema keyword, and the following members. */
export interface ArgOptions {
  /**
   * The type of the argument, for example `() => Date`, `() => Address` or `'integer'`. Needed only if the build emits
   * no types, or if reflection cannot determine the type.
   */
  readonly type?: (() => unknown) | string;
  /** The type of the elements of an array: `() => String`, `() => Address`. */
  readonly items?: (() => unknown) | object;
  readonly description?: string;
  /**
   * Whether clients can omit the argument.
   * @default true if `default` is set, or if the parameter has an initialiser (`page: number = 1`). In the second case,
   *   an omitted argument gets the value of the initialiser.
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
 * Passes one argument of a tool or prompt, selected by name, to a handler parameter. A handler with few arguments then
 * needs no DTO class. The type comes from the parameter; constraints and description come from the options.
 *
 * **Arrays**: the element type of `string[]` is not known at run time, so pass it: `{ items: () => String }`.
 *
 * **Enums and unions**: TypeScript emits `String` or `Number` for an enum and for a union of literals, so any text or
 * number would be accepted. Pass the enum as `{ type: () => Size }`, or the values as `{ enum: ['s', 'm'] }`. For a
 * union of several types, such as `string | number`, list the types in `{ anyOf: […] }`; otherwise, the app does not
 * start.
 *
 * **Optional arguments**: an argument is required unless `{ optional: true }` is set, because the question mark of
 * `note?: string` does not exist at run time. An initialiser also makes an argument optional: clients can omit the
 * argument for `page: number = 1`. `{ default: 1 }` makes it optional too, and shows the default to clients. Sigil can
 * detect only the first initialiser in a parameter list, so set `optional` or `default` for all later parameters.
 *
 * @param name the name of the argument, as clients send it.
 * @param options the description, the constraints, and the type if reflection cannot determine it.
 * @throws TypeError when the decorator is not on a parameter of a method.
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
 * Passes one variable of a resource template, selected by name, to a handler parameter.
 *
 * @param name the name of the variable in the URI template.
 * @param options the description, the constraints, and the type if reflection cannot determine it.
 * @throws TypeError when the decorator is not on a parameter of a method.
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
      throw new TypeError(`@${DECORATOR[kind]}('${name}') can only be used on a parameter of a method`);
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

/**
 * Whether a parameter has an initialiser. A function's `length` counts only the parameters before the first
 * initialiser. Parameter decorators run first, so the method is still the original one.
 */
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
 * Creates a decorator for handler parameters that get their value from the context of the call. The parameter never
 * appears in a schema.
 *
 * @param value a function that returns the value for a context; a promise is awaited before the handler runs. If the
 *   function throws, the call fails as if the handler had thrown the error.
 * @returns the decorator, which accepts no arguments. It throws a TypeError when it is not on a parameter of a method.
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
      throw new TypeError(
        'a decorator from createParamDecorator can only be used on a parameter of a method',
      );
    addParameter(prototype, method, { kind: 'custom', index, value });
  };
}

/** The authenticated caller of a request. */
export type Principal = PrincipalOfRequest;

/**
 * Passes the authenticated principal to a handler parameter; `undefined` if the transport does not authenticate
 * callers.
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
 * Passes the context of the call to a handler parameter. Needed only in builds without decorator metadata, if Sigil
 * cannot tell which parameter is the context. In all other cases, a parameter type such as `ToolContext` is enough.
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
 * Makes clients repeat an argument in the HTTP header `Mcp-Param-<name>`. Gateways can then route requests by this
 * argument without reading the bodies. A request is refused if its header and its body contain different values.
 * Proxies may log headers, so the server logs a warning at start if the name of the argument suggests a secret. The
 * decorator belongs on a DTO property, or on a parameter with `@Arg`. It supports only strings, integers and booleans.
 *
 * @param name the part of the header's name after `Mcp-Param-`; unique within the tool.
 * @throws TypeError when the decorator is neither on a property nor on a parameter of a method.
 * @example
 * ```ts
 * @Tool({ description: 'Runs a query in one region' })
 * query(@Arg('region') @McpHeader('Region') region: string, @Arg('sql') sql: string) {
 *   return this.databases.in(region).query(sql);
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http, "Custom Headers from
 *   Tool Parameters"
 */
export function McpHeader(name: string): PropertyDecorator & ParameterDecorator {
  const ofProperty = decorator('McpHeader', (target, member) => annotate(target, member, { header: name }));
  return (target: object, member: string | symbol | undefined, index?: number) => {
    if (member === undefined)
      throw new TypeError(
        `@McpHeader('${name}') can only be used on a property, or on a parameter of a method`,
      );
    if (typeof index === 'number') addHeader(target, member, index, name);
    else ofProperty(target, member);
  };
}

/**
 * Adds a description for the model to a DTO class or to one of its properties.
 *
 * @param description the meaning of the value, in words for a model.
 * @param more the title, examples, or deprecation of the value.
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
