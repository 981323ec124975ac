import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { UnknownProperties } from '../metadata/definitions.js';
import type { JsonSchema } from '../protocol/json.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { SchemaSource } from './source.js';

/** What is decided once about a value, so that a request only runs it. */
export interface ValuePlan {
  /** The JSON Schema shown to clients: draft 2020-12, with no `$schema` unless it was written by hand. */
  readonly advertised: JsonSchema;

  /** Whether clients may repeat a part of the value in a header; where they may not, nothing of that need be looked for. */
  readonly mirrored: boolean;

  /**
   * Turns strings into what the schema wants where nothing is lost: "42" into 42, "true" into true. For prompts
   * and resource variables, whose values all travel as strings. What does not convert is left for `check`.
   */
  convert(value: Record<string, unknown>): Record<string, unknown>;

  /** Loads and compiles what `check` needs; undefined when that has happened. */
  ready(): Promise<void> | undefined;

  /**
   * Checks a parsed JSON value. Synchronous once ready, unless a rule of the author is asynchronous.
   * @returns for input, what the handler receives; for output, the value ready for `JSON.stringify`.
   * @throws InvalidValueError (or rejects with it) when the value does not fit.
   * @throws DtoFunctionError (or rejects with it) when a constraint, condition or transform of a DTO class throws.
   */
  check(value: unknown): MaybePromise<unknown>;
}

/** Turns sources into plans. One per app. */
export interface SchemaCompiler {
  /**
   * Plans values that come from clients.
   * @param where the place for problem reports, such as `Inventory.checkInventory, parameter 0`.
   * @param problems receives every mistake found; the plan returned then is harmless.
   * @param unknown what becomes of properties nobody declared; they are rejected unless given. Schemas written by hand, and
   *   those of other libraries, decide that themselves.
   */
  input(source: SchemaSource, where: string, problems: Problem[], unknown?: UnknownProperties): ValuePlan;

  /**
   * Plans values that handlers return: instances or plain values, checked as `JSON.stringify` would write them.
   * @param where the place for problem reports.
   * @param problems receives every mistake found; the plan returned then is harmless.
   */
  output(source: SchemaSource, where: string, problems: Problem[]): ValuePlan;

  /** The constraint classes that the DTO classes of all plans so far use, and whose constructors need something. */
  readonly dependentConstraints: ReadonlySet<Constructor>;

  /** Finds out how to run the patterns of all plans so far, and adds those that nothing runs safely to the problems. */
  settlePatterns(problems: Problem[]): Promise<void>;

  /** Compiles every validator now instead of at first use. @throws DefinitionError when one does not compile. */
  warm(): Promise<void>;
}
