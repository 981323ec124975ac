import { Diagnostics } from '../errors/errors.js';
import type { FunctionDefinition } from '../decorators/define.js';
import { CacheHints } from '../engine/methods/cache-hints.js';
import { ChangeFeed } from '../engine/subscriptions/changes.js';
import { MemoryChangeBus } from '../memory/memory-change-bus.js';
import { Engine } from '../engine/engine.js';
import { DEFAULT_LIMITS, type Limits } from '../engine/engine-options.js';
import { RoundTripStates } from '../engine/asking/round-trip-states.js';
import { RequestStateCodec } from '../engine/asking/request-state-codec.js';
import { MemoryStateStore } from '../memory/memory-state-store.js';
import type { Declaration } from '../invoke/declaration.js';
import { HandlerCompiler } from '../invoke/invoke.js';
import { checkPolicies } from '../invoke/policies.js';
import type { HandlerDefinition } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Implementation } from '../protocol/descriptors.js';
import { withoutUndefined } from '../protocol/json.js';
import { type LeftOut, leftOut } from '../protocol/left-out.js';
import type { BuildTools } from '../registry/build.js';
import { populate } from '../registry/populate.js';
import { Registry } from '../registry/registry.js';
import { isClass, refuseEmpty, scan } from '../registry/scan.js';
import {
  createSchemaCompiler,
  hasClassValidator,
  isDto,
  type SchemaCompiler,
  type SchemaSource,
  type ValuePlan,
} from '../schema/index.js';
import { Deadlines } from '../transport/deadlines.js';
import type { FormLike } from '../context/questions.js';
import { unshowable } from '../engine/asking/question-codec.js';
import { explicitSource } from '../registry/parameters.js';
import { App } from './app.js';
import type { AppOptions } from './app-options.js';
import { buildRecord, preparedPlans, snapshotStart } from './build-record.js';
import { builtIns, checkBuiltIns } from './built-ins.js';
import { backendOf, checkOptions } from './check-options.js';
import { findTransformer } from './faster-start.js';
import { collect, declareFunction, withOwnPolicies, withPolicies } from './collect.js';
import type { Define } from './live-collection.js';
import { requireLists } from './module.js';
import { workerKey } from './platform.js';
import { RelayLogger } from './relay-logger.js';
import { reserveStdout } from './runtime-choice.js';
import { chooseServices, classesOf, policiesOf } from './services.js';

/** Clients carry state in requests, whose bodies are bounded; so many characters leave room for the rest. */
const MAX_STATE_LENGTH = 256 * 1024;

/**
 * Makes a server of decorated classes: finds the definitions, checks them, compiles them, and makes the services.
 *
 * If the arguments and variables of the program choose stdio, and standard input and output are pipes, what the program writes to
 * standard output from here on goes to standard error: constructors may log. `app.run()` on another runtime, `app.endpoint`,
 * `manifestOf(app)`, `explain(app)` and `app.close()` give standard output back. What is written before `createApp` is called, such as by a
 * module while it is imported, reaches the client.
 *
 * @param options the name and version of the server, its modules or services, and how it is to run.
 * @returns the app, whose services are ready: it can be run, mounted or connected to.
 * @throws DefinitionError with everything that is wrong with the definitions, at once.
 * @throws Error when a provider or a service fails, with its name, and what it threw as `cause`.
 * @example
 * ```ts
 * const app = await createApp({ name: 'shop', version: '1.0.0', services: [Inventory] });
 * await app.run();
 * ```
 */
export async function createApp(options: AppOptions): Promise<App> {
  const stdout = {
    release: (globalThis as LeftOut).SIGIL_WITHOUT_RUNTIMES ? () => undefined : reserveStdout(),
  };
  try {
    return await makeApp(buildRecord() ? withKey(options) : options, stdout);
  } catch (error) {
    stdout.release();
    throw error;
  }
}

/** Options with a key, if they have any: secrets need not be there while a program is built. */
function withKey(options: AppOptions): AppOptions {
  if (options.state?.keys === undefined) return options;
  return { ...options, state: { ...options.state, keys: ['while a program is built, there is no key'] } };
}

async function makeApp(options: AppOptions, stdout: { release: () => void }): Promise<App> {
  requireLists('createApp', options, 'modules', 'override');
  const diagnostics = new Diagnostics();
  checkOptions(options, diagnostics);
  const logger = new RelayLogger(options.logger);
  // A factory is given no name that is wrong.
  const backend = diagnostics.problems.length === 0 ? backendOf(options, diagnostics) : undefined;
  const { declarations, providers, extensions } = await collect(options, diagnostics, logger, backend);
  const policies = policiesOf(declarations, options);
  const classes = classesOf(declarations, policies);
  const own = builtIns(() => app, backend?.limiter);
  // What was known when a file was built was checked then.
  if (!(globalThis as LeftOut).SIGIL_ALL_KNOWN) {
    checkPolicies(policies, diagnostics);
    checkBuiltIns(own, providers, diagnostics);
  }
  const services = chooseServices(options.container, [...own, ...providers]);
  const { container } = services;
  const exposeErrors = options.exposeErrors ?? false;
  // A limit of undefined is one that is left out.
  const ownLimits = Object.entries(options.limits ?? {}).filter(([, limit]) => limit !== undefined);
  const limits: Limits = { ...DEFAULT_LIMITS, ...Object.fromEntries(ownLimits) };
  const handlers = new HandlerCompiler({
    logger,
    exposeErrors,
    instances: services.instances,
    guardTime: new Deadlines(limits.guardTimeoutMs),
    coerce: options.coerce ?? false,
  });
  const schemas = (globalThis as LeftOut).SIGIL_ALL_KNOWN
    ? await preparedPlans()
    : await createSchemaCompiler({
        classes: needsClasses(declarations),
        constraint: services.constraint,
        findTransformer,
        ...withoutUndefined({ validators: buildRecord()?.load, recorder: buildRecord()?.recorder }),
      });
  const registry = new Registry();
  const { unknownProperties } = options;
  const tools: Omit<BuildTools, 'diagnostics'> = { schemas, handlers, unknownProperties, hooks: extensions };
  populate(registry, declarations, { ...tools, diagnostics });
  if (!(globalThis as LeftOut).SIGIL_ALL_KNOWN)
    diagnostics.report(services.check(classes, schemas.constraints));
  await schemas.settlePatterns(diagnostics.problems);
  diagnostics.throwIfAny();
  const start = snapshotStart();
  if (start) {
    await start;
    // It was reserved for the process that made the snapshot.
    if (!(globalThis as LeftOut).SIGIL_WITHOUT_RUNTIMES) stdout.release = reserveStdout();
  }

  const info = infoOf(options);
  const { state = {} } = options;
  const states = state.store || (backend?.states ?? new MemoryStateStore());
  const bus = options.changeBus ?? backend?.bus;
  const changes = new ChangeFeed(bus ?? new MemoryChangeBus(), logger, bus !== undefined);
  // Workers of one program share a key, so that each reads what the others have encrypted.
  const sharedKey = workerKey();
  const codec = new RequestStateCodec(state.keys ?? (sharedKey === undefined ? [] : [sharedKey]));
  const engine = new Engine({
    info,
    instructions: options.instructions,
    registry,
    container,
    logger,
    logTo: (target) => logger.relayTo(target),
    exposeErrors,
    pageSize: options.pageSize,
    changes,
    backend: {
      get node() {
        return changes.node;
      },
      sessions: backend?.sessions,
      events: backend?.events,
      states,
      seal: (value) => codec.seal(value),
      unseal: (text) => codec.open(text),
      publish: (change) => changes.publish(change),
      onChange: (listener) => changes.onChange(listener),
      check: () => backend?.check(),
    },
    cacheHints: new CacheHints(options.cache),
    limits,
    timeoutMs: options.timeoutMs,
    experimental: options.experimental,
    stampServerInfo: options.stampServerInfo ?? true,
    codec,
    rounds: new RoundTripStates(
      codec,
      { ttlMs: state.ttlMs ?? 10 * 60_000, maxLength: MAX_STATE_LENGTH },
      state.store === false ? undefined : states,
    ),
    extensions: extensions.map(({ create }) => create),
    formPlan: (globalThis as LeftOut).SIGIL_ALL_KNOWN ? unknownForm : formPlans(schemas),
  });
  const define: Define = (definition, kind) => {
    if ((globalThis as LeftOut).SIGIL_ALL_KNOWN) throw leftOut('what adds definitions to a running app');
    const diagnostics = new Diagnostics();
    const added = declare(definition, kind, diagnostics).map((declaration) =>
      withPolicies(withOwnPolicies(declaration, options), options),
    );
    const policies = policiesOf(added, {});
    checkPolicies(policies, diagnostics);
    diagnostics.report(services.check(classesOf(added, policies), []));
    populate(registry, added, { ...tools, diagnostics });
    diagnostics.throwIfAny();
  };
  const { instructions } = options;
  const app: App = new App({
    engine,
    registry,
    container,
    logger,
    instructions,
    hooks: extensions,
    define,
    releaseStdout: () => stdout.release(),
    isWorker: options.tasks?.worker === 'only',
    backend,
  });
  const record = buildRecord();
  if (record) {
    record.madeApp({ info, registry, schemas, createApp });
    return app;
  }
  await backend?.open?.(logger);
  await changes.open();
  try {
    await services.start(classes, policies);
    schemas.makeConstraints();
    if (options.warm) await schemas.warm();
    await services.ready();
  } catch (error) {
    // What was made before the failure is not left behind.
    await engine.close();
    await container.close?.();
    await backend?.close();
    throw error;
  }
  return app;
}

/** What is added to a running app: a function, or the methods of a class that are of a kind, and what completes them. */
function declare(
  definition: FunctionDefinition | Constructor,
  kind: HandlerDefinition['kind'],
  diagnostics: Diagnostics,
): Declaration[] {
  if (!isClass(definition)) return [declareFunction(definition, diagnostics)];
  const scanned = scan([definition], diagnostics);
  const found = scanned.filter((declaration) => declaration.definition.kind === kind);
  if (found.length === 0 && diagnostics.problems.length === 0) refuseEmpty(definition, diagnostics, [kind]);
  const completions = scanned.filter(
    (declaration) =>
      declaration.definition.kind === 'completion' &&
      (kind === 'prompt' || kind === 'resource') &&
      declaration.definition.ref.includes(':') === (kind === 'resource'),
  );
  return [...found, ...completions];
}

function infoOf({ name, version, title, description, websiteUrl, icons }: AppOptions): Implementation {
  return {
    name,
    version,
    ...withoutUndefined({ title, description, websiteUrl, icons }),
  };
}

/**
 * Whether the class libraries are wanted: when a definition takes its schema from a class, or when the author has loaded
 * class-validator anyway, for a form or for a tool that comes later.
 */
function needsClasses(declarations: readonly Declaration[]): boolean {
  if (hasClassValidator()) return true;
  return declarations.some(({ definition, binding, returns }) => {
    const output = 'output' in definition ? definition.output : undefined;
    return (
      returns !== undefined ||
      typeof output === 'function' ||
      Array.isArray(output) ||
      sourceHasClass(binding.source)
    );
  });
}

function sourceHasClass(source: SchemaSource): boolean {
  if (source.kind === 'class' || source.kind === 'array') return true;
  if (source.kind !== 'properties') return false;
  return source.properties.some(({ type, items }) => isDto(type) || isDto(items));
}

/** Forms are described when they are shown. */
function unknownForm(): never {
  throw leftOut('what describes forms');
}

/** Schemas written in place are new objects each time, so they are known by their text; so many are remembered. */
const MAX_REMEMBERED = 256;

/**
 * Plans the forms that handlers show to users, each once.
 *
 * @throws DefinitionError when a form is nothing a client can show.
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
      const what = `no client can show the property '${property}' of the form`;
      const fix = 'forms are flat: strings, numbers, booleans, choices, and lists of choices';
      diagnostics.add('SIGIL_INVALID_SCHEMA', what, fix);
    }
    diagnostics.throwIfAny();
    if (plans.size >= MAX_REMEMBERED) plans.delete(plans.keys().next().value ?? key);
    plans.set(key, plan);
    return plan;
  };
}
