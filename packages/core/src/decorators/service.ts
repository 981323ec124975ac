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
 * Lets the container create instances of a class. The container injects the constructor's parameters by their types.
 *
 * The scope determines how often an instance is created:
 *
 * - `singleton`: once per app.
 * - `session`: once per session in revision 2025-11-25 or earlier; once per request in revision 2026-07-28, which has
 *   no sessions.
 * - `request`: once per request.
 * - `transient`: each time the service is resolved.
 *
 * A singleton may have the methods `onInit` and `onReady`. `createApp` creates only those singletons that the app needs
 * at start. It awaits `onInit` of each singleton, dependencies first. Then it awaits `onReady` of all of them in the
 * same order, and returns. Any other singleton is created and initialised when it is first needed. Services with other
 * scopes must not have these methods.
 *
 * If an instance has a method `Symbol.asyncDispose`, `Symbol.dispose`, `onClose` or `destroy`, it is disposed of when
 * its scope ends. The newest instance is disposed of first, and each disposal is awaited.
 *
 * @param options how long an instance lives.
 * @throws TypeError when the decorator is not on a class.
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
    // Unknown options are reported when the app is created.
    defineService(cls, { ...options, scope: options.scope ?? 'singleton' });
  });
}

/**
 * Marks a constructor parameter as optional. The parameter is `undefined` if its id has no provider and is not a class
 * with `@Service`. The id is the argument of `@Inject`; without `@Inject`, it is the type of the parameter. In field
 * initialisers, use `inject(id, { optional: true })` instead.
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
        `@Optional belongs on parameters of constructors, not on parameters of ${String(method)}(): for an optional argument, use @Arg(name, { optional: true })`,
      );
    addOptional(cls, index);
  };
}

type ClassOrMethodDecorator = ClassDecorator & MethodDecorator;

/**
 * Restricts all definitions of a service, or one definition, to the callers that every guard allows.
 *
 * @param guards functions, or classes that the container resolves; called in this order.
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
 * Restricts all definitions of a service, or one definition, to principals with all the given scopes. If the class and
 * the method have this decorator, the scopes of both are required. Lists show definitions even if the principal lacks
 * their scopes, so that the client can request the scopes. Over HTTP, a call without the scopes gets 403 and a
 * challenge that names all required scopes. On other transports, it gets an error with `data.authorization`. To hide a
 * definition, add a guard; guards run before the scopes are checked.
 *
 * @typeParam A the type of the arguments that the handler gets.
 * @param requirements scopes, or functions that return them for the arguments of a call.
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
 * Limits the rate and the concurrency of calls to one definition. On a class, the limit applies to each definition of
 * the class separately. If the class and the method have limits, all these limits apply. A call beyond a limit is
 * refused with a `RateLimitError` (over HTTP: 429 and `Retry-After`).
 *
 * @param limit a rate such as `30/min`, or an object with all options.
 * @param options all other options of the limit, if `limit` is a rate such as `30/min`.
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
 * Wraps all handlers of a service, or one handler, in middleware. The first middleware in the list is the outermost.
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
 * mappers of the method are tried before those of the class, the module and the app.
 *
 * @param mappers the error mappers, created with `mapError`.
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
  // An empty list would only seem to protect something. `undefined` is not a policy, so the app does not start.
  const given = items.length > 0 ? items : [undefined];
  return decorator(name, (target, method) => {
    const prototype = typeof target === 'function' ? (target.prototype as object) : target;
    addToList(key, prototype, method, given);
  });
}
