import type { Diagnostics } from '../errors/errors.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import { type ArgumentPlan, planArgument } from './describe/argument-schema.js';
import type { DtoDocument } from './describe/describe.js';
import type { Instantiator } from './dto/wire-form.js';
import { listInstantiator, objectInstantiator, toPlain } from './instantiate/instantiate.js';
import { type HandWritten, readHandWritten, readKeywords } from './json-schema/hand-written.js';
import { pointerSteps } from './json-schema/json-schema.js';
import type { Direction, PropertyDeclaration } from './json-schema/source.js';
import type { FindRules } from './messages/messages.js';
import type { BoundRule } from './dto/bound-rule.js';
import { type ClassModels, memberOf, rulesAt, summaryOf } from './dto/dto.js';
import type { Issue } from './messages/issues.js';
import { type InstanceLocation, type RuleRunner, ValidationRun } from './validate/rule-runner.js';

/** The rules of a value that its schema does not express. */
interface ValueRules {
  /**
   * Runs the rules.
   * @param made the instance that was created from a value.
   * @param sent the JSON form of the value.
   * @throws InvalidValueError or DtoFunctionError (or rejects).
   */
  check(made: unknown, sent: unknown): MaybePromise<void>;

  /**
   * Returns the violations of class-validator's rules in a value that the schema refuses, so that the client
   * gets all problems at once.
   */
  explain(sent: unknown): readonly Issue[];
}

/** Everything that a plan needs to check values. It has the same form for every kind of schema source. */
export interface SchemaSpec {
  readonly shown: JsonSchema;
  readonly enforced: JsonSchema;
  /** Facts about a hand-written schema; `undefined` for a generated one. */
  readonly written?: HandWritten | undefined;
  /** Converts the JSON value for the handler; `undefined` if no conversion is needed. */
  readonly instantiator?: Instantiator | undefined;
  /** The rules that run on instances; `undefined` if the schema expresses all rules. */
  readonly rules?: ValueRules | undefined;
  /** Finds the class-validator rules for a part of a value, because error messages use the words of these rules. */
  readonly rulesAt?: FindRules | undefined;
  /** Serialises instances; `undefined` if no class-transformer decorator changes the result. */
  readonly toPlain?: ((value: unknown) => unknown) | undefined;
  readonly cls?: Constructor;
}

/** The inputs for creating a spec. */
export interface SpecContext {
  readonly direction: Direction;
  readonly document: DtoDocument | undefined;
  /** Receives the problems of the source. */
  readonly at: Diagnostics;
}

/** Returns the spec for an instance of a class, or for an array of instances. */
export function classSpec(cls: Constructor, list: boolean, document: DtoDocument): SchemaSpec {
  const { models, schemas } = document;
  const one = document.instances.of(cls);
  const rules = document.rules.of(cls);
  const rest: Omit<SchemaSpec, 'shown' | 'enforced' | 'instantiator'> = {
    cls,
    rules: rules && valueRules([[undefined, rules]]),
    rulesAt: (pointer, value) => rulesWithin(cls, pointerSteps(pointer), value, models),
    toPlain: summaryOf(cls, models).transformed
      ? (value: unknown): unknown => toPlain(cls, value, models)
      : undefined,
  };
  if (!list) return { ...schemas.attach(schemas.object(cls)), ...rest, instantiator: one };
  const array = { type: 'array', items: schemas.reference(cls, 'item') };
  return {
    ...schemas.attach({ shown: array, enforced: array }),
    ...rest,
    instantiator: listInstantiator(one),
  };
}

/** Returns the spec for an object whose properties are the arguments. */
export function argumentsSpec(
  declared: readonly PropertyDeclaration[],
  { direction, document, at }: SpecContext,
): SchemaSpec | undefined {
  const before = at.problems.length;
  for (const { name } of declared)
    if (name === '__proto__')
      at.add(
        'SIGIL_INVALID_SCHEMA',
        `an argument is named "${name}", which JavaScript reserves`,
        'choose another name for the argument',
      );
  const keywords = declared.flatMap(({ name, keywords }) => (keywords ? [[name, keywords] as const] : []));
  const written = readKeywords(keywords, at);
  const plans = declared.map((one) => planArgument(one, document, at));
  const complete = plans.filter((plan): plan is ArgumentPlan => plan !== undefined);
  if (at.problems.length > before) return undefined;
  const isInput = direction === 'input';
  const required = declared
    .filter((one) => one.required && !(isInput && one.keywords?.['default'] !== undefined))
    .map(({ name }) => name);
  const rest = {
    ...(required.length > 0 && { required }),
    ...(isInput && { additionalProperties: false }),
  };
  const object = (side: 'shown' | 'enforced'): JsonSchema => {
    const properties = Object.fromEntries(complete.map(({ schemas, field }) => [field.name, schemas[side]]));
    return { type: 'object', properties, ...rest };
  };
  const pair = { shown: object('shown'), enforced: object('enforced') };
  const runners = complete.flatMap(({ cls, field }) => {
    const rules = cls && document?.rules.of(cls);
    return rules ? [[field.name, rules] as const] : [];
  });
  const rulesOf: FindRules = (pointer, value) => {
    const [name, ...steps] = pointerSteps(pointer);
    const cls = complete.find(({ field }) => field.name === name)?.cls;
    return cls && document ? rulesWithin(cls, steps, memberOf(value, name), document.models) : [];
  };
  return {
    ...(document ? document.schemas.attach(pair) : pair),
    written,
    rulesAt: rulesOf,
    instantiator: objectInstantiator(complete.map(({ field }) => field)),
    rules: runners.length > 0 ? valueRules(runners) : undefined,
  };
}

/** Returns the spec of a hand-written schema. */
export function handWrittenSpec(schema: JsonSchema, { direction, at }: SpecContext): SchemaSpec | undefined {
  const written = readHandWritten(schema, direction === 'input', at);
  return written && { shown: schema, enforced: schema, written };
}

/** Returns the rules for a place in an instance of a class, or in an array of instances. */
function rulesWithin(
  cls: Constructor,
  steps: readonly string[],
  value: unknown,
  models: ClassModels,
): readonly BoundRule[] {
  if (!Array.isArray(value)) return rulesAt(cls, models, steps, value);
  const [index, ...within] = steps;
  return rulesAt(cls, models, within, memberOf(value, index));
}

/** @param runners the rules for the value (without a name), and for its properties. */
function valueRules(
  runners: readonly (readonly [name: string | undefined, runner: RuleRunner])[],
): ValueRules {
  const each = (
    made: unknown,
    sent: unknown,
    visit: (runner: RuleRunner, made: unknown, sent: unknown, place: InstanceLocation | undefined) => void,
  ): void => {
    for (const [name, runner] of runners) {
      const value = memberOf(made, name);
      const given = memberOf(sent, name);
      const place = name === undefined ? undefined : { step: name };
      if (!Array.isArray(value)) visit(runner, value, given, place);
      else value.forEach((one, step) => visit(runner, one, memberOf(given, step), { parent: place, step }));
    }
  };
  return {
    check(made, sent) {
      const run = new ValidationRun();
      each(made, sent, (runner, one, given, place) => runner.run(one, given, place, run));
      return run.settle();
    },
    explain(sent) {
      const run = new ValidationRun();
      each(sent, sent, (runner, one, _, place) => runner.explain(one, place, run));
      return run.issues;
    },
  };
}
