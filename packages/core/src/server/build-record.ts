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

/** A module in a bundle, from a place given as `discover`. */
export interface BundledModule {
  /** The path of its file, for messages. */
  readonly path: string;
  readonly load: () => Promise<object>;
}

/** The parts that a bundle passes to the app before the program begins. */
export interface PreparedParts {
  /** Validators, by the key that `validatorKey()` makes of a schema. */
  readonly validators: Readonly<Record<string, PreparedValidator>>;
  readonly patterns: readonly PatternVerdict[];
  /** The modules of each place given as `discover`, by its URL, in the order of their files. */
  readonly discovered: Readonly<Record<string, readonly BundledModule[]>>;
}

const DISCOVERED = new Map<string, readonly BundledModule[]>();

/** Receives the parts from a bundle. */
export function prepare({ validators, patterns, discovered }: PreparedParts): void {
  preparePatterns(patterns);
  prepareValidators(validators);
  for (const [href, modules] of Object.entries(discovered)) DISCOVERED.set(href, modules);
}

/** The modules of a place; `undefined` outside of bundles. */
export function bundledModules(href: string): readonly BundledModule[] | undefined {
  return DISCOVERED.get(href);
}

/** Replaces a platform while an app is created for its description. */
export interface PlatformStandIn {
  /** Text by name, such as environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Has every property, and does nothing. */
  readonly anything: unknown;
}

/** Creates an app whose platform is only known at the first request. */
export type MakeLaterApp = (platform: PlatformStandIn) => MaybePromise<unknown>;

/** An app that describes itself. Its services are not made. */
export interface RecordedApp {
  readonly info: Implementation;
  readonly registry: Registry;
  readonly schemas: SchemaCompiler;
}

/** Receives a program's description of itself during a build. */
export interface BuildRecord {
  /** Compiles schemas, and keeps them. */
  readonly load: LoadValidatorCompiler;
  madeApp(app: RecordedApp): void;
  /** An app will be made at its first request. */
  announced(make: MakeLaterApp): void;
  /** A place has these modules, which the bundle does not have yet. */
  discovered(href: string, files: readonly string[]): void;
  /** The program would serve from here on. Never resolves. @param runtime the name of the runtime it has chosen, if any. */
  serves(runtime?: string): Promise<never>;
}

/** A symbol of the process, under which the stand-ins for Deno and Bun find the record during a build. */
const RECORD: unique symbol = Symbol.for('sigil:build-record') as never;
const state = globalThis as { [RECORD]?: BuildRecord };

/** Receives the description of this program; `undefined` except during a build. */
export function buildRecord(): BuildRecord | undefined {
  return state[RECORD];
}

/** From now on, apps describe themselves, and serve nothing. */
export function setBuildRecord(record: BuildRecord): void {
  state[RECORD] = record;
}

/**
 * Announces an app to `sigil build` that is only created at its first request, so that its schemas are compiled as well.
 * Does nothing outside of a build.
 *
 * @param make called while the program is built. The app that it creates has no services, and is not served.
 */
export function announceLaterApp(make: MakeLaterApp): void {
  buildRecord()?.announced(make);
}
