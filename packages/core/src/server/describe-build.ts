import { DefinitionError, messageOf } from '../errors/errors.js';
import type { LoadValidatorCompiler, PatternVerdict } from '../schema/index.js';
import { loadValidatorCompiler } from '../schema/validate/ajv.js';
import { type WrittenSchema, type WrittenValidator, writeValidators } from '../schema/validate/standalone.js';
import { type MakeLaterApp, type PlatformStandIn, type RecordedApp, setBuildRecord } from './build-record.js';

/** The names of an app's definitions. */
export interface AppDescription {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
}

/** The files that each URL in the option `discover` matches. */
export type DiscoveredFiles = Readonly<Record<string, readonly string[]>>;

/** The description of a program for `sigil build`. All of it is JSON. */
export interface BuildDescription {
  readonly apps: readonly AppDescription[];
  /** The validators for the program's schemas. */
  readonly validators: readonly WrittenValidator[];
  readonly patterns: readonly PatternVerdict[];
  /** Whether a regular expression in the schemas needs the engine that runs in linear time. */
  readonly needsPatternEngine: boolean;
  /**
   * The name of the runtime that was passed to `app.run()`; stdio if no runtime was passed. Absent if `app.run()`
   * was not called.
   */
  readonly runtime?: string | undefined;
  /**
   * The reasons why apps could not be created during the build. The description lacks these apps. Only an app that the
   * program creates at its first request can be missing.
   */
  readonly unmade: readonly string[];
}

/** Receives events while a program describes itself. */
export interface BuildListener {
  /** Receives the description once, and ends the program. */
  done(description: BuildDescription): never;
  /**
   * Receives files that match the option `discover` but are not in the bundle yet. The description lacks the
   * definitions in these files until they are bundled.
   *
   * @param href the URL in the option `discover` that matches the files.
   */
  discovered(href: string, files: readonly string[]): void;
  /** Called when the program has created an app, or has announced an app that it creates only at the first request. */
  madeApp(): void;
}

/**
 * Makes the apps of this program describe themselves to a listener, instead of creating services and serving.
 * `sigil build` runs a program in this way before it writes the final bundle.
 *
 * @param env the environment variables that an app receives if it is created only at its first request.
 * @returns a function that passes the complete description to `listener.done()`. A call of `app.run()` does the same.
 */
export function describeBuild(
  listener: BuildListener,
  env: PlatformStandIn['env'] = {},
): () => Promise<never> {
  const later: MakeLaterApp[] = [];
  const apps: RecordedApp[] = [];
  const schemas = new Map<string, WrittenSchema>();
  const load: LoadValidatorCompiler = async (dialect) => {
    const compile = await loadValidatorCompiler(dialect);
    return (schema, options) => {
      const { ownProperties, isolated, unicode } = options;
      const written = { schema, dialect, ownProperties, isolated, unicode };
      const compiled = compile(schema, options);
      schemas.set(JSON.stringify(written), written);
      return compiled;
    };
  };
  const end = async (runtime?: string): Promise<never> => {
    const unmade: string[] = [];
    for (const make of later) unmade.push(...(await failuresOf(make, env)));
    for (const app of apps) await app.schemas.warm();
    return listener.done({
      apps: apps.map(describeApp),
      validators: await writeValidators([...schemas.values()]),
      patterns: apps.flatMap((app) => app.schemas.patternVerdicts),
      needsPatternEngine: apps.some((app) => app.schemas.needsPatternEngine),
      runtime,
      unmade,
    });
  };
  const add = <T>(list: T[], one: T): void => {
    list.push(one);
    listener.madeApp();
  };
  setBuildRecord({
    load,
    madeApp: (app) => add(apps, app),
    announced: (make) => add(later, make),
    discovered: (href, files) => listener.discovered(href, files),
    serves: end,
  });
  return end;
}

/**
 * Maximum time to create an app that would otherwise be created at its first request, in milliseconds. It may
 * wait for something.
 */
const LATER_MS = 5_000;

/**
 * Creates an app that would otherwise be created at its first request. @returns why that failed. @throws
 * DefinitionError if its definitions are invalid.
 */
async function failuresOf(make: MakeLaterApp, env: PlatformStandIn['env']): Promise<string[]> {
  const late = new Promise<string[]>((resolve) =>
    setTimeout(() => resolve([`it took longer than ${LATER_MS / 1000} s`]), LATER_MS),
  );
  const making = async (): Promise<string[]> => {
    await make({ env, anything: ANYTHING });
    return [];
  };
  return Promise.race([making(), late]).catch((error: unknown) => {
    if (error instanceof DefinitionError) throw error;
    return [messageOf(error)];
  });
}

const ANYTHING: unknown = new Proxy(() => undefined, {
  get(_, name): unknown {
    // Or `await` would wait for it.
    if (name === 'then') return undefined;
    return name === Symbol.toPrimitive ? () => '' : ANYTHING;
  },
  apply: () => ANYTHING,
});

function describeApp({ info: { name, version }, registry }: RecordedApp): AppDescription {
  const { tools, resources, templates, prompts } = registry;
  const keysOf = (entries: Iterable<{ readonly key: string }>): string[] =>
    [...entries].map(({ key }) => key);
  return {
    name,
    version,
    tools: keysOf(tools),
    resources: [...keysOf(resources), ...keysOf(templates)],
    prompts: keysOf(prompts),
  };
}
