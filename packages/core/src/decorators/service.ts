import { addOptional, addToList, defineService, type ServiceScope } from '../metadata/metadata.js';
import type {
  CallLimit,
  ErrorMapper,
  GuardLike,
  LimitLike,
  MiddlewareLike,
  ScopeRequirement,
} from '../context/policies.js';
import { isObject } from '../protocol/json.js';
import { KEYS, type ListKey } from '../metadata/keys.js';
import { decorator } from '../metadata/standard-decorators.js';
import { OptionChecks } from '../transport/option-checks.js';

/** Options of `@Service`. */
export interface ServiceOptions {
  /**
   * How long an instance lives.
   *
   * @default 'singleton'
   */
  readonly scope?: ServiceScope;
}

/**
 * Makes a class resolvable by the container, with its constructor's parameters injected by their types.
 *
 * A singleton is made once an app, at start. A `session` service is made once a legacy session (in the modern era,
 * which has none, once a request); a `request` service once a request; a `transient` one each time it is asked for.
 *
 * A singleton may have the methods `onInit` and `onReady`. `createApp` awaits `onInit` of every service after that of
 * the services it needs, then `onReady` of all in the same order, and then returns. A singleton that is first asked for
 * later is initialised then, before it is handed on. Services of the other scopes must not have these methods.
 *
 * An instance with `Symbol.asyncDispose`, `Symbol.dispose`, `onClose` or `destroy` is disposed of, and awaited, when
 * its scope ends, those made last first.
 *
 * @param options how long an instance lives.
 * @throws TypeError when it is not on a class.
 * @throws DefinitionError if the options are not an object.
 * @example
 * ```ts
 * @Service()
 * class Tickets {
 *   constructor(private readonly database: Database) {}
 *
 *   async onInit(): Promise<void> {
 *     await this.database.open();
 *   }
 * }
 * ```
 */
export function Service(options: ServiceOptions = {}): ClassDecorator {
  OptionChecks.requireObject('@Service', options);
  return decorator('Service', (cls, method) => {
    if (method !== undefined) throw new TypeError(`@Service belongs on classes, not on ${String(method)}()`);
    // Options that do not exist are found when the app is made.
    defineService(cls, { ...options, scope: options.scope ?? 'singleton' });
  });
}

/**
 * Lets a constructor parameter be `undefined` if its id is neither provided nor a class with `@Service`. Field
 * initialisers use `inject(id, { optional: true })`.
 *
 * @example
 * ```ts
 * @Service()
 * class Search {
 *   constructor(@Optional() @Inject(CACHE) private readonly cache?: Cache) {}
 * }
 * ```
 */
export function Optional(): ParameterDecorator {
  return (cls, method, index) => {
    if (method !== undefined)
      throw new TypeError(
        `@Optional belongs on parameters of constructors, not of ${String(method)}(): for an argument write @Arg(name, { optional: true })`,
      );
    addOptional(cls, index);
  };
}

type ClassOrMethodDecorator = ClassDecorator & MethodDecorator;

/**
 * Restricts a service's definitions, or one definition, to callers whom every guard allows.
 *
 * @param guards functions, or classes that the container resolves; asked in this order.
 * @example
 * ```ts
 * const isEmployee = ({ principal }: GuardContext) => principal?.scopes?.includes('staff') ?? false;
 *
 * @Service()
 * @UseGuards(isEmployee)
 * class Payroll {}
 * ```
 */
export function UseGuards(...guards: GuardLike[]): ClassOrMethodDecorator {
  return record('UseGuards', KEYS.guards, guards);
}

/**
 * Restricts a service's definitions, or one definition, to principals with all these scopes; those of the class and of
 * the method add up. Lists show definitions whose scopes a principal lacks, so that a client can request them. Over
 * HTTP the call gets 403 and a challenge that names all scopes; elsewhere an error with `data.authorization`. To hide a
 * definition, add a guard, which runs first.
 *
 * @typeParam A the arguments, as the handler gets them.
 * @param requirements scopes, or functions that give them for the arguments of a call.
 * @example
 * ```ts
 * @RequireScopes('files')
 * @RequireScopes(({ folder }: MoveFile) => [`files:write:${folder}`])
 * @Tool({ description: 'Moves a file' })
 * move(file: MoveFile) {
 *   return this.files.move(file);
 * }
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling
 */
export function RequireScopes<A = never>(...requirements: ScopeRequirement<A>[]): ClassOrMethodDecorator {
  return record('RequireScopes', KEYS.scopes, requirements);
}

/**
 * Limits how often each definition of a service, or one definition, is called, and how many of its handlers run at once; limits of the
 * class and of the method all hold. A call beyond is refused by a `RateLimitError`: over HTTP with 429 and `Retry-After`.
 *
 * @param limit a rate such as `30/min`, or all options.
 * @param options more about the rate.
 * @example
 * ```ts
 * @Limit('30/min', { burst: 5 })
 * @Limit({ concurrency: 2, queueMs: 500 })
 * @Tool({ description: 'Searches the archive' })
 * search(@Arg('text') text: string) {
 *   return this.archive.search(text);
 * }
 * ```
 */
export function Limit(limit: LimitLike, options?: Omit<CallLimit, 'rate'>): ClassOrMethodDecorator {
  const rate = isObject(limit) ? limit : { rate: limit };
  return record('Limit', KEYS.limits, [{ ...rate, ...options }]);
}

/**
 * Wraps a service's handlers, or one handler, in middleware; the first given is the outermost.
 *
 * @param middleware functions, or classes that the container resolves.
 * @example
 * ```ts
 * const timed = async (ctx: RequestContext, next: NextFunction) => {
 *   const start = performance.now();
 *   const value = await next();
 *   ctx.log.debug({ ms: performance.now() - start });
 *   return value;
 * };
 *
 * @Service()
 * @UseMiddleware(timed)
 * class Reports {}
 * ```
 */
export function UseMiddleware(...middleware: MiddlewareLike[]): ClassOrMethodDecorator {
  return record('UseMiddleware', KEYS.middleware, middleware);
}

/**
 * Maps errors of a service's handlers, or of one handler, to errors for clients. The nearest matching mapper is used:
 * those of the method, then of the class, of the module, of the app.
 *
 * @param mappers made by `mapError`.
 * @example
 * ```ts
 * @Service()
 * @MapErrors(mapError(OutOfStock, ({ sku }) => new ToolError(`There is no more ${sku}`)))
 * class Orders {}
 * ```
 */
export function MapErrors(...mappers: ErrorMapper[]): ClassOrMethodDecorator {
  return record('MapErrors', KEYS.errors, mappers);
}

function record(name: string, key: ListKey, items: readonly unknown[]): ClassOrMethodDecorator {
  // An empty list would only seem to protect something: a value that is no policy refuses to start.
  const given = items.length > 0 ? items : [undefined];
  return decorator(name, (target, method) => {
    const prototype = typeof target === 'function' ? (target.prototype as object) : target;
    addToList(key, prototype, method, given);
  });
}
