import type { FunctionDefinition } from '../decorators/define.js';
import type { Implementation } from '../protocol/descriptors.js';
import { leftOut } from '../protocol/left-out.js';
import type { Registry } from '../registry/registry.js';
import {
  type LoadValidatorCompiler,
  type PatternVerdict,
  type PlanRecorder,
  type PreparedValidator,
  preparePatterns,
  prepareValidators,
  type SchemaCompiler,
} from '../schema/index.js';

/*
 * `sigil build` runs a program twice. While it builds, the program tells what it is made of and serves nothing (`build.ts`, of the entry
 * `@sigil/core/build`). What was written of that goes into the file that is built, and is taken in here before the program begins.
 */

/** A module that a place had when the program was built. */
export interface BundledModule {
  /** The path of its file, for messages. */
  readonly path: string;
  readonly load: () => Promise<object>;
}

/** What `sigil build` has found out about a program. */
export interface PreparedParts {
  /** Validators, by what finds them again. */
  readonly validators: Readonly<Record<string, PreparedValidator>>;
  readonly patterns: readonly PatternVerdict[];
  /** What imports the modules of each place that is given as `discover`, by its URL, in the order of their files. */
  readonly discovered: Readonly<Record<string, readonly BundledModule[]>>;
  /** Makes what gives an app its plans, where those of all definitions were made. */
  readonly schemas?: () => Promise<SchemaCompiler>;
}

const PREPARED: Pick<PreparedParts, 'schemas'> = {};
const DISCOVERED = new Map<string, readonly BundledModule[]>();

/**
 * Takes in what `sigil build` has found out. Called by the file that it writes, before the program begins.
 *
 * @example
 * ```ts
 * prepare({ validators: {}, patterns: [], discovered: {} });
 * ```
 */
export function prepare({ validators, patterns, discovered, ...schemas }: PreparedParts): void {
  preparePatterns(patterns);
  prepareValidators(validators);
  Object.assign(PREPARED, schemas);
  for (const [href, modules] of Object.entries(discovered)) DISCOVERED.set(href, modules);
}

/** What gives an app its plans. @throws Error in a file that does not have the plans of all definitions. */
export function preparedPlans(): Promise<SchemaCompiler> {
  if (PREPARED.schemas) return PREPARED.schemas();
  throw leftOut('what describes values');
}

/** The modules of a place, when a build has put them into its file. */
export function bundledModules(href: string): readonly BundledModule[] | undefined {
  return DISCOVERED.get(href);
}

/** What a program is asked while it is built. */
export interface BuildRecord {
  /** Compiles schemas, and keeps what it wrote. Absent while code is only run so that engines can keep it compiled. */
  readonly load?: LoadValidatorCompiler;
  /** Takes note of plans. Absent with that. */
  readonly recorder?: PlanRecorder;
  /** An app was made, whose services are not going to be. */
  madeApp(app: RecordedApp): void;
  /** A place has these modules, which the build does not have yet. */
  discovered(href: string, files: readonly string[]): void;
  /** The program would serve from here on. Never resolves. */
  serves(): Promise<never>;
}

/** What is told of an app. */
export interface RecordedApp {
  readonly info: Implementation;
  readonly registry: Registry;
  readonly schemas: SchemaCompiler;
  /** Makes other apps, of the same copy of the framework. */
  readonly createApp: (options: AnotherApp) => Promise<{ run(): Promise<unknown> }>;
}

interface AnotherApp extends Implementation {
  readonly definitions: readonly FunctionDefinition[];
}

/** A program may hold the framework in another form than the one that asks it. */
const RECORD: unique symbol = Symbol.for('sigil:build-record') as never;
const state = globalThis as { [RECORD]?: BuildRecord };

/** What the program is to tell of itself; `undefined` except while it is built. */
export function buildRecord(): BuildRecord | undefined {
  return state[RECORD];
}

const SNAPSHOT: unique symbol = Symbol.for('sigil:snapshot') as never;

/**
 * When a process starts from a snapshot of Node, where the program is being made into one. All that a snapshot is to hold has to be done
 * before, and what belongs to one process, such as services and secrets, is made after.
 */
export function snapshotStart(): Promise<void> | undefined {
  return (globalThis as { [SNAPSHOT]?: Promise<void> })[SNAPSHOT];
}

/** From now on, apps tell what they are made of, and serve nothing. */
export function setBuildRecord(record: BuildRecord): void {
  state[RECORD] = record;
}
