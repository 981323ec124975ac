import type { Constructor } from '../../protocol/constructor.js';
import { isObject } from '../../protocol/json.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import { type ClassModels, summaryOf } from '../dto/dto.js';
import type { Container, PropertyModel } from '../dto/property.js';
import type { BoundRule, Condition } from '../dto/bound-rule.js';
import { describeValue, joinPath } from '../messages/describe-value.js';
import { DtoFunctionError, InvalidValueError, type Issue, issueAt } from '../messages/issues.js';

/** Maximum number of reported issues. */
const MAX_ISSUES = 1000;

/** The location of a value: a step from a parent location. */
export interface InstanceLocation {
  readonly parent?: InstanceLocation | undefined;
  readonly step: string | number;
}

/** Creates the `RuleRunner` of each class once. */
export class RuleRunners {
  readonly #runners = { rest: new Map<Constructor, RuleRunner>(), whole: new Map<Constructor, RuleRunner>() };

  constructor(readonly models: ClassModels) {}

  /**
   * Returns the rule runner of a class.
   * @returns `undefined` if the schemas of the class and of all nested classes
   * express all rules.
   */
  of(cls: Constructor): RuleRunner | undefined {
    return summaryOf(cls, this.models).exact ? undefined : this.#runner(cls, false);
  }

  /** @param whole whether no schema checks the instance, so that all rules must run. */
  #runner(cls: Constructor, whole: boolean): RuleRunner {
    const runners = this.#runners[whole ? 'whole' : 'rest'];
    const known = runners.get(cls);
    if (known) return known;
    const runner = new RuleRunner();
    // Known before its properties are, because a class may hold itself.
    runners.set(cls, runner);
    runner.properties = this.models.of(cls).properties.flatMap((model) => {
      const unguarded = whole || model.open;
      const rules = unguarded ? model.rules : model.rules.filter(({ exact }) => !exact);
      const nested = this.#nested(model, unguarded);
      return unguarded || rules.length > 0 || nested
        ? [new PropertyRunner(model, rules, unguarded, nested)]
        : [];
    });
    return runner;
  }

  #nested({ nested }: PropertyModel, whole: boolean): Nested | undefined {
    if (!nested) return undefined;
    const runnerOf = (cls: Constructor): RuleRunner | undefined =>
      whole ? this.#runner(cls, true) : this.of(cls);
    const variants = new Map<unknown, RuleRunner | undefined>(
      (nested.variants?.classes ?? []).map(({ cls }) => [cls, runnerOf(cls)]),
    );
    const base = runnerOf(nested.cls);
    if (base === undefined && [...variants.values()].every((runner) => runner === undefined))
      return undefined;
    return (value) => (variants.size > 0 ? variants.get(value.constructor) : undefined) ?? base;
  }
}

/** Finds the runner for an instance in a property. */
type Nested = (value: object) => RuleRunner | undefined;

/** Checks the instances of a class with the rules that the schema of the class does not express. */
export class RuleRunner {
  properties: readonly PropertyRunner[] = [];

  /**
   * Runs the rules on an instance.
   * @param made the instance.
   * @param sent the JSON of the instance. For input, it is the received JSON; for output, it is the JSON to send.
   */
  run(made: unknown, sent: unknown, place: InstanceLocation | undefined, run: ValidationRun): void {
    if (typeof made !== 'object' || made === null) return;
    for (const property of this.properties) property.run(made, sent, place, run);
  }

  /**
   * Finds out which class-validator rules a received value violates, after the schema has refused the value. Does not
   * create an instance.
   */
  explain(sent: unknown, place: InstanceLocation | undefined, run: ValidationRun): void {
    if (!isObject(sent)) return;
    for (const property of this.properties) property.explain(sent, place, run);
  }
}

const COLLECTION: Readonly<Record<Container, string>> = {
  one: 'an array',
  array: 'an array',
  set: 'an array',
  map: 'an object',
};

/** Called for each element of a container. @param step the index of the element, or its key in a Map. */
type Visit = (element: unknown, sent: unknown, step: string | number) => void;

class PropertyRunner {
  constructor(
    readonly model: PropertyModel,
    readonly rules: readonly BoundRule[],
    /** Whether no schema checks the property. */
    readonly whole: boolean,
    readonly nested: Nested | undefined,
  ) {}

  run(object: object, sentObject: unknown, parent: InstanceLocation | undefined, run: ValidationRun): void {
    const { name, wire, conditions, container, initial } = this.model;
    const value = (object as Record<string, unknown>)[name];
    const isSent = isObject(sentObject) && Object.hasOwn(sentObject, wire);
    // A value made without a schema differs from the received one.
    const sent = this.whole || !isSent ? value : sentObject[wire];
    const place = { parent, step: wire };
    if (conditions.length > 0 && !run.holds(conditions, name, object, value, place)) return;
    const isDefault = !this.whole && !isSent && initial !== undefined;
    for (const rule of this.rules) {
      // The author chose the initial value: rules of class-validator are for values from clients.
      if (isDefault && !rule.authored) continue;
      if (rule.condition && !run.holds([rule.condition], name, object, value, place)) continue;
      if (!rule.each) {
        run.check(rule, value, sent, object, value, place);
        continue;
      }
      const isContainer = eachOf(value, sent, (element, one, step) =>
        run.check(rule, element, one, object, value, place, step),
      );
      if (!isContainer) run.refuse(place, COLLECTION[container], value);
    }
    if (this.nested) this.#visit(value, sent, place, run);
  }

  #visit(value: unknown, sent: unknown, place: InstanceLocation, run: ValidationRun): void {
    const visit = (element: unknown, sentElement: unknown, at: InstanceLocation): void => {
      if (typeof element === 'object' && element !== null && !Array.isArray(element))
        this.nested?.(element)?.run(element, sentElement, at, run);
      else if (this.whole) run.refuse(at, 'an object', element);
    };
    if (this.model.container === 'one') visit(value, sent, place);
    else if (!eachOf(value, sent, (element, one, step) => visit(element, one, { parent: place, step })))
      if (this.whole) run.refuse(place, COLLECTION[this.model.container], value);
  }

  explain(
    object: Readonly<Record<string, unknown>>,
    parent: InstanceLocation | undefined,
    run: ValidationRun,
  ): void {
    const { wire, container } = this.model;
    const whole = Object.hasOwn(object, wire) ? object[wire] : null;
    if (this.whole || whole === null) return;
    const place = { parent, step: wire };
    const held = container === 'map' && isObject(whole) ? new Map(Object.entries(whole)) : whole;
    for (const rule of this.rules) {
      if (rule.authored || rule.condition || rule.rule.made) continue;
      const explain = (sent: unknown, at: InstanceLocation): void => {
        const value = rule.rule.date ? this.model.form?.instantiator(sent) : sent;
        if (!rule.accepts(value)) run.fail(rule, value, sent, object, at);
      };
      if (!rule.each) explain(whole, place);
      else eachOf(held, held, (sent, _, step) => explain(sent, { parent: place, step }));
    }
    const within = (sent: unknown, at: InstanceLocation): void => {
      if (isObject(sent)) this.nested?.(sent)?.explain(sent, at, run);
    };
    if (container === 'one') within(whole, place);
    else eachOf(held, held, (sent, _, step) => within(sent, { parent: place, step }));
  }
}

/**
 * Calls a function for each element of a container, with the JSON of the element. @returns whether the value
 * is a container.
 */
function eachOf(value: unknown, sent: unknown, visit: Visit): boolean {
  if (value instanceof Map) {
    const members = isObject(sent) ? sent : {};
    for (const [key, member] of value) visit(member, members[String(key)] ?? member, String(key));
    return true;
  }
  if (!Array.isArray(value) && !(value instanceof Set)) return false;
  const list: readonly unknown[] = Array.isArray(sent) ? sent : [];
  let index = 0;
  for (const element of value as Iterable<unknown>) {
    visit(element, index < list.length ? list[index] : element, index);
    index += 1;
  }
  return true;
}

/** One run of the rules on an instance: collects violations, and pending results of asynchronous rules. */
export class ValidationRun {
  /** The violations so far. */
  readonly issues: Issue[] = [];
  /** The errors that functions of authors threw, with their paths. */
  readonly #thrown: { readonly path: string; readonly error: DtoFunctionError }[] = [];
  readonly #pending: Promise<void>[] = [];

  /**
   * Checks a property, or one of its elements, with a rule. If the value violates the rule, this method records the
   * violation.
   * @param sent the JSON of the value, for messages.
   * @param object the instance that contains the property.
   * @param whole the whole value of the property.
   * @param step the index or key of the element in the property's container; absent if the whole property is checked.
   */
  check(
    rule: BoundRule,
    value: unknown,
    sent: unknown,
    object: object,
    whole: unknown,
    place: InstanceLocation,
    step?: string | number,
  ): void {
    if (this.issues.length >= MAX_ISSUES) return;
    const at = (): InstanceLocation => (step === undefined ? place : { parent: place, step });
    let verdict: unknown;
    try {
      verdict = rule.validate(value, object, whole);
    } catch (error) {
      return this.#threw(rule, value, sent, object, at(), error);
    }
    if (verdict === true) return;
    if (!isThenable(verdict)) {
      if (!verdict) this.fail(rule, value, sent, object, at());
      return;
    }
    const decided = Promise.resolve(verdict).then(
      (accepted) => (accepted ? undefined : this.fail(rule, value, sent, object, at())),
      (error: unknown) => this.#threw(rule, value, sent, object, at(), error),
    );
    this.#pending.push(decided);
  }

  /** Whether all conditions of a property are true; false if a condition throws. */
  holds(
    conditions: readonly Condition[],
    name: string,
    object: object,
    value: unknown,
    place: InstanceLocation,
  ): boolean {
    try {
      return conditions.every((condition) => condition(object, value));
    } catch (cause) {
      const error = new DtoFunctionError(`${object.constructor.name}.${name}`, 'a condition', cause);
      this.#thrown.push({ path: pathTo(place), error });
      return false;
    }
  }

  /** Records that a value has the wrong type. This violation belongs to no rule. */
  refuse(place: InstanceLocation, expected: string, value: unknown): void {
    this.#add(place, expected, `expected ${expected}`, value);
  }

  /**
   * Waits for asynchronous rules, if there are any.
   * @throws DtoFunctionError if an author's function threw an error for a value, and no violation is recorded for this
   *   value or a part of it.
   * @throws InvalidValueError otherwise, if at least one violation is recorded.
   */
  settle(): MaybePromise<void> {
    if (this.#pending.length === 0) return this.#conclude();
    return Promise.all(this.#pending).then(() => this.#conclude());
  }

  /** Records that a value violates a rule. */
  fail(rule: BoundRule, value: unknown, sent: unknown, object: object, place: InstanceLocation): void {
    if (this.issues.length >= MAX_ISSUES) return;
    const expected = rule.explain(value, object);
    this.#add(place, expected, expected, sent);
  }

  #add(place: InstanceLocation, expected: string, wanted: string, value: unknown): void {
    if (this.issues.length >= MAX_ISSUES) return;
    const received = describeValue(value);
    this.issues.push(issueAt(pathTo(place), expected, received, `${wanted}; received ${received}`));
  }

  /** Handles an error of a rule. Rules of class-validator throw for some invalid values. */
  #threw(
    rule: BoundRule,
    value: unknown,
    sent: unknown,
    object: object,
    at: InstanceLocation,
    cause: unknown,
  ): void {
    if (!rule.authored) return this.fail(rule, value, sent, object, at);
    if (this.#thrown.length >= MAX_ISSUES) return;
    const place = `${rule.target}.${rule.metadata.propertyName}`;
    this.#thrown.push({ path: pathTo(at), error: new DtoFunctionError(place, 'a constraint', cause) });
  }

  #conclude(): void {
    // A constraint may rely on the rules beside it, and fail on values that they refuse.
    const unexplained = this.#thrown.find(({ path }) => !this.issues.some((issue) => isAt(issue.path, path)));
    if (unexplained) throw unexplained.error;
    if (this.issues.length > 0) throw new InvalidValueError(this.issues);
  }
}

function pathTo({ parent, step }: InstanceLocation): string {
  return joinPath(parent ? pathTo(parent) : '', String(step), typeof step === 'number');
}

/** Whether a path equals another path, or leads into it. */
function isAt(path: string, other: string): boolean {
  return path === other || (path.startsWith(other) && /^[.[]/.test(path.slice(other.length)));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
