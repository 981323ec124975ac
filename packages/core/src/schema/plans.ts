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

/** The decisions about a value, made once, so that a request only runs them. */
export interface ValuePlan {
  /** The JSON Schema shown to clients: draft 2020-12, with no `$schema` unless it was written by hand. */
  readonly advertised: JsonSchema;

  /** Whether clients may repeat a part of the value in a header. If not, those headers are not read. */
  readonly mirrored: boolean;

  /** Loads and compiles the parts that `check` needs; `undefined` if that is done. */
  ready(): Promise<void> | undefined;

  /**
   * Checks a parsed JSON value. Synchronous once ready, unless a rule of the author is asynchronous.
   * @returns for input, the handler's value; for output, the value for `JSON.stringify`.
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
   * @param unknown the handling of undeclared properties; by default they are rejected. Hand-written schemas, and those
   *   of other libraries, decide that themselves.
   */
  input(
    source: SchemaSource,
    where: string,
    problems: DefinitionProblem[],
    unknown?: UnknownProperties,
  ): ValuePlan;

  /**
   * Plans values that handlers return: instances or plain values, checked as `JSON.stringify` would write them.
   * @param where the place for problem reports.
   * @param problems receives every mistake found; the plan returned then is harmless.
   */
  output(source: SchemaSource, where: string, problems: DefinitionProblem[]): ValuePlan;

  /** The constraint classes of authors that the DTO classes of all plans so far use. */
  readonly constraints: readonly Constructor[];

  /** Makes those. @throws whatever making one throws. */
  makeConstraints(): void;

  /**
   * Finds out how to run the patterns of all plans so far, and compiles the schemas written by hand that a validator may refuse. Adds the
   * patterns that nothing runs safely, and the schemas that do not compile, to the problems.
   */
  settle(problems: DefinitionProblem[]): Promise<void>;

  /** The verdicts on the patterns of all plans so far. */
  readonly patternVerdicts: readonly PatternVerdict[];

  /** Whether another engine than the native one runs one of them. */
  readonly needsPatternEngine: boolean;

  /** Compiles every validator now instead of at first use. @throws DefinitionError when one does not compile. */
  warm(): Promise<void>;
}

/** The common part of input and output: a schema, and a validator that is compiled at first use. */
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

  /** Checks a value once the validator is compiled. */
  protected abstract checkReady(value: unknown): MaybePromise<unknown>;
}

/** Validates values from clients, and makes the values that handlers receive. */
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

/** Validates return values of handlers, in their JSON form. */
export class OutputPlan extends ValidatorPlan {
  protected checkReady(value: unknown): MaybePromise<unknown> {
    const { rules, toPlain } = this.spec;
    const json = writable(toPlain ? toPlain(value) : value);
    ensure(this.validator, json, rules, this.spec.rulesAt);
    if (!rules) return json;
    const pendingRules = rules.check(this.#instances(value, json), json);
    return pendingRules ? pendingRules.then(() => json) : json;
  }

  /** Rules judge instances: those the handler returned, or else some made for them. */
  #instances(value: unknown, json: unknown): unknown {
    const { cls, instantiator } = this.spec;
    const isInstance = (one: unknown): boolean => cls !== undefined && one instanceof cls;
    const areInstances = Array.isArray(value) ? value.every(isInstance) : isInstance(value);
    return areInstances || !instantiator ? value : instantiator(json);
  }
}

/** The JSON form of a value. @throws InvalidValueError if it has none. */
export function writable(value: unknown): unknown {
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    const { path, why, message } = error;
    throw new InvalidValueError([{ path, expected: 'a value that JSON can carry', received: why, message }]);
  }
}

/** A plan that is made when something of it is first needed, so that many of them take no time at boot. */
export class DeferredPlan implements ValuePlan {
  readonly #made: () => ValuePlan;

  /** @param make is called once. */
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

/** For handlers without arguments. Needs no validator. */
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

/** For handlers without arguments that do not mind being given some. */
export const anyArguments: ValuePlan = {
  ...noArguments,
  advertised: { type: 'object', properties: {} },
  check: (value) => noArguments.check(isObject(value) ? {} : value),
};

/** Replaces a wrong schema, so that other mistakes are found as well. Accepts everything. */
export const anything: ValuePlan = {
  advertised: { type: 'object', properties: {} },
  mirrored: false,
  ready: () => undefined,
  check: (value) => value,
};

function unexpected(path: string, text: string): InvalidValueError {
  return new InvalidValueError([issueAt(path, 'no arguments', 'something else', text)]);
}
