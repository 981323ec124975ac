import type { DefinitionProblem } from '../errors/errors.js';
import type { UnknownProperties } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import { isDeeper, isObject, type JsonSchema, MAX_DEPTH, toJson, UnwritableError } from '../protocol/json.js';
import { type MaybePromise, once } from '../protocol/maybe-promise.js';
import { boundsDepth } from './json-schema/depth.js';
import type { PatternVerdict } from './patterns/patterns.js';
import type { SchemaSource } from './json-schema/source.js';
import type { SchemaSpec } from './spec.js';
import { joinPath } from './messages/describe-value.js';
import { InvalidValueError, issueAt, tooDeep } from './messages/issues.js';
import { ensure, type Validator } from './validate/validate.js';

/**
 * Validates and converts values according to one schema source. Everything that does not depend on the value is
 * prepared once.
 */
export interface ValuePlan {
  /** The JSON Schema that clients get: draft 2020-12. Only hand-written schemas have `$schema`. */
  readonly advertised: JsonSchema;

  /**
   * Whether the schema can contain the keyword `x-mcp-header`, which asks clients to repeat a property in an HTTP
   * header. If `false`, the schema is not searched for this keyword.
   */
  readonly mirrored: boolean;

  /** Loads and compiles the parts that `check` needs. @returns `undefined` if the plan is already ready. */
  ready(): Promise<void> | undefined;

  /**
   * Validates a value and converts it. Returns a promise only if the plan is not ready yet, or if a rule of an author
   * is asynchronous.
   * @returns for input, the value for the handler; for output, the value for `JSON.stringify`.
   * @throws InvalidValueError (or rejects with it) if the value is invalid.
   * @throws DtoFunctionError (or rejects with it) if a constraint, condition or transform of a DTO class throws.
   */
  check(value: unknown): MaybePromise<unknown>;
}

/** Creates plans from sources of schemas. Each app has one compiler. */
export interface SchemaCompiler {
  /**
   * Creates the plan for values from clients.
   * @param where the place of the schema in the author's code, such as `Inventory.checkInventory, parameter 0`. Problem
   *   reports contain it.
   * @param problems a list that receives every problem of the source. If there is a problem, the returned plan must not
   *   be used.
   * @param unknown the handling of undeclared properties; by default, they are rejected. Hand-written schemas, and
   *   schemas of other libraries, define their own handling.
   */
  input(
    source: SchemaSource,
    where: string,
    problems: DefinitionProblem[],
    unknown?: UnknownProperties,
  ): ValuePlan;

  /**
   * Creates the plan for values that handlers return. The values are instances or plain values; the plan checks the
   * JSON that `JSON.stringify` would write.
   * @param where the place of the schema in the author's code. Problem reports contain it.
   * @param problems a list that receives every problem of the source. If there is a problem, the returned plan must not
   *   be used.
   */
  output(source: SchemaSource, where: string, problems: DefinitionProblem[]): ValuePlan;

  /** The custom constraint classes that the DTO classes of all existing plans use. */
  readonly constraints: readonly Constructor[];

  /** Creates an instance of each class in `constraints`. @throws the error that a constructor throws. */
  makeConstraints(): void;

  /**
   * Analyses the patterns of all existing plans, and compiles those hand-written schemas that only a compilation can
   * show to be valid. Adds unsafe patterns and invalid schemas to `problems`.
   */
  settle(problems: DefinitionProblem[]): Promise<void>;

  /** The results of the pattern analyses for all existing plans. */
  readonly patternVerdicts: readonly PatternVerdict[];

  /** Whether any pattern of an existing plan needs the linear-time engine. */
  readonly needsPatternEngine: boolean;

  /**
   * Compiles all validators now. Without this call, each validator is compiled at its first use.
   * @throws DefinitionError if a schema
   * does not compile.
   */
  warm(): Promise<void>;
}

/** The common part of input and output plans: a schema, and a validator that is compiled at first use. */
abstract class ValidatorPlan implements ValuePlan {
  readonly advertised: JsonSchema;
  readonly mirrored = true;

  constructor(
    protected readonly spec: SchemaSpec,
    protected readonly validator: Validator,
  ) {
    this.advertised = spec.shown;
  }

  ready(): Promise<void> | undefined {
    return this.validator.ready();
  }

  check(value: unknown): MaybePromise<unknown> {
    const pending = this.validator.ready();
    return pending ? pending.then(() => this.checkReady(value)) : this.checkReady(value);
  }

  /** Checks a value after the validator has been compiled. */
  protected abstract checkReady(value: unknown): MaybePromise<unknown>;
}

/** Validates values from clients, and converts them for handlers. */
export class InputPlan extends ValidatorPlan {
  readonly #measuresDepth: boolean;

  constructor(spec: SchemaSpec, validator: Validator) {
    super(spec, validator);
    this.#measuresDepth = !boundsDepth(spec.enforced);
  }

  protected checkReady(value: unknown): MaybePromise<unknown> {
    if (this.#measuresDepth && isDeeper(value, MAX_DEPTH)) throw new InvalidValueError([tooDeep()]);
    const { instantiator, rules } = this.spec;
    ensure(this.validator, value, rules, this.spec.rulesAt);
    const made = instantiator ? instantiator(value) : value;
    const pendingRules = rules?.check(made, value);
    return pendingRules ? pendingRules.then(() => made) : made;
  }
}

/** Validates the JSON form of values that handlers return. */
export class OutputPlan extends ValidatorPlan {
  protected checkReady(value: unknown): MaybePromise<unknown> {
    const { rules, toPlain } = this.spec;
    const json = writable(toPlain ? toPlain(value) : value);
    ensure(this.validator, json, rules, this.spec.rulesAt);
    if (!rules) return json;
    const pendingRules = rules.check(this.#instances(value, json), json);
    return pendingRules ? pendingRules.then(() => json) : json;
  }

  /** Returns the instances that rules check: the returned instances, or else new ones. */
  #instances(value: unknown, json: unknown): unknown {
    const { cls, instantiator } = this.spec;
    const isInstance = (one: unknown): boolean => cls !== undefined && one instanceof cls;
    const areInstances = Array.isArray(value) ? value.every(isInstance) : isInstance(value);
    return areInstances || !instantiator ? value : instantiator(json);
  }
}

/** Returns the JSON form of a value. @throws InvalidValueError if the value has no JSON form. */
export function writable(value: unknown): unknown {
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    const { path, why, message } = error;
    throw new InvalidValueError([{ path, expected: 'a value that JSON can carry', received: why, message }]);
  }
}

/** A plan that is created at first use, so that many plans do not slow down the start. */
export class DeferredPlan implements ValuePlan {
  readonly #made: () => ValuePlan;

  /** @param make a function that creates the plan; it is called once. */
  constructor(
    readonly mirrored: boolean,
    make: () => ValuePlan,
  ) {
    this.#made = once(make);
  }

  get advertised(): JsonSchema {
    return this.#made().advertised;
  }

  ready(): Promise<void> | undefined {
    return this.#made().ready();
  }

  check(value: unknown): MaybePromise<unknown> {
    return this.#made().check(value);
  }
}

/** The plan for handlers that declare no arguments. It refuses every received argument, and needs no validator. */
export const noArguments: ValuePlan = {
  advertised: { type: 'object', properties: {}, additionalProperties: false },
  mirrored: false,
  ready: () => undefined,
  check(value) {
    if (value === undefined) return {};
    if (!isObject(value)) throw unexpected('', 'expected an object without properties');
    const [name] = Object.keys(value);
    if (name !== undefined)
      throw unexpected(joinPath('', name, false), 'unknown property; no arguments are taken');
    return value;
  },
};

/** The plan for handlers that declare no arguments. Received arguments are accepted and ignored. */
export const anyArguments: ValuePlan = {
  ...noArguments,
  advertised: { type: 'object', properties: {} },
  check: (value) => noArguments.check(isObject(value) ? {} : value),
};

/**
 * A plan that accepts every value. It replaces the plan of an invalid schema, so that checks for further problems
 * can continue.
 */
export const anything: ValuePlan = {
  advertised: { type: 'object', properties: {} },
  mirrored: false,
  ready: () => undefined,
  check: (value) => value,
};

function unexpected(path: string, text: string): InvalidValueError {
  return new InvalidValueError([issueAt(path, 'no arguments', 'something else', text)]);
}
