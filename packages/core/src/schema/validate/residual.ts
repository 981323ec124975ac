import type { Problem } from '../../errors/definition-error.js';
import type { Constructor } from '../../protocol/constructor.js';
import type { BoundRule } from '../dto/bound-rule.js';
import { type ClassModels, survey } from '../dto/dto.js';
import type { Container, PropertyModel } from '../dto/property.js';
import { joinPath } from './describe-value.js';
import type { Trial } from './trial.js';

/** Runs on a made value what its schema does not settle: rules of the author's own, conditional and asynchronous ones. */
export interface Residual {
  /** @param path where the value is. */
  run(made: unknown, path: string, trial: Trial): void;
}

/** Finds the plan for an instance of a property. */
type Nested = (value: object) => Residual | undefined;

/** What is left to run on an instance of a class. */
class ClassResidual implements Residual {
  properties: readonly PropertyResidual[] = [];

  run(made: unknown, path: string, trial: Trial): void {
    if (typeof made !== 'object' || made === null) return;
    for (const property of this.properties) property.run(made, path, trial);
  }
}

/** What is left to run on one property of an instance. */
class PropertyResidual {
  readonly #path: string;
  readonly #step: string;

  constructor(
    readonly model: PropertyModel,
    readonly rules: readonly BoundRule[],
    /** Whether no schema guards the property. */
    readonly whole: boolean,
    readonly nested: Nested | undefined,
  ) {
    this.#path = joinPath('', model.wire, false);
    this.#step = joinPath('$', model.wire, false).slice(1);
  }

  run(object: object, parent: string, trial: Trial): void {
    const { name, conditions } = this.model;
    const value = (object as Record<string, unknown>)[name];
    const path = parent === '' ? this.#path : parent + this.#step;
    if (!trial.holds(conditions, { name, path, object, value })) return;
    for (const rule of this.rules) this.#judge(rule, value, object, path, trial);
    this.#visit(value, path, trial);
  }

  #judge(
    { check, each, condition }: BoundRule,
    value: unknown,
    object: object,
    path: string,
    trial: Trial,
  ): void {
    const { name } = this.model;
    if (condition && !trial.holds([condition], { name, path, object, value })) return;
    if (!each) {
      trial.run(check, { path, value, object, whole: value });
      return;
    }
    const elements = elementsOf(value, path);
    if (!elements) trial.refuse(path, COLLECTION[this.model.container], value);
    for (const [at, element] of elements ?? [])
      trial.run(check, { path: at, value: element, object, whole: value });
  }

  #visit(value: unknown, path: string, trial: Trial): void {
    if (!this.nested) return;
    const isMany = this.model.container !== 'one';
    const elements = isMany ? elementsOf(value, path) : [[path, value] as const];
    if (!elements && this.whole) trial.refuse(path, COLLECTION[this.model.container], value);
    for (const [at, element] of elements ?? []) {
      if (typeof element === 'object' && element !== null && !Array.isArray(element))
        this.nested(element)?.run(element, at, trial);
      else if (this.whole) trial.refuse(at, 'an object', element);
    }
  }
}

const COLLECTION: Readonly<Record<Container, string>> = {
  one: 'an array',
  array: 'an array',
  set: 'an array',
  map: 'an object',
};

/** The elements of a container with their paths; undefined when it is none. */
function elementsOf(value: unknown, path: string): readonly (readonly [string, unknown])[] | undefined {
  if (value instanceof Map)
    return [...value].map(([key, member]) => [joinPath(path, String(key), false), member as unknown]);
  const list = value instanceof Set ? [...value] : value;
  if (!Array.isArray(list)) return undefined;
  return list.map((element: unknown, index) => [joinPath(path, String(index), true), element]);
}

/** Plans what is left to run on the instances of classes, each class once. */
export class ResidualPlans {
  readonly #plans = {
    rest: new Map<Constructor, Residual>(),
    whole: new Map<Constructor, Residual>(),
  } as const;

  constructor(readonly models: ClassModels) {}

  /**
   * @param where the place for problem reports.
   * @returns undefined when the schema of the class, and of each class inside it, says everything.
   */
  of(cls: Constructor, where: string, problems: Problem[]): Residual | undefined {
    return survey(cls, this.models, where, problems).settled
      ? undefined
      : this.#plan(cls, false, where, problems);
  }

  /** @param whole whether no schema guards the instance, so that every rule has to run. */
  #plan(cls: Constructor, whole: boolean, where: string, problems: Problem[]): Residual {
    const plans = this.#plans[whole ? 'whole' : 'rest'];
    const known = plans.get(cls);
    if (known) return known;
    const plan = new ClassResidual();
    // Known before its properties are, because a class may hold itself.
    plans.set(cls, plan);
    const model = this.models.of(cls, where, problems);
    plan.properties = model.properties
      .map((property) => this.#property(property, whole || property.open, where, problems))
      .filter(({ rules, nested, whole: guarded }) => guarded || rules.length > 0 || nested !== undefined);
    return plan;
  }

  #property(model: PropertyModel, whole: boolean, where: string, problems: Problem[]): PropertyResidual {
    const rules = whole ? model.rules : model.rules.filter(({ settledBy }) => settledBy === 'instance');
    return new PropertyResidual(model, rules, whole, this.#nested(model, whole, where, problems));
  }

  #nested(model: PropertyModel, whole: boolean, where: string, problems: Problem[]): Nested | undefined {
    if (!model.nested) return undefined;
    const { cls, variants } = model.nested;
    const planOf = (one: Constructor): Residual | undefined =>
      whole ? this.#plan(one, true, where, problems) : this.of(one, where, problems);
    const plans = new Map<unknown, Residual | undefined>(
      (variants?.classes ?? []).map((variant) => [variant.cls, planOf(variant.cls)]),
    );
    const base = planOf(cls);
    if (base === undefined && [...plans.values()].every((plan) => plan === undefined)) return undefined;
    return (value) => (plans.size > 0 ? plans.get(value.constructor) : undefined) ?? base;
  }
}
