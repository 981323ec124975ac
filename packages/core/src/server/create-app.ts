import { TypediContainer } from '../container/typedi.js';
import type { FunctionDefinition } from '../decorators/define.js';
import { CacheHints } from '../engine/cache-hints.js';
import { ChangeFeed } from '../engine/changes/change-feed.js';
import { MemoryChangeBus } from '../engine/changes/memory-change-bus.js';
import { Engine } from '../engine/engine.js';
import { RoundKeeper } from '../engine/rounds/round-keeper.js';
import { StateSealer } from '../engine/rounds/state-sealer.js';
import { DefinitionError, type Problem } from '../errors/definition-error.js';
import type { Instances } from '../invoke/bind.js';
import { createCompile } from '../invoke/compile.js';
import { isClass, missingMethod, policyProblems } from '../invoke/policies.js';
import type { GuardLike, MiddlewareLike } from '../context/policies.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { BuildTools } from '../registry/build.js';
import type { Declaration } from '../registry/declaration.js';
import { compileEntry, hookProblems, populate, register } from '../registry/populate.js';
import { Registry } from '../registry/registry.js';
import { scan } from '../registry/scan.js';
import { createSchemaCompiler } from '../schema/index.js';
import { App } from './app.js';
import type { AppOptions } from './app-options.js';
import { checkOptions } from './check-options.js';
import { declareFunction } from './declare-function.js';
import { discover } from './discover.js';
import { allExtensions } from './extensions.js';
import { formPlans } from './form-plans.js';
import { RelayLogger } from './relay-logger.js';
import { needsClasses } from './needs-classes.js';
import { reserveStdout } from './runtime-choice.js';

/** Clients carry state in requests, whose bodies are bounded; so many characters leave room for the rest. */
const MAX_STATE_LENGTH = 256 * 1024;

/**
 * Makes a server of decorated classes: finds the definitions, checks them, compiles them, and makes the services.
 *
 * If the arguments and variables of the program choose stdio, and standard input and output are pipes, what the program writes to
 * standard output from here on goes to standard error: constructors may log. `app.run()` on another runtime, `app.endpoint`,
 * `app.contract()`, `app.explain()` and `app.close()` give standard output back. What is written before `createApp` is called, such as by a
 * module while it is imported, reaches the client.
 *
 * @throws DefinitionError with everything that is wrong with the definitions, at once.
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

async function makeApp(options: AppOptions, releaseStdout: () => void): Promise<App> {
  const problems: Problem[] = checkOptions(options);
  const found = options.discover ? await discover(options.discover, problems) : [];
  const extensions = allExtensions(options.extensions ?? [], options.tasks);
  problems.push(...extensions.flatMap((extension) => extension.problems ?? []));
  const declarations = [
    ...scan([...(options.services ?? []), ...found], problems),
    ...(options.definitions ?? []).map(declareFunction),
    ...extensions.flatMap(({ definitions = [] }) => definitions.map(declareFunction)),
  ];
  const services = classesOf(declarations);
  const policies = policiesOf(options, declarations);
  problems.push(...policyProblems(policies.guards, policies.middleware));
  const { container, instances, start, constraint, check } = chooseContainer(
    options,
    [...services, ...classesIn(policies)],
    problems,
  );
  const logger = new RelayLogger(options.logger);
  const exposeErrors = options.exposeErrors ?? false;
  const { guards = [], middleware = [], errors = [] } = options;
  const compile = createCompile({
    logger,
    exposeErrors,
    instances,
    guards,
    middleware,
    errors,
    coerce: options.coerce ?? false,
  });
  const schemas = await createSchemaCompiler({ classes: needsClasses(declarations), constraint });
  const registry = new Registry();
  const build = (into: Problem[]): BuildTools => ({
    schemas,
    compile,
    unknownProperties: options.unknownProperties,
    hooks: extensions,
    problems: into,
  });
  populate(registry, declarations, build(problems));
  problems.push(...check([...schemas.dependentConstraints]));
  await schemas.settlePatterns(problems);
  if (problems.length > 0) throw new DefinitionError(problems);

  const info = infoOf(options);
  const changes = new ChangeFeed(options.changeBus ?? new MemoryChangeBus(), logger);
  const engine = new Engine({
    info,
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
    maxSubscribedUris: options.maxSubscribedUris ?? 1000,
    timeoutMs: options.timeoutMs,
    experimental: options.experimental,
    stampServerInfo: options.stampServerInfo ?? true,
    rounds: new RoundKeeper(
      new StateSealer(options.stateKeys ?? []),
      { ttlMs: options.stateTtlMs ?? 10 * 60_000, maxLength: MAX_STATE_LENGTH },
      options.stateStore,
    ),
    clientProfiles: options.clientProfiles ?? [],
    extensions: extensions.map(({ create }) => create),
    formPlan: formPlans(schemas),
  });
  await changes.open();
  try {
    await start();
    await checkPolicies(policies, instances);
    if (options.warm) await schemas.warm();
  } catch (error) {
    // What was made before the failure is not left behind.
    await engine.close();
    await container.close?.();
    throw error;
  }
  const define = (definition: FunctionDefinition): void => {
    const wrong: Problem[] = [];
    const entry = compileEntry(declareFunction(definition), build(wrong));
    if (entry) wrong.push(...hookProblems(entry, registry, { hooks: extensions }));
    if (entry && wrong.length === 0) register(registry, entry, wrong);
    if (wrong.length > 0) throw new DefinitionError(wrong);
  };
  const { instructions } = options;
  return new App({
    engine,
    registry,
    container,
    logger,
    instructions,
    hooks: extensions,
    define,
    releaseStdout,
  });
}

interface ChosenContainer {
  readonly container: Instances['container'];
  readonly instances: Instances;
  readonly start: () => Promise<void>;
  /** Makes a constraint of class-validator; undefined when it needs no container. */
  readonly constraint: (cls: Constructor) => unknown;
  /** What would go wrong when classes are made. */
  readonly check: (classes: readonly Constructor[]) => Problem[];
}

function chooseContainer(
  { container, providers }: AppOptions,
  services: readonly Constructor[],
  problems: Problem[],
): ChosenContainer {
  if (container) {
    // A foreign container alone knows how long its instances live, so it is asked each time.
    return {
      container,
      instances: { container, isSingleton: () => false },
      start: () => Promise.resolve(),
      constraint: (cls) => (cls.length > 0 ? container.get(cls) : undefined),
      check: () => [],
    };
  }
  const own = new TypediContainer(providers);
  problems.push(...own.check(services));
  const instances = { container: own, isSingleton: (cls: Constructor) => own.scopeOf(cls) === 'singleton' };
  return {
    container: own,
    instances,
    start: () => own.start(services),
    constraint: (cls) => own.get(cls),
    check: (classes) => own.check(classes),
  };
}

function classesOf(declarations: readonly Declaration[]): Constructor[] {
  const classes = declarations.map(({ target }) => (target.kind === 'method' ? target.cls : undefined));
  return [...new Set(classes.filter((cls) => cls !== undefined))];
}

/** The guards and middleware of an app, wherever they stand. */
interface Policies {
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
}

function policiesOf(
  { guards = [], middleware = [] }: AppOptions,
  declarations: readonly Declaration[],
): Policies {
  return {
    guards: [...guards, ...declarations.flatMap((declaration) => declaration.guards)],
    middleware: [...middleware, ...declarations.flatMap((declaration) => declaration.middleware)],
  };
}

/** Those among them that the container is to make. */
function classesIn({ guards, middleware }: Policies): Constructor[] {
  return [...guards, ...middleware].filter((like) => isClass(like));
}

/** Looks at the instances of guards and middleware, which may have their method as a property. */
async function checkPolicies({ guards, middleware }: Policies, instances: Instances): Promise<void> {
  const problems: Problem[] = [];
  const check = async (classes: readonly unknown[], method: 'allows' | 'handle'): Promise<void> => {
    for (const cls of new Set(classes)) {
      if (!isClass(cls) || !instances.isSingleton(cls)) continue;
      const problem = missingMethod(cls, await instances.container.get(cls), method);
      if (problem) problems.push(problem);
    }
  };
  await check(guards, 'allows');
  await check(middleware, 'handle');
  if (problems.length > 0) throw new DefinitionError(problems);
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
