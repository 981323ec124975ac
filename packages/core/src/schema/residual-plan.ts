import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { ClassModels } from './class-model.js';
import type { PropertyModel } from './property-model.js';
import { ClassResidual, type Nested, PropertyResidual, type Residual } from './residual.js';
import { survey } from './survey.js';

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
