import { TypediContainer } from '../container/typedi.js';
import type { FunctionDefinition } from '../decorators/define.js';
import { CacheHints } from '../engine/cache-hints.js';
import { ChangeFeed } from '../engine/changes/change-feed.js';
import { MemoryChangeBus } from '../engine/changes/memory-change-bus.js';
import { Engine } from '../engine/engine.js';
import { RoundKeeper } from '../engine/rounds/round-keeper.js';
import { StateSealer } from '../engine/rounds/state-sealer.js';
import { apps } from '../extensions/apps/apps.js';
import { tasks } from '../extensions/tasks/tasks.js';
import { DefinitionError, type Problem } from '../errors/definition-error.js';
import type { Guard, Middleware } from '../context/access.js';
import { createCompile } from '../invoke/compile.js';
import { isClassWith } from '../invoke/middleware.js';
import type { Instances } from '../invoke/resolve-instance.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { BuildTools } from '../registry/build.js';
import type { Declaration } from '../registry/declaration.js';
import { compileEntry, populate, register } from '../registry/populate.js';
import { Registry } from '../registry/registry.js';
import { scan } from '../registry/scan.js';
import { uiLinkProblems } from '../registry/ui-links.js';
import { createSchemaCompiler } from '../schema/index.js';
import { App } from './app.js';
import { isExtension, toAppExtension } from './app-extension.js';
import type { AppOptions } from './app-options.js';
import { checkOptions } from './check-options.js';
import { declareFunction } from './declare-function.js';
import { discover } from './discover.js';
import { formPlans } from './form-plans.js';
import { RelayLogger } from './relay-logger.js';
import { needsClasses } from './needs-classes.js';

/** Clients carry state in requests, whose bodies are bounded; so many characters leave room for the rest. */
const MAX_STATE_LENGTH = 256 * 1024;

/**
 * Makes a server of decorated classes: finds the definitions, checks them, compiles them, and makes the services.
 *
 * @throws DefinitionError with everything that is wrong with the definitions, at once.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const problems: Problem[] = checkOptions(options);
  const found = options.discover ? await discover(options.discover, problems) : [];
  const extensions = (options.extensions ?? []).filter(isExtension).map(toAppExtension);
  problems.push(...extensions.flatMap((extension) => extension.problems ?? []));
  const withAppErrors = (declaration: Declaration): Declaration => ({
    ...declaration,
    errors: [...declaration.errors, ...(options.errors ?? [])],
  });
  const declarations = [
    ...scan([...(options.services ?? []), ...found], problems),
    ...(options.definitions ?? []).map(declareFunction),
    ...extensions.flatMap(({ definitions = [] }) => definitions.map(declareFunction)),
  ].map(withAppErrors);
  const services = classesOf(declarations);
  const policies = policyClasses(options, declarations);
  const { container, instances, start } = chooseContainer(options, [...services, ...policies], problems);
  const logger = new RelayLogger(options.logger);
  const exposeErrors = options.exposeErrors ?? false;
  const { guards = [], middleware = [] } = options;
  const compile = createCompile({
    logger,
    exposeErrors,
    instances,
    guards,
    middleware,
    coerce: options.coerce ?? false,
  });
  const schemas = await createSchemaCompiler({ classes: needsClasses(declarations) });
  const registry = new Registry();
  const build = (into: Problem[]): BuildTools => ({
    schemas,
    compile,
    unknownProperties: options.unknownProperties,
    problems: into,
  });
  populate(registry, declarations, build(problems));
  await schemas.settlePatterns(problems);
  if (problems.length > 0) throw new DefinitionError(problems);

  const info = infoOf(options);
  const changes = new ChangeFeed(options.changeBus ?? new MemoryChangeBus(), logger);
  const engine = new Engine({
    info,
    serverInfoJson: JSON.stringify(info),
    instructions: options.instructions,
    registry,
    container,
    logger,
    exposeErrors,
    pageSize: options.pageSize,
    changes,
    cacheHints: new CacheHints(options.cache),
    maxInFlight: options.maxInFlight ?? 1024,
    maxSubscriptions: options.maxSubscriptions ?? 10_000,
    stampServerInfo: options.stampServerInfo ?? true,
    rounds: new RoundKeeper(
      new StateSealer(options.stateKeys ?? []),
      { ttlMs: options.stateTtlMs ?? 10 * 60_000, maxLength: MAX_STATE_LENGTH },
      options.stateStore,
    ),
    clientProfiles: options.clientProfiles ?? [],
    extensions: [tasks(options.tasks), apps, ...extensions.map(({ create }) => create)],
    formPlan: formPlans(schemas),
  });
  await changes.open();
  try {
    await start();
    if (options.warm) await schemas.warm();
  } catch (error) {
    // What was made before the failure is not left behind.
    await engine.close();
    await container.close?.();
    throw error;
  }
  const define = (definition: FunctionDefinition): void => {
    const wrong: Problem[] = [];
    const entry = compileEntry(withAppErrors(declareFunction(definition)), build(wrong));
    if (entry) wrong.push(...uiLinkProblems(entry, registry));
    if (entry && wrong.length === 0) register(registry, entry, wrong);
    if (wrong.length > 0) throw new DefinitionError(wrong);
  };
  const { instructions } = options;
  return new App({ engine, registry, container, logger, instructions, define });
}

interface ChosenContainer {
  readonly container: Instances['container'];
  readonly instances: Instances;
  readonly start: () => Promise<void>;
}

function chooseContainer(
  { container, providers }: AppOptions,
  services: readonly Constructor[],
  problems: Problem[],
): ChosenContainer {
  if (container) {
    // A foreign container alone knows how long its instances live, so it is asked each time.
    return { container, instances: { container, isSingleton: () => false }, start: () => Promise.resolve() };
  }
  const own = new TypediContainer(providers);
  problems.push(...own.check(services));
  const instances = { container: own, isSingleton: (cls: Constructor) => own.scopeOf(cls) === 'singleton' };
  return { container: own, instances, start: () => own.start(services) };
}

function classesOf(declarations: readonly Declaration[]): Constructor[] {
  const classes = declarations.map(({ target }) => (target.kind === 'method' ? target.cls : undefined));
  return [...new Set(classes.filter((cls) => cls !== undefined))];
}

/** The guards and middleware that the container is to make. */
function policyClasses(
  { guards = [], middleware = [] }: AppOptions,
  declarations: readonly Declaration[],
): Constructor[] {
  const allGuards = [...guards, ...declarations.flatMap((declaration) => declaration.guards)];
  const allMiddleware = [...middleware, ...declarations.flatMap((declaration) => declaration.middleware)];
  return [
    ...allGuards.filter((guard) => isClassWith<Guard>(guard, 'allows')),
    ...allMiddleware.filter((step) => isClassWith<Middleware>(step, 'handle')),
  ];
}

function infoOf({ name, version, title, description, websiteUrl, icons }: AppOptions): Implementation {
  return {
    name,
    version,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(icons === undefined ? {} : { icons }),
  };
}
