import { DefinitionError } from '../errors/errors.js';
import { loadValidatorCompiler } from '../schema/validate/interpreter/interpreter.js';
import { VERDICT_TOOLS } from '../schema/validate/verdict-tools.js';
import { writeVerdict } from '../schema/validate/write-verdict.js';
import type { LoadValidatorCompiler } from '../schema/validate/compiled-schema.js';
import { validatorKey } from '../schema/validate/prepared.js';
import type { PatternVerdict } from '../schema/index.js';
import { PlanRecorder } from '../schema/describe-plans.js';
import type { PlanData } from '../schema/plan-data.js';
import { collectLaterApps, type MakeLaterApp, type PlatformStandIn } from '../transport/later-apps.js';
import { type RecordedApp, setBuildRecord } from './build-record.js';

/** The code of the validator of one schema. */
export interface ValidatorText {
  /** What finds it again. */
  readonly key: string;
  /** The text of a function of what compiles patterns, which calls `VERDICT_TOOLS` by their names. */
  readonly code: string;
}

/** The plan of a value. */
export interface PlanText {
  readonly data: PlanData;
  /** As in `ValidatorText`; absent where its schema is interpreted, or checks nothing. */
  readonly code?: string;
}

/** What an app serves, by names. */
export interface AppDescription {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
}

/** The files of places that are given as `discover`, by the URL of the place. */
export type DiscoveredFiles = Readonly<Record<string, readonly string[]>>;

/** What `sigil build` is told of a program. */
export interface BuildDescription {
  readonly apps: readonly AppDescription[];
  readonly validators: readonly ValidatorText[];
  /** The plans of all definitions; where one of them cannot be written as data, the place of that. */
  readonly plans: readonly PlanText[] | string;
  /** Whether a schema of these has keywords that few have. */
  readonly hasRareKeywords: boolean;
  /** What the code of validators calls: names in `VERDICT_TOOLS`. */
  readonly validatorTools: readonly string[];
  readonly patterns: readonly PatternVerdict[];
  /** Whether a pattern needs another engine than the native one. */
  readonly needsPatternEngine: boolean;
  /** Whether the program called `app.run()`. */
  readonly runs: boolean;
  /** Why apps could not be made that are made when their first request comes. */
  readonly unmade: readonly string[];
}

/**
 * Has the apps of this program tell what they are made of, instead of making their services and serving. For `sigil build`, which
 * starts a program in this way before it writes the file.
 *
 * @param done is called once, when a program wants to serve, or when `end()` says that it has begun; it ends the program.
 * @param discovered is called with what the build does not have yet: without it, the description would lack definitions.
 * @param env of which apps are made that are made later, of what comes with their first request.
 * @returns ends the description.
 * @example
 * ```ts
 * const discovered: DiscoveredFiles[] = [];
 * const end = describeBuild(
 *   () => new Promise(() => undefined),
 *   (files) => discovered.push(files),
 * );
 * await end();
 * ```
 */
export function describeBuild(
  done: (description: BuildDescription) => Promise<never>,
  discovered: (files: DiscoveredFiles) => void,
  env: PlatformStandIn['env'] = {},
): () => Promise<never> {
  const later = collectLaterApps();
  const apps: RecordedApp[] = [];
  const validators = new Map<string, ValidatorText>();
  const load: LoadValidatorCompiler = async (dialect) => {
    const compile = await loadValidatorCompiler(dialect);
    return (schema, options) => {
      const compiled = compile(schema, options);
      const code = writeVerdict(schema, options);
      const key = validatorKey(schema, options);
      if (code !== undefined) validators.set(key, { key, code });
      return compiled;
    };
  };
  const recorder = new PlanRecorder();
  const end = async (runs: boolean): Promise<never> => {
    const unmade: string[] = [];
    for (const make of later) {
      const why = await failureOf(make, env);
      if (why !== undefined) unmade.push(why);
    }
    for (const { schemas } of apps) await schemas.warm();
    const plans = plansOf(recorder, validators);
    return done({
      plans,
      hasRareKeywords: RARE.test(JSON.stringify(plans)),
      apps: apps.map(describeApp),
      validators: [...validators.values()],
      validatorTools: Object.keys(VERDICT_TOOLS),
      patterns: apps.flatMap(({ schemas }) => schemas.patternVerdicts),
      needsPatternEngine: apps.some(({ schemas }) => schemas.needsPatternEngine),
      runs,
      unmade,
    });
  };
  setBuildRecord({
    load,
    recorder,
    madeApp: (app) => apps.push(app),
    discovered: (href, files) => discovered({ [href]: files }),
    serves: () => end(true),
  });
  return () => end(false);
}

/** Keywords that the interpreter has only where a schema has them, and dialects that have others. */
const RARE =
  /"(?:nullable|prefixItems|additionalItems|contains|unevaluated(?:Items|Properties)|propertyNames|patternProperties|dependencies|dependent(?:Required|Schemas)|\$(?:dynamic|recursive)Ref)":|"(?:2019-09|draft-07)"/;

/** Plans that are the same, once. @param validators those that were written, by their keys. */
function plansOf(
  recorder: PlanRecorder,
  validators: ReadonlyMap<string, ValidatorText>,
): readonly PlanText[] | string {
  const plans = new Map<string, PlanText>();
  const described = recorder.describe();
  if (typeof described === 'string') return described;
  for (const { data, options } of described) {
    const text = JSON.stringify({ ...data, for: [] });
    const code = options && validators.get(validatorKey(options.schema, options))?.code;
    const all = { ...data, for: [...(plans.get(text)?.data.for ?? []), ...data.for] };
    plans.set(text, { data: all, ...(code !== undefined && { code }) });
  }
  return [...plans.values()];
}

/** How long an app may take that is made later, in milliseconds: it may wait for what is not there yet. */
const LATER_MS = 5_000;

/**
 * Makes an app that is made later.
 *
 * @returns why that failed, if it did.
 * @throws DefinitionError when its definitions are wrong.
 */
async function failureOf(make: MakeLaterApp, env: PlatformStandIn['env']): Promise<string | undefined> {
  const late = new Promise<string>((resolve) =>
    setTimeout(() => resolve(`it took longer than ${LATER_MS / 1000} s`), LATER_MS),
  );
  const making = async (): Promise<undefined> => {
    await make({ env, anything: ANYTHING });
    return undefined;
  };
  try {
    return await Promise.race([making(), late]);
  } catch (error) {
    if (error instanceof DefinitionError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
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
