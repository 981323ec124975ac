/*
 * How an application of Nest serves MCP: `forRoot` adds the route of the endpoint (`endpoint.ts`), and a provider of Sigil's `App`, made of
 * every class with handlers that the application provides (`nest-container.ts`), with what Nest's decorators say of them
 * (`enhancers.ts`). Nest makes the instances of a call, and each gets to know the HTTP request (`call.ts`).
 */

import {
  type DynamicModule,
  HttpException,
  HttpStatus,
  Inject,
  Module,
  type NestModule,
  type OnModuleDestroy,
  Optional,
  type Provider,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import {
  App,
  createApp,
  DefinitionError,
  ERROR_CODES,
  type ErrorMapper,
  invalidParams,
  mapError,
  ProtocolError,
  ToolError,
} from '@sigil/core';
import { APP_OPTIONS, buildRecord, OptionChecks, type OptionTable } from '@sigil/core/internal';
import { Endpoint, endpointController, nestLogger } from './endpoint.js';
import { Enhancers } from './enhancers.js';
import { lacks, nameOf } from './names.js';
import { bindNestParameters } from './parameters.js';
import { NestContainer } from './nest-container.js';
import {
  NESTS,
  OPTIONS,
  type RouteOptions,
  type SigilModuleAsyncOptions,
  type SigilModuleOptions,
} from './options.js';

/**
 * Serves the handlers of a Nest application: the methods with `@Tool`, `@Resource`, `@Prompt` and `@Complete` of its providers and
 * controllers, whichever module they are in. `App` of `@sigil/core` can be injected everywhere.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 *
 * @Module({
 *   imports: [SigilModule.forRoot({ name: 'shop', version: '1.0.0' })],
 *   providers: [Inventory],
 * })
 * class AppModule {}
 * ```
 */
@Module({})
export class SigilModule implements NestModule, OnModuleDestroy {
  readonly #endpoint: Endpoint;

  constructor(@Optional() @Inject(Endpoint) endpoint?: Endpoint) {
    if (!endpoint)
      throw refusal(
        'SigilModule',
        'it was imported without options',
        "write SigilModule.forRoot({ name: 'shop', version: '1.0.0' })",
      );
    this.#endpoint = endpoint;
  }

  /**
   * Makes the module that serves an application.
   *
   * @param options the name and version of the server, how it runs, and where its endpoint is.
   * @returns the module, for the `imports` of the root module. The application does not start, with a `DefinitionError`, when a definition
   *   or option is wrong.
   */
  static forRoot(options: SigilModuleOptions & RouteOptions): DynamicModule {
    OptionChecks.requireObject(FOR_ROOT, options);
    const checks = new OptionChecks(FOR_ROOT);
    checkNames(options, [...ROUTE, ...OPTION_NAMES], checks);
    checks.throwIfAny();
    const { path, decorators, sse, ...given } = options;
    return dynamicModule({ path, decorators, sse }, { provide: OPTIONS, useValue: given });
  }

  /**
   * Makes the module that serves an application, whose options come from elsewhere, such as a `ConfigService`.
   *
   * @param options the factory, what it needs, and where the endpoint is, which has to be known before.
   * @returns the module, for the `imports` of the root module.
   * @example
   * ```ts
   * SigilModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ name: config.getOrThrow('NAME'), version: '1.0.0' }),
   * });
   * ```
   */
  static forRootAsync<Dependencies extends unknown[]>(
    options: SigilModuleAsyncOptions<Dependencies>,
  ): DynamicModule {
    OptionChecks.requireObject(FOR_ROOT_ASYNC, options);
    const { path, decorators, sse, imports = [], inject = [], useFactory } = options;
    const checks = new OptionChecks(FOR_ROOT_ASYNC);
    checks.known(options, ASYNC_OPTIONS);
    if (typeof useFactory !== 'function')
      checks.refuse(
        'useFactory',
        'it must be a function that gives the options',
        'write useFactory: () => ({ name, version })',
      );
    checks.throwIfAny();
    const provider = { provide: OPTIONS, useFactory, inject: [...inject] };
    return { ...dynamicModule({ path, decorators, sse }, provider as Provider), imports };
  }

  /** Begins to serve, in an application that has HTTP. Called by Nest. */
  configure(): void {
    this.#endpoint.mount();
  }

  /** Lets calls in flight finish, then closes the app. Called by Nest. */
  async onModuleDestroy(): Promise<void> {
    await this.#endpoint.close();
  }
}

function dynamicModule(route: RouteOptions, options: Provider): DynamicModule {
  checkRoute(route);
  return {
    module: SigilModule,
    global: true,
    controllers: [endpointController(route)],
    providers: [
      options,
      {
        provide: App,
        inject: [OPTIONS, ModulesContainer, ApplicationConfig],
        useFactory: (given: SigilModuleOptions, modules: ModulesContainer, config: ApplicationConfig) =>
          makeApp(given, modules, config),
      },
      {
        provide: Endpoint,
        inject: [App, OPTIONS, HttpAdapterHost, ApplicationConfig],
        useFactory: (
          app: App,
          given: SigilModuleOptions,
          adapters: HttpAdapterHost,
          config: ApplicationConfig,
        ) => new Endpoint(app, given, route, adapters, config),
      },
    ],
    exports: [App],
  };
}

/** Makes the app of every class with handlers that Nest makes. The modules are known by now, their instances need not be there. */
async function makeApp(
  given: SigilModuleOptions,
  modules: ModulesContainer,
  config: ApplicationConfig,
): Promise<App> {
  checkOptions(given);
  const imported = [...modules.values()].filter(({ metatype }) => metatype === SigilModule);
  if (imported.length > 1)
    throw refusal(
      'SigilModule',
      'it was imported twice',
      'import it once, in the root module: it serves all modules',
    );
  const { http: _http, principal: _principal, requestGuards = [], ...options } = given;
  const container = new NestContainer(modules);
  const enhancers = new Enhancers(container, config, requestGuards, given.logger ?? nestLogger());
  container.checkClass = (cls) => enhancers.problemsOf(cls);
  const services = [...container.served.keys()];
  for (const cls of services) bindNestParameters(cls);
  const app = await createApp({
    ...options,
    services,
    container,
    policies: (cls, method) => enhancers.policiesOf(cls, method),
    errors: [...(options.errors ?? []), httpExceptions],
  }).catch(inWordsOfForRoot);
  // While the application is built, this is all that is asked of it: it does not start.
  await buildRecord()?.serves();
  container.isMade = true;
  return app;
}

/** Names the function that has taken the options. @throws unknown the error again. */
function inWordsOfForRoot(error: unknown): never {
  if (!(error instanceof DefinitionError)) throw error;
  throw new DefinitionError(
    error.problems.map((problem) => ({ ...problem, where: problem.where.replace(/^createApp\b/, FOR_ROOT) })),
  );
}

/** @throws DefinitionError when the route of the endpoint cannot be made. */
function checkRoute({ path = '/mcp', decorators = [], ...route }: RouteOptions): void {
  const checks = new OptionChecks(FOR_ROOT);
  checks.booleans(route, 'sse');
  const fault = faultOfPath(path);
  if (fault) checks.refuse('path', fault, "write path: '/mcp', or '/' where the endpoint is all there is");
  if (!isListOfFunctions(decorators))
    checks.refuse(
      'decorators',
      'it must be a list of decorators of classes',
      'write decorators: [UseGuards(JwtAuthGuard)]',
    );
  else for (const decorator of decorators) checkDecorator(decorator, checks);
  checks.throwIfAny();
}

function faultOfPath(path: unknown): string | undefined {
  if (typeof path !== 'string') return `it must be a string, not a ${typeof path}`;
  if (path === '/') return undefined;
  if (path === '') return 'it is empty';
  if (path.endsWith('/')) return 'it ends with a slash';
  const segments = path.replace(/^\//, '').split('/');
  const wrong = segments.find((segment) => !/^[\w~.-]+$/.test(segment));
  if (wrong === undefined) return undefined;
  return wrong === ''
    ? 'it has two slashes side by side'
    : `${wrong} is no fixed segment: there are neither parameters nor wildcards, and letters, digits and - . _ ~ only`;
}

/** What takes the class of an enhancer, by the method that it has. */
const TAKES = { canActivate: 'UseGuards', intercept: 'UseInterceptors', catch: 'UseFilters' } as const;

function checkDecorator(decorator: ClassDecorator, checks: OptionChecks): void {
  for (const [method, use] of Object.entries(TAKES)) {
    if (lacks(decorator, method)) continue;
    const name = nameOf(decorator);
    checks.refuse('decorators', `${name} is a class and no decorator`, `write decorators: [${use}(${name})]`);
  }
}

/** Refuses options that do not exist; those that Nest has in its own way are refused as that later. */
function checkNames(options: object, names: readonly string[], checks: OptionChecks): void {
  const others = Object.entries(options).filter(([name]) => !isOfNest(name));
  checks.known(Object.fromEntries(others), names);
}

/** @throws DefinitionError when an option is wrong that is not for `createApp` or `nodeHandler`. */
function checkOptions(given: SigilModuleOptions): void {
  OptionChecks.requireObject(FOR_ROOT, given);
  const checks = new OptionChecks(FOR_ROOT);
  for (const option of NESTS) {
    const fix = 'list classes in the providers of modules: those with handlers are found there';
    if (option in given) checks.refuse(option, 'Nest has this', fix);
  }
  for (const option of ROUTE) {
    const fix = `give it beside useFactory: forRootAsync({ ${option}, useFactory })`;
    if (option in given) checks.refuse(option, 'the route is made before the factory runs', fix);
  }
  checkNames(given, [...OPTION_NAMES, ...ROUTE.filter((name) => name in given)], checks);
  const { requestGuards = [], principal, http = {} } = given;
  if ('sse' in http)
    checks.refuse('http.sse', 'its routes are made before', 'write sse: true beside the path');
  if (!isListOfFunctions(requestGuards))
    checks.refuse('requestGuards', 'it must be a list of classes', 'write requestGuards: [ThrottlerGuard]');
  if (principal !== undefined && typeof principal !== 'function')
    checks.refuse('principal', 'it must be a function of a request', 'write principal: ({ user }) => …');
  if (principal && (http.authorization ?? http.authenticate))
    checks.refuse(
      'principal',
      'http.authorization or http.authenticate says already who it is',
      'leave one of them out',
    );
  checks.throwIfAny();
}

const FOR_ROOT = 'SigilModule.forRoot';
const FOR_ROOT_ASYNC = 'SigilModule.forRootAsync';
const ROUTE = ['path', 'decorators', 'sse'] as const;
const ASYNC_OPTIONS: OptionTable<SigilModuleAsyncOptions> = {
  path: true,
  decorators: true,
  sse: true,
  imports: true,
  inject: true,
  useFactory: true,
};
const isOfNest = (name: string): boolean => NESTS.some((one) => one === name);
const OPTION_NAMES = [...APP_OPTIONS.filter((name) => !isOfNest(name)), 'http', 'principal', 'requestGuards'];

function isListOfFunctions(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'function');
}

function refusal(where: string, what: string, fix: string): DefinitionError {
  return new DefinitionError([{ code: 'SIGIL_INVALID_OPTIONS', where, what, fix }]);
}

/**
 * What an exception of Nest becomes that a handler, an interceptor or a filter throws. One that says that the server has failed stays
 * unexpected: it is logged, and its message stays here.
 */
const httpExceptions: ErrorMapper = mapError(HttpException, (exception, context) => {
  const status = exception.getStatus();
  if (status >= 500) return undefined;
  const text = textOf(exception);
  const kind = context?.definition.kind;
  if (kind === 'tool') return new ToolError(text, { cause: exception });
  const isResource = kind === 'resource' || kind === 'template';
  if (isResource && status === Number(HttpStatus.NOT_FOUND))
    return new ProtocolError(ERROR_CODES.resourceNotFound, text, undefined, { cause: exception });
  return invalidParams(text);
});

/** Its message; of a `ValidationPipe` and its like all of them. */
function textOf(exception: HttpException): string {
  const response = exception.getResponse();
  const message: unknown = typeof response === 'string' ? response : Reflect.get(response, 'message');
  return Array.isArray(message)
    ? message.join('; ')
    : typeof message === 'string'
      ? message
      : exception.message;
}
