/*
 * How a Nest application serves MCP: `forRoot` adds the route of the endpoint (`endpoint.ts`), and a provider of
 * Sigil's `App`. The app has every class with handlers that the application provides (`nest-container.ts`), with their
 * Nest decorators (`enhancers.ts`). Nest creates the instances of a call, and each can see the HTTP request
 * (`call.ts`).
 */

import {
  type DynamicModule,
  HttpException,
  HttpStatus,
  Inject,
  Module,
  type NestModule,
  type OnApplicationBootstrap,
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
import { Endpoint, endpointController, nestLogger, routesOf } from './endpoint.js';
import { Enhancers } from './enhancers.js';
import { lacks, nameOf } from './names.js';
import { bindNestParameters } from './parameters.js';
import { NestContainer, unserved } from './nest-container.js';
import {
  getAppToken,
  NESTS,
  OPTIONS,
  type SigilModuleAsyncOptions,
  type SigilModuleExtras,
  type SigilModuleOptions,
} from './options.js';

/**
 * Serves the handlers of a Nest application: the methods with `@Tool`, `@Resource`, `@Prompt` or `@Complete` in
 * providers and controllers of any module. `App` of `@sigil/core` can be injected everywhere. An application can import
 * `SigilModule` several times, each time with another name, another path and other included modules.
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
export class SigilModule implements NestModule, OnApplicationBootstrap, OnModuleDestroy {
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
   * Creates the module that serves the handlers of a Nest application.
   *
   * @param options the name and version of the server, its options, and the path of its endpoint.
   * @returns the module, for `imports` of the root module. When a definition or option is wrong, the start of the
   *   application fails with a `DefinitionError`.
   */
  static forRoot(options: SigilModuleOptions & SigilModuleExtras): DynamicModule {
    OptionChecks.requireObject(FOR_ROOT, options);
    const checks = new OptionChecks(FOR_ROOT);
    checkNames(options, [...EXTRAS, ...OPTION_NAMES], checks);
    checks.throwIfAny();
    const { path, decorators, sse, include, ...given } = options;
    const server = { path, decorators, sse, include, name: given.name };
    return dynamicModule(server, { provide: OPTIONS, useValue: given });
  }

  /**
   * Creates the module that serves the handlers of a Nest application, with asynchronous options, for example from a
   * `ConfigService`.
   *
   * @param options the factory, its dependencies, and the options that Nest needs earlier, such as the path of the
   *   endpoint and the included modules.
   * @returns the module, for `imports` of the root module.
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
    const { name, path, decorators, sse, include, imports = [], inject = [], useFactory } = options;
    const checks = new OptionChecks(FOR_ROOT_ASYNC);
    checks.known(options, ASYNC_OPTIONS);
    if (typeof useFactory !== 'function')
      checks.refuse(
        'useFactory',
        'it must be a function that returns the options',
        'write useFactory: () => ({ name, version })',
      );
    checks.throwIfAny();
    const provider = { provide: OPTIONS, useFactory, inject: [...inject] };
    return { ...dynamicModule({ name, path, decorators, sse, include }, provider as Provider), imports };
  }

  /** Begins to serve the MCP endpoint, if the application has an HTTP server. Nest calls this method. */
  configure(): void {
    this.#endpoint.mount();
  }

  /** Logs warnings about global enhancers that do not run for calls of MCP handlers. Nest calls this method. */
  onApplicationBootstrap(): void {
    this.#endpoint.checkGlobals();
  }

  /** Waits for calls in flight to finish, then closes the app. Nest calls this method. */
  async onModuleDestroy(): Promise<void> {
    await this.#endpoint.close();
  }
}

/** The known facts about a server before it is created. */
interface Server extends SigilModuleExtras {
  readonly name: string | undefined;
}

/** The token of the `Server` in its module. */
const SERVER = Symbol('a server of SigilModule');

function dynamicModule(server: Server, options: Provider): DynamicModule {
  checkServer(server);
  const { name, include } = server;
  // A server of a part of the application is not injected as `App`.
  const token = include ? getAppToken(name ?? '') : App;
  const named = include || name === undefined ? [] : [{ provide: getAppToken(name), useExisting: App }];
  return {
    module: SigilModule,
    global: true,
    controllers: [endpointController(server)],
    providers: [
      options,
      ...named,
      { provide: SERVER, useValue: server },
      {
        provide: token,
        inject: [OPTIONS, ModulesContainer, ApplicationConfig],
        useFactory: (given: SigilModuleOptions, modules: ModulesContainer, config: ApplicationConfig) =>
          makeApp(server, given, modules, config),
      },
      {
        provide: Endpoint,
        inject: [token, OPTIONS, HttpAdapterHost, ApplicationConfig],
        useFactory: (
          app: App,
          given: SigilModuleOptions,
          adapters: HttpAdapterHost,
          config: ApplicationConfig,
        ) => new Endpoint(app, given, server, adapters, config),
      },
    ],
    exports: [token, ...named.map(({ provide }) => provide)],
  };
}

// How many servers of an application have described themselves to `sigil build`.
const DESCRIBED = new WeakMap<ModulesContainer, number>();

/**
 * Creates the app from all classes with handlers that Nest creates. The modules are known by now, but their instances
 * may not exist yet.
 */
async function makeApp(
  server: Server,
  given: SigilModuleOptions,
  modules: ModulesContainer,
  config: ApplicationConfig,
): Promise<App> {
  checkOptions(given);
  const {
    http: _http,
    principal: _principal,
    requestGuards: _guards,
    inheritAppConfig: _inherit,
    ...options
  } = { ...(server.name === undefined ? {} : { name: server.name }), ...given };
  const logger = given.logger ?? nestLogger();
  const servers = serversOf(modules);
  checkServers(server, servers, modules);
  const container = new NestContainer(modules, server.include);
  const enhancers = new Enhancers(container, config, given, logger);
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
  if (server === servers[0] && server.include)
    for (const name of unserved(modules, new Set(servers.flatMap(({ include = [] }) => include))))
      logger.warn(
        `${name} has handlers, but no server includes its module: list the module in SigilModule.forRoot({ include }) of a server`,
      );
  const described = (DESCRIBED.get(modules) ?? 0) + 1;
  DESCRIBED.set(modules, described);
  // During a build, the application only describes itself and does not start.
  if (described === servers.length) await buildRecord()?.serves();
  container.isMade = true;
  return app;
}

/** Returns the servers of an application. */
function serversOf(modules: ModulesContainer): Server[] {
  const imported = [...modules.values()].filter(({ metatype }) => metatype === SigilModule);
  return imported.flatMap(({ providers }) => {
    const server = providers.get(SERVER)?.instance;
    return server ? [server as Server] : [];
  });
}

/**
 * Checks the servers of an application. @throws DefinitionError if they conflict, or include modules that the
 * application does not have.
 */
function checkServers(server: Server, servers: readonly Server[], modules: ModulesContainer): void {
  const checks = new OptionChecks(FOR_ROOT);
  const { name, include } = server;
  const others = servers.filter((other) => other !== server);
  if (others.length > 0 && !include)
    checks.refuse(
      'include',
      `the application has ${servers.length} servers, but ${name ?? 'one of them'} does not list its modules`,
      'list modules, such as include: [ShopModule], or import SigilModule only once to serve all modules',
    );
  for (const cls of include ?? [])
    if (![...modules.values()].some(({ metatype }) => metatype === cls))
      checks.refuse(
        'include',
        `${cls.name} is not a module of the application`,
        'import it in the root module',
      );
  const paths = routesOf(server);
  for (const other of others) {
    const shared = routesOf(other).find((path) => paths.includes(path));
    if (shared !== undefined)
      checks.refuse(
        'path',
        `${name ?? 'one server'} and ${other.name ?? 'another'} are both at ${shared}`,
        "give each server its own path, for example path: '/shop/mcp'",
      );
    if (name !== undefined && name === other.name)
      checks.refuse('name', `two servers have the name ${name}`, 'use a different name for each');
  }
  checks.throwIfAny();
}

/** Rewrites an error, so that it names `forRoot` instead of `createApp`. @throws the rewritten error. */
function inWordsOfForRoot(error: unknown): never {
  if (!(error instanceof DefinitionError)) throw error;
  throw new DefinitionError(
    error.problems.map((problem) => ({ ...problem, where: problem.where.replace(/^createApp\b/, FOR_ROOT) })),
  );
}

/** Checks the options of a server. @throws DefinitionError if the module cannot be created. */
function checkServer({ path = '/mcp', decorators = [], ...server }: Server): void {
  const checks = new OptionChecks(FOR_ROOT);
  checks.booleans(server, 'sse');
  const { name, include } = server;
  if (include !== undefined && !isListOfFunctions(include))
    checks.refuse('include', 'it must be a list of module classes', 'write include: [ShopModule]');
  else if (include && typeof name !== 'string')
    checks.refuse(
      'include',
      'a server with this option needs a name, because its App is injected by name',
      'also set the name next to useFactory',
    );
  const fault = faultOfPath(path);
  if (fault)
    checks.refuse('path', fault, "write path: '/mcp', or '/' if the application only serves this endpoint");
  if (!isListOfFunctions(decorators))
    checks.refuse(
      'decorators',
      'it must be a list of class decorators',
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
    : `${wrong} is not a fixed segment: use no parameters and no wildcards, only letters, digits and - . _ ~`;
}

/** The decorator for each kind of enhancer, by the enhancer's method. */
const TAKES = { canActivate: 'UseGuards', intercept: 'UseInterceptors', catch: 'UseFilters' } as const;

function checkDecorator(decorator: ClassDecorator, checks: OptionChecks): void {
  for (const [method, use] of Object.entries(TAKES)) {
    if (lacks(decorator, method)) continue;
    const name = nameOf(decorator);
    checks.refuse('decorators', `${name} is a class, not a decorator`, `write decorators: [${use}(${name})]`);
  }
}

/** Refuses unknown options. Options that Nest replaces are refused later, with their own message. */
function checkNames(options: object, names: readonly string[], checks: OptionChecks): void {
  const others = Object.entries(options).filter(([name]) => !isOfNest(name));
  checks.known(Object.fromEntries(others), names);
}

/**
 * Checks the options that `createApp` and `nodeHandler` do not check. @throws DefinitionError if one is
 * invalid.
 */
function checkOptions(given: SigilModuleOptions): void {
  OptionChecks.requireObject(FOR_ROOT, given);
  const checks = new OptionChecks(FOR_ROOT);
  for (const option of NESTS) {
    const fix =
      'list the classes in the providers of Nest modules, where SigilModule finds the classes with handlers';
    if (option in given) checks.refuse(option, 'this option is not for Nest applications', fix);
  }
  for (const option of EXTRAS) {
    const fix = `set it next to useFactory: forRootAsync({ ${option}, useFactory })`;
    if (option in given) checks.refuse(option, 'it must be known before the factory runs', fix);
  }
  checkNames(given, [...OPTION_NAMES, ...EXTRAS.filter((name) => name in given)], checks);
  checks.booleans(given, 'inheritAppConfig');
  const { requestGuards = [], principal, http = {} } = given;
  if ('sse' in http)
    checks.refuse(
      'http.sse',
      'the routes of HTTP+SSE are created before these options are known',
      'write sse: true next to the path',
    );
  if (!isListOfFunctions(requestGuards))
    checks.refuse('requestGuards', 'it must be a list of classes', 'write requestGuards: [ThrottlerGuard]');
  if (principal !== undefined && typeof principal !== 'function')
    checks.refuse(
      'principal',
      'it must be a function that receives the request',
      'write principal: ({ user }) => …',
    );
  if (principal && (http.authorization ?? http.authenticate))
    checks.refuse(
      'principal',
      'http.authorization or http.authenticate already determines the principal',
      'remove one of them',
    );
  checks.throwIfAny();
}

const FOR_ROOT = 'SigilModule.forRoot';
const FOR_ROOT_ASYNC = 'SigilModule.forRootAsync';
const EXTRAS = ['path', 'decorators', 'sse', 'include'] as const;
const ASYNC_OPTIONS: OptionTable<SigilModuleAsyncOptions> = {
  name: true,
  include: true,
  path: true,
  decorators: true,
  sse: true,
  imports: true,
  inject: true,
  useFactory: true,
};
const isOfNest = (name: string): boolean => NESTS.some((one) => one === name);
const OPTION_NAMES = [
  ...APP_OPTIONS.filter((name) => !isOfNest(name)),
  'http',
  'principal',
  'requestGuards',
  'inheritAppConfig',
];

function isListOfFunctions(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'function');
}

function refusal(where: string, what: string, fix: string): DefinitionError {
  return new DefinitionError([{ code: 'SIGIL_INVALID_OPTIONS', where, what, fix }]);
}

/**
 * Maps a Nest exception from a handler, an interceptor or a filter. A server error (5xx) remains an unexpected error:
 * it is logged, and clients do not get its message.
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

/** Returns the message of an exception. The messages of `ValidationPipe` and similar pipes are joined. */
function textOf(exception: HttpException): string {
  const response = exception.getResponse();
  const message: unknown = typeof response === 'string' ? response : Reflect.get(response, 'message');
  return Array.isArray(message)
    ? message.join('; ')
    : typeof message === 'string'
      ? message
      : exception.message;
}
