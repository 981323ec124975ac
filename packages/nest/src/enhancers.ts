/*
 * Adapts Nest's decorators on classes and methods with handlers, and global enhancers. Guards become guards of Sigil;
 * interceptors, filters and pipes become middleware; parameter decorators become those of Sigil. An unsupported one is
 * a problem, and the application does not start.
 */

import 'reflect-metadata';
import {
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  HttpException,
  HttpStatus,
  type Type,
} from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  FILTER_CATCH_EXCEPTIONS,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants.js';
import type { ApplicationConfig } from '@nestjs/core';
import {
  type DefinitionProblem,
  type GuardContext,
  type GuardLike,
  isSuspension,
  type Logger,
  type MiddlewareLike,
  type NextFunction,
  type RequestContext,
} from '@sigil/core';
import { handlersOf } from '@sigil/core/internal';
import { defer, isObservable, lastValueFrom } from 'rxjs';
import { CallExecutionContext, type HttpRequest, responseOf } from './call.js';
import { answersHttp, type EnhancerKind, type EnhancerTypes, GLOBALS } from './global-enhancers.js';
import { lacks, nameOf } from './names.js';
import type { Constructor, NestContainer, Provided } from './nest-container.js';
import type { SigilModuleOptions } from './options.js';
import { parametersOf, problemOfParameter } from './parameters.js';
import { isValidationPipe, pipeArguments, pipedParametersOf } from './pipes.js';

type MethodName = string | symbol;

/**
 * A guard, interceptor, filter or pipe: either an instance, or a provider that creates an instance for each
 * call.
 */
interface Enhancer<K extends EnhancerKind> {
  readonly name: string;
  readonly of: (context: GuardContext) => EnhancerTypes[K] | Promise<EnhancerTypes[K]>;
}

/** The metadata key and the decorator of each kind of enhancer. */
const KINDS = {
  guard: { key: GUARDS_METADATA, decorator: '@UseGuards' },
  interceptor: { key: INTERCEPTORS_METADATA, decorator: '@UseInterceptors' },
  filter: { key: EXCEPTION_FILTERS_METADATA, decorator: '@UseFilters' },
  pipe: { key: PIPES_METADATA, decorator: '@UsePipes' },
} as const;

/** Converts Nest's enhancers (guards, interceptors, filters and pipes) to Sigil's guards and middleware. */
export class Enhancers {
  readonly #container: NestContainer;
  readonly #config: ApplicationConfig;
  /** Global guards that only run at the endpoint. */
  readonly #requestGuards: readonly Type<CanActivate>[];
  /** Whether global enhancers other than guards run for calls. */
  readonly #inherits: boolean;
  readonly #logger: Logger;
  readonly #told = new Set<string>();

  constructor(
    container: NestContainer,
    config: ApplicationConfig,
    { requestGuards = [], inheritAppConfig = false }: SigilModuleOptions,
    logger: Logger,
  ) {
    this.#container = container;
    this.#config = config;
    this.#requestGuards = requestGuards;
    this.#inherits = inheritAppConfig;
    this.#logger = logger;
  }

  /**
   * Returns the guards and middleware of a method, for `createApp({ policies })`. They are made from Nest's decorators
   * on the method and its class, and from the global enhancers.
   */
  policiesOf(cls: Constructor, method: MethodName): { guards: GuardLike[]; middleware: MiddlewareLike[] } {
    const place = { cls, method };
    const guards = this.#declared('guard', place).map((guard) =>
      named(guard.name, (context: GuardContext) => this.#allows([guard], context, place)),
    );
    const filters = this.#declared('filter', place).reverse();
    const interceptors = this.#declared('interceptor', place).map((interceptor) =>
      named(interceptor.name, (context: RequestContext, next: NextFunction) =>
        this.#intercept(interceptor, place, context, next),
      ),
    );
    const pipes = this.#declared('pipe', place);
    const inherits = this.#inherits;
    return {
      guards: [this.#globalGuards(place), ...guards],
      middleware: [
        ...(inherits || filters.length > 0 ? [this.#catching(filters, place)] : []),
        notTooMany,
        ...(inherits ? [this.#globalInterceptors(place)] : []),
        ...interceptors,
        ...(inherits || pipes.length > 0 ? [this.#piping(pipes, place)] : []),
        lastOfObservable,
      ],
    };
  }

  /** Finds unsupported uses of Nest's decorators on a class and its methods. */
  problemsOf(cls: Constructor): readonly DefinitionProblem[] {
    const problems: DefinitionProblem[] = [];
    const add = (method: MethodName | undefined, what: string, fix: string): void => {
      const where = method === undefined ? cls.name : `${cls.name}.${String(method)}`;
      problems.push({ code: 'SIGIL_INVALID_POLICY', where, what, fix });
    };
    const isGuard = !this.#container.served.has(cls);
    if (isGuard) {
      if (lacks(cls, 'allows') && lacks(cls, 'handle') && !lacks(cls, 'canActivate'))
        add(
          undefined,
          'it is a guard of Nest, but is used as a guard of Sigil',
          'import UseGuards from @nestjs/common',
        );
      return problems;
    }
    for (const method of [undefined, ...handlersOf(cls).map((handler) => handler.method)]) {
      for (const kind of ['guard', 'interceptor', 'filter', 'pipe'] as const) {
        const { key, decorator } = KINDS[kind];
        for (const enhancer of metadataOf(key, cls, method)) {
          const problem = this.#problemOf(kind, enhancer, cls);
          if (problem) add(method, `${decorator}(${nameOf(enhancer)}): ${problem.what}`, problem.fix);
        }
      }
      for (const parameter of method === undefined ? [] : parametersOf(cls, method)) {
        const problem = problemOfParameter(parameter);
        if (problem) add(method, `parameter ${parameter.index} ${problem.what}`, problem.fix);
      }
    }
    return problems;
  }

  #problemOf(
    kind: EnhancerKind,
    enhancer: unknown,
    cls: Constructor,
  ): Pick<DefinitionProblem, 'what' | 'fix'> | undefined {
    if (kind === 'pipe' && isValidationPipe(enhancer))
      return {
        what: 'it does not run for handlers of MCP, because their DTO has already validated the arguments',
        fix: 'remove it; if routes of the class need it, put it on these routes, or make it global',
      };
    if (kind === 'filter' && answersHttp(enhancer))
      return {
        what: 'it extends BaseExceptionFilter, which answers HTTP requests',
        fix: 'write a filter that returns a value, or throws a ToolError or ProtocolError of @sigil/core',
      };
    if (typeof enhancer !== 'function') return undefined;
    if (kind === 'guard' && lacks(enhancer, 'canActivate') && !lacks(enhancer, 'allows'))
      return { what: 'it is a guard of Sigil', fix: 'import UseGuards from @sigil/core' };
    if (this.#providerOf(enhancer as Constructor, cls)) return undefined;
    return {
      what: 'no module of the Nest application provides it',
      fix: `list ${enhancer.name} in the providers of the module of ${cls.name}`,
    };
  }

  /**
   * Finds the provider of an enhancer's class: first in the module of the class that uses the enhancer, then
   * in any module.
   */
  #providerOf(enhancer: Constructor, cls: Constructor): Provided | undefined {
    const module = this.#container.served.get(cls)?.module;
    const wrapper = module?.injectables.get(enhancer);
    return module && wrapper ? { module, token: wrapper.token, wrapper } : this.#container.find(enhancer);
  }

  /** Returns the enhancers of a class, followed by those of a method. */
  #declared<K extends EnhancerKind>(kind: K, { cls, method }: Place): Enhancer<K>[] {
    const { key } = KINDS[kind];
    const values = [...metadataOf(key, cls), ...metadataOf(key, cls, method)] as (
      EnhancerTypes[K] | Constructor<EnhancerTypes[K]>
    )[];
    return values.map((value) => {
      const name = nameOf(value);
      if (typeof value !== 'function') return { name, of: () => value };
      return {
        name,
        of: (context) => {
          const provided = this.#providerOf(value, cls);
          // An application with such a class does not start; this only happens when a class is added later.
          if (!provided) throw new Error(`Nest has no provider of ${value.name}`);
          return this.#made(provided, context);
        },
      };
    });
  }

  /** Returns the global enhancers that are registered at the time of the call. */
  #global<K extends EnhancerKind>(kind: K): Enhancer<K>[] {
    const [made, scoped] = GLOBALS[kind](this.#config);
    return [
      ...made.map((one) => ({ name: nameOf(one.constructor), of: () => one })),
      ...scoped.map((wrapper) => {
        const provided = { module: wrapper.host as Provided['module'], token: wrapper.token, wrapper };
        return {
          name: nameOf(wrapper.metatype),
          of: (context: GuardContext) => this.#made<K>(provided, context),
        };
      }),
    ];
  }

  /** Returns the global enhancers that also run for calls of handlers. */
  #inherited<K extends EnhancerKind>(kind: K): Enhancer<K>[] {
    return this.#inherits ? this.#global(kind) : [];
  }

  #made<K extends EnhancerKind>(provided: Provided, context: GuardContext): ReturnType<Enhancer<K>['of']> {
    return this.#container.instanceOf(provided, context) as ReturnType<Enhancer<K>['of']>;
  }

  /**
   * Runs the global guards that are registered at the time of the call, because `app.useGlobalGuards()` is
   * called after the modules are created.
   */
  #globalGuards(place: Place): GuardLike {
    const isAsked = (guard: object): boolean => !this.#requestGuards.some((cls) => guard instanceof cls);
    return named('GlobalGuards', (context: GuardContext) => {
      const guards = this.#global('guard');
      return guards.length === 0 || this.#allows(guards, context, place, isAsked);
    });
  }

  async #allows(
    guards: readonly Enhancer<'guard'>[],
    context: GuardContext,
    { cls, method }: Place,
    isAsked: (guard: object) => boolean = () => true,
  ): Promise<boolean> {
    const execution = new CallExecutionContext(context, cls, method);
    const request = execution.switchToHttp().getRequest<HttpRequest>();
    let asked = '';
    try {
      for (const { of } of guards) {
        const guard = await of(context);
        if (!isAsked(guard)) continue;
        asked = nameOf(guard.constructor);
        const hadUser = Boolean(request.user);
        if (!(await this.#activates(guard, execution, context))) return false;
        if (request.user && !hadUser && !context.principal && responseOf(context))
          this.#warnOnce(
            `the guard ${asked} has set request.user too late: Sigil determines the principal before the guards of tools, resources and prompts run; ` +
              `run this guard at the endpoint: SigilModule.forRoot({ decorators: [UseGuards(${asked})] }), or make it a global guard that also runs at the endpoint`,
            context,
          );
      }
      return true;
    } catch (error) {
      // Guards of Nest refuse with such an exception. Any other error is a mistake, and is logged.
      if (!(error instanceof HttpException) || error.getStatus() >= 500) throw error;
      const status = error.getStatus();
      if (!REFUSALS.has(status))
        this.#warnOnce(
          `the guard ${asked} has thrown an exception with status ${status}, so this definition is hidden from the client; ` +
            'if the guard is for requests, not for definitions, run it only at the endpoint: list it in decorators of SigilModule.forRoot or, if it is global, in requestGuards',
          context,
        );
      return false;
    }
  }

  /** Runs a guard. An exception with status 429 does not hide the definition: it becomes the answer to the call. */
  async #activates(
    guard: CanActivate,
    execution: CallExecutionContext,
    context: GuardContext,
  ): Promise<boolean> {
    try {
      return Boolean(await resultOf(await guard.canActivate(execution)));
    } catch (error) {
      if (!(error instanceof HttpException) || error.getStatus() !== Number(HttpStatus.TOO_MANY_REQUESTS))
        throw error;
      TOO_MANY.set(context.state, error);
      this.#warnOnce(
        `the guard ${nameOf(guard.constructor)} has thrown an exception with status 429: the guard also runs for each definition in a list; ` +
          'if it counts requests, run it only at the endpoint: list it in decorators of SigilModule.forRoot or, if it is global, in requestGuards',
        context,
      );
      return true;
    }
  }

  #warnOnce(message: string, { definition: { kind, name } }: Pick<GuardContext, 'definition'>): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#logger.warn({ kind, name }, message);
  }

  async #intercept(
    { name, of }: Enhancer<'interceptor'>,
    { cls, method }: Place,
    context: RequestContext,
    next: NextFunction,
  ): Promise<unknown> {
    const interceptor = await of(context);
    let first: Promise<unknown> | undefined;
    const again = `the interceptor ${name} has subscribed to handle() twice, as retry() does: a handler can run only once`;
    const run = async (): Promise<unknown> => {
      if (!first) return (first = next());
      this.#warnOnce(again, context);
      // The client gets the error of the first one.
      await first;
      throw new Error(again);
    };
    const handler: CallHandler = { handle: () => defer(run) };
    const execution = new CallExecutionContext(context, cls, method);
    const given: unknown = await interceptor.intercept(execution, handler);
    if (!isObservable(given))
      throw new TypeError(
        `the interceptor ${name} has returned no Observable: end its method intercept() with \`return next.handle()\``,
      );
    return lastValueFrom(given, { defaultValue: undefined });
  }

  #globalInterceptors(place: Place): MiddlewareLike {
    return named('GlobalInterceptors', (context: RequestContext, next: NextFunction) => {
      const around = (inner: NextFunction, interceptor: Enhancer<'interceptor'>): NextFunction => {
        return () => this.#intercept(interceptor, place, context, inner);
      };
      return this.#global('interceptor').reduceRight(around, next)();
    });
  }

  /** Passes an error to the first matching filter: first the filters of the method, last the global filters. */
  #catching(filters: readonly Enhancer<'filter'>[], { cls, method }: Place): MiddlewareLike {
    const name = [...filters.map((filter) => filter.name), ...(this.#inherits ? ['GlobalFilters'] : [])];
    return named(name.join(', '), async (context: RequestContext, next: NextFunction) => {
      try {
        return await next();
      } catch (error) {
        const filter = isSuspension(error)
          ? undefined
          : await this.#filterOf(error, [...filters, ...this.#inherited('filter').reverse()], context);
        if (!filter) throw error;
        const host = new CallExecutionContext(context, cls, method, false);
        const caught: unknown = filter.catch(error, host);
        const given: unknown = await resultOf(await caught);
        // As in Nest, `undefined` is not an answer, and a returned error counts as thrown.
        if (given === undefined) throw error;
        if (given instanceof Error) throw given;
        return given;
      }
    });
  }

  /** Returns the first filter that matches an error. */
  async #filterOf(
    error: unknown,
    filters: readonly Enhancer<'filter'>[],
    context: RequestContext,
  ): Promise<ExceptionFilter | undefined> {
    for (const { of } of filters) {
      const filter = await of(context);
      if (!answersHttp(filter) && catches(filter, error)) return filter;
    }
    return undefined;
  }

  /** Runs pipes on the handler's arguments: global pipes, then pipes of the class, then pipes of the method. */
  #piping(pipes: readonly Enhancer<'pipe'>[], { cls, method }: Place): MiddlewareLike {
    const handler = handlersOf(cls).find((one) => one.method === method);
    const parameters = handler ? pipedParametersOf(handler) : [];
    return named('Pipes', async (context: RequestContext, next: NextFunction) => {
      const all = [...this.#inherited('pipe'), ...pipes].map(async ({ of }) => of(context));
      const made = (await Promise.all(all)).filter((pipe) => !isValidationPipe(pipe));
      await pipeArguments(context, parameters, made);
      return next();
    });
  }
}

/** The 429 exceptions of guards, by the state of the call. */
const TOO_MANY = new WeakMap<object, HttpException>();

async function notTooMany({ state }: RequestContext, next: NextFunction): Promise<unknown> {
  const thrown = TOO_MANY.get(state);
  if (thrown) throw thrown;
  return next();
}

/** The statuses that mean a guard refuses the caller. */
const REFUSALS: ReadonlySet<number> = new Set([
  HttpStatus.UNAUTHORIZED,
  HttpStatus.FORBIDDEN,
  HttpStatus.NOT_FOUND,
]);

/** A method of a served class. */
interface Place {
  readonly cls: Type;
  readonly method: MethodName;
}

/** Returns a value, or the last value of an observable. */
async function resultOf(value: unknown): Promise<unknown> {
  return isObservable(value) ? lastValueFrom(value, { defaultValue: undefined }) : value;
}

/** Uses the last value of an observable that a handler returns, as Nest does for routes. */
async function lastOfObservable(_context: RequestContext, next: NextFunction): Promise<unknown> {
  const value = await next();
  return isObservable(value) ? ((await resultOf(value)) ?? null) : value;
}

function catches(filter: ExceptionFilter, error: unknown): boolean {
  const caught = listed(Reflect.getMetadata(FILTER_CATCH_EXCEPTIONS, filter.constructor));
  return caught.length === 0 || caught.some((type) => typeof type === 'function' && error instanceof type);
}

/** Returns the metadata of a Nest decorator on a class (without `method`) or on one of its methods. */
function metadataOf(key: string, cls: Constructor, method?: MethodName): readonly unknown[] {
  const prototype = cls.prototype as Readonly<Record<MethodName, object>>;
  const target = method === undefined ? cls : prototype[method];
  return listed(target && Reflect.getMetadata(key, target));
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Sets the name of a function, for log lines and `explain()`. */
function named<F extends (...values: never[]) => unknown>(name: string, run: F): F {
  return Object.defineProperty(run, 'name', { value: name });
}
