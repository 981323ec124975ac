import type { Implementation } from '../protocol/descriptors.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Registry } from '../registry/registry.js';
import {
  type LoadValidatorCompiler,
  type PatternVerdict,
  type PreparedValidator,
  preparePatterns,
  prepareValidators,
  type SchemaCompiler,
} from '../schema/index.js';

/*
 * `sigil build` runs a program while it bundles it: the program describes itself, and serves nothing
 * (`describe-build.ts`). The bundle begins with a call of `prepare()`, which passes on the results of the description.
 */

/** A module in a bundle, found by the option `discover`. */
export interface BundledModule {
  /** The path of the module's file, for messages. */
  readonly path: string;
  readonly load: () => Promise<object>;
}

/** The generated parts that a bundle registers before the program starts. */
export interface PreparedParts {
  /**
   * The validators of the program's schemas. The key of each validator is the result of `validatorKey()` for its
   * schema.
   */
  readonly validators: Readonly<Record<string, PreparedValidator>>;
  readonly patterns: readonly PatternVerdict[];
  /** For each URL in the option `discover`: the modules that the URL matches, in the order of their files. */
  readonly discovered: Readonly<Record<string, readonly BundledModule[]>>;
}

const DISCOVERED = new Map<string, readonly BundledModule[]>();

/** Registers the parts that a bundle contains: validators, results of pattern analyses, and discovered modules. */
export function prepare({ validators, patterns, discovered }: PreparedParts): void {
  preparePatterns(patterns);
  prepareValidators(validators);
  for (const [href, modules] of Object.entries(discovered)) DISCOVERED.set(href, modules);
}

/** Returns the modules for a URL in the option `discover`; `undefined` outside of bundles. */
export function bundledModules(href: string): readonly BundledModule[] | undefined {
  return DISCOVERED.get(href);
}

/** A substitute for the API of the platform. Used while `sigil build` creates an app only to read its definitions. */
export interface PlatformStandIn {
  /** The values of environment variables and similar settings, by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An object that has every property; its methods have no effect. */
  readonly anything: unknown;
}

/**
 * A function that creates an app during `sigil build`. The program itself creates the app only at its first request,
 * because the platform's API is not available earlier.
 */
export type MakeLaterApp = (platform: PlatformStandIn) => MaybePromise<unknown>;

/** An app that describes itself. Its services are not created. */
export interface RecordedApp {
  readonly info: Implementation;
  readonly registry: Registry;
  readonly schemas: SchemaCompiler;
}

/** Receives a program's description of itself during a build. */
export interface BuildRecord {
  /** Loads the compiler of schemas. The compiler records each schema that it compiles. */
  readonly load: LoadValidatorCompiler;
  madeApp(app: RecordedApp): void;
  /** Called when the program announces an app that it creates only at the first request. */
  announced(make: MakeLaterApp): void;
  /** Called with the files that a URL in the option `discover` matches, if the bundle does not contain them yet. */
  discovered(href: string, files: readonly string[]): void;
  /**
   * Called during a build when the program would start to serve, for example by `app.run()`. The promise never
   * resolves.
   * @param runtime the name of the runtime that would serve, if it is known.
   */
  serves(runtime?: string): Promise<never>;
}

/**
 * The key under which the record is stored globally during a build. The replacements for Deno and Bun read
 * it, too.
 */
const RECORD: unique symbol = Symbol.for('sigil:build-record') as never;
const state = globalThis as { [RECORD]?: BuildRecord };

/** Returns the record that receives the description of this program; `undefined` except during a build. */
export function buildRecord(): BuildRecord | undefined {
  return state[RECORD];
}

/** Sets the build record. From then on, apps describe themselves instead of serving. */
export function setBuildRecord(record: BuildRecord): void {
  state[RECORD] = record;
}

/**
 * Announces to `sigil build` an app that is created only at its first request, so that the build also compiles the
 * app's schemas. Does nothing outside of a build.
 *
 * @param make a function that creates the app while the program is built. The app has no services, and is not served.
 */
export function announceLaterApp(make: MakeLaterApp): void {
  buildRecord()?.announced(make);
}
