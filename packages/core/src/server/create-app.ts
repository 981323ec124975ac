import type { HookWatch } from '../container/lifecycle.js';
import { Diagnostics } from '../errors/errors.js';
import type { FormLike } from '../context/questions.js';
import { CacheHints } from '../engine/methods/cache-hints.js';
import { ChangeFeed } from '../engine/subscriptions/changes.js';
import { Engine } from '../engine/engine.js';
import { RequestStateCodec } from '../engine/asking/request-state-codec.js';
import { RoundTripStates } from '../engine/asking/round-trip-states.js';
import { unshowable } from '../engine/asking/question-codec.js';
import { RateCounter } from '../invoke/compile-limits.js';
import { HandlerCompiler } from '../invoke/handler-compiler.js';
import { checkPolicies } from '../invoke/compile-policies.js';
import { isPromise } from '../protocol/maybe-promise.js';
import type { BuildTools } from '../registry/build.js';
import { explicitSource } from '../registry/parameters.js';
import { populate } from '../registry/populate.js';
import { Registry } from '../registry/registry.js';
import { createSchemaCompiler, type SchemaCompiler, type ValuePlan } from '../schema/index.js';
import { Deadlines } from '../transport/deadlines.js';
import { App } from './app.js';
import type { AppOptions } from './app-options.js';
import { type AppSettings, resolveOptions } from './app-settings.js';
import { buildRecord } from './build-record.js';
import { builtIns, checkBuiltIns } from './built-ins.js';
import { collect, type Collected, needsClasses } from './collect.js';
import { watchHooks } from './hook-watch.js';
import { adding } from './live-collection.js';
import { Readiness } from './readiness.js';
import { reserveStdout } from './runtime-choice.js';
import { chooseServices, classesOf, policiesOf, type Services } from './services.js';
import { unhandledRejections } from './unhandled-rejections.js';

/**
 * Maximum length of request state. Clients repeat it in requests, whose size is limited; this value leaves
 * room for the rest of the request.
 */
const MAX_STATE_LENGTH = 256 * 1024;

/**
 * Creates a server from decorated classes: finds the definitions, checks and compiles them, and creates the services.
 *
 * If standard input and output are pipes, this call redirects standard output to standard error, unless arguments or
 * environment variables choose HTTP. Output of constructors therefore does not disturb a client that is connected over
 * stdio. Standard output is restored by `app.endpoint`, `manifestOf(app)`, `explain(app)` and `app.close()`, and by
 * `app.run()` on a runtime other than stdio. Output that the program writes before this call, for example while modules
 * are imported, reaches the client.
 *
 * @param options the name and version of the server, its modules or services, and further options.
 * @returns the app, whose services are ready. You can run it, mount it or connect to it.
 * @throws DefinitionError if definitions or options are invalid; the error lists all faults.
 * @throws Error if a provider or service fails. The message contains its name, and `cause` is the original error.
 * @example
 * ```ts
 * const app = await createApp({ name: 'shop', version: '1.0.0', services: [Inventory] });
 * await app.run();
 * ```
 */
export async function createApp(options: AppOptions): Promise<App> {
  const releaseStdout = reserveStdout();
  try {
    return await makeApp(options, releaseStdout);
  } catch (error) {
    releaseStdout();
    throw error;
  }
}

/**
 * Creates an app in these steps:
 *
 * 1. The options are checked, and resolved to one record of settings.
 * 2. The parts of the app and its modules are collected.
 * 3. The definitions are compiled. All problems so far are thrown together.
 * 4. The engine and the app are created, and the services are started.
 */
async function makeApp(options: AppOptions, releaseStdout: () => void): Promise<App> {
  const diagnostics = new Diagnostics();
  const settings = resolveOptions(options, diagnostics);
  const { tasks } = settings;
  const watch = watchHooks(settings.logger);
  const given = tasks ? { ...options, tasks } : options;
  const parts = await collectParts(given, settings, () => app, watch, diagnostics);
  const counter = new RateCounter(settings.limiter, settings.logger);
  const served = await compileDefinitions(parts, settings, counter, diagnostics);
  const { engine, changes, readiness } = createEngine(parts, served, counter, settings);
  const { logger, backend, instructions } = settings;
  const app: App = new App({
    engine,
    registry: served.registry,
    container: parts.services.container,
    logger,
    instructions,
    hooks: parts.extensions,
    define: adding(options, parts.services, served.registry, served.tools),
    releaseStdout,
    isWorker: options.tasks?.worker === 'only',
    readiness,
    backend,
    audit: settings.audit,
    watch,
  });
  const record = buildRecord();
  if (record) {
    record.madeApp({ info: settings.info, registry: served.registry, schemas: served.tools.schemas });
    return app;
  }
  const opened = backend?.open?.(logger);
  if (isPromise(opened)) await watch.starting('open() of the backend', opened);
  await changes.open();
  await startServices(engine, parts, served, settings);
  return app;
}

/** The parts of an app before compilation. */
interface AppPieces extends Collected {
  readonly services: Services;
  readonly classes: ReturnType<typeof classesOf>;
  readonly policies: ReturnType<typeof policiesOf>;
}

async function collectParts(
  options: AppOptions,
  { logger, backend, limiter }: AppSettings,
  app: () => App,
  watch: HookWatch,
  diagnostics: Diagnostics,
): Promise<AppPieces> {
  const collected = await collect(options, diagnostics, logger, backend);
  const policies = policiesOf(collected.declarations, options);
  const own = builtIns(app, limiter);
  checkPolicies(policies, collected.declarations, options, diagnostics);
  checkBuiltIns(own, collected.providers, diagnostics);
  return {
    ...collected,
    policies,
    classes: classesOf(collected.declarations, policies),
    services: chooseServices(options.container, [...own, ...collected.providers], watch),
  };
}

/** The compiled definitions of an app. */
interface Served {
  readonly registry: Registry;
  /** Compiles definitions that are added later. */
  readonly tools: Omit<BuildTools, 'diagnostics'>;
}

/** Compiles the definitions. @throws DefinitionError with all problems of the options and the definitions. */
async function compileDefinitions(
  { declarations, extensions, services, classes }: AppPieces,
  { logger, exposeErrors, limits, coerce, unknownProperties }: AppSettings,
  counter: RateCounter,
  diagnostics: Diagnostics,
): Promise<Served> {
  const record = buildRecord();
  const schemas = await createSchemaCompiler({
    classes: needsClasses(declarations),
    constraint: services.constraint,
    ...(record && { validators: record.load }),
  });
  const guardTime = new Deadlines(limits.guardTimeoutMs);
  const handlers = new HandlerCompiler({
    logger,
    exposeErrors,
    instances: services.instances,
    guardTime,
    coerce,
    counter,
  });
  const registry = new Registry();
  const tools = { schemas, handlers, unknownProperties, hooks: extensions, logger };
  populate(registry, declarations, { ...tools, diagnostics });
  diagnostics.report(services.check(classes, schemas.constraints));
  await schemas.settle(diagnostics.problems);
  diagnostics.throwIfAny();
  return { registry, tools };
}

function createEngine(
  { extensions, services }: AppPieces,
  { registry, tools }: Served,
  counter: RateCounter,
  settings: AppSettings,
): { readonly engine: Engine; readonly changes: ChangeFeed; readonly readiness: Readiness } {
  const { logger, backend, state, bus } = settings;
  const codec = new RequestStateCodec(state.keys, settings.info.name);
  const changes = new ChangeFeed(bus.bus, logger, bus.isShared);
  const readiness = new Readiness({
    version: settings.info.version,
    logger,
    codec,
    changes,
    isShared: bus.isShared,
    store: backend && (() => backend.check()),
    extensions: () => engine.checks,
  });
  const engine: Engine = new Engine({
    ...settings,
    counter,
    registry,
    container: services.container,
    logTo: (target) => logger.relayTo(target),
    changes,
    backend: {
      get node() {
        return changes.node;
      },
      sessions: backend?.sessions,
      events: backend?.events,
      states: state.store,
      seal: (purpose, value) => codec.seal(purpose, value),
      unseal: (purpose, text) => codec.open(purpose, text),
      publish: (change) => changes.publish(change),
      onChange: (listener) => changes.onChange(listener),
      limited: settings.limited,
      check: () => readiness.check(),
    },
    cacheHints: new CacheHints(settings.cache),
    codec,
    rounds: new RoundTripStates(
      codec,
      { ttlMs: state.ttlMs, maxLength: MAX_STATE_LENGTH },
      state.isUsedOnce ? state.store : undefined,
    ),
    extensions: extensions.map(({ create }) => create),
    tracking: unhandledRejections.tracking,
    formPlan: formPlans(tools.schemas),
  });
  return { engine, changes, readiness };
}

/**
 * Starts the services. @throws the error of a service, after the services that were created before it have
 * been disposed of.
 */
async function startServices(
  engine: Engine,
  { services, classes, policies }: AppPieces,
  { tools }: Served,
  { warm, backend }: AppSettings,
): Promise<void> {
  try {
    await services.start(classes, policies);
    tools.schemas.makeConstraints();
    if (warm) await tools.schemas.warm();
    await services.ready();
  } catch (error) {
    await engine.close();
    await services.container.close?.();
    await backend?.close();
    throw error;
  }
}

/**
 * Maximum number of stored form plans. An inline schema is a new object in each call, so plans are found by
 * the text of the schema.
 */
const MAX_REMEMBERED = 256;

/**
 * Returns a function that plans each form that handlers show to users once.
 *
 * @throws DefinitionError if a client cannot show a form.
 */
function formPlans(schemas: SchemaCompiler): (form: FormLike) => ValuePlan {
  const plans = new Map<object | string, ValuePlan>();
  return (form) => {
    const source = explicitSource(form);
    const key = source.kind === 'schema' ? JSON.stringify(form) : form;
    const known = plans.get(key);
    if (known) return known;
    const diagnostics = new Diagnostics().at('elicit()');
    const plan = schemas.input(source, diagnostics.where, diagnostics.problems);
    for (const property of unshowable(plan.advertised)) {
      const what = `clients cannot show the property '${property}' of the form`;
      const fix = 'use only strings, numbers, booleans, choices, and lists of choices in a form';
      diagnostics.add('SIGIL_INVALID_SCHEMA', what, fix);
    }
    diagnostics.throwIfAny();
    if (plans.size >= MAX_REMEMBERED) plans.delete(plans.keys().next().value ?? key);
    plans.set(key, plan);
    return plan;
  };
}
