import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import { type ClassLibraries, loadClassLibraries } from './class-libraries.js';
import { ClassModels } from './class-model.js';
import { ClassSchemas } from './class-schema.js';
import type { ClassSupport } from './class-support.js';
import type { SchemaPair } from './definitions.js';
import { transformFailure } from './failing-transform.js';
import type { ConstraintSource } from './constraint-source.js';
import { InstancePlans } from './instance-plan.js';
import { isPlainClass } from './is-plain-class.js';
import type { Maker } from './makers.js';
import type { PatternPool } from './patterns/pattern-pool.js';
import type { Residual } from './residual.js';
import { ResidualPlans } from './residual-plan.js';
import type { Direction } from './source.js';
import { survey, type Survey } from './survey.js';

/** What an app knows of its DTO classes: each is read once for each direction. */
export class ClassKnowledge {
  readonly #libraries: ClassLibraries;
  readonly #plans = new Map<string, ClassPlans>();

  constructor(libraries: ClassLibraries) {
    this.#libraries = libraries;
  }

  /**
   * Opens a document.
   * @param groups the groups of class-validator whose rules apply, besides those of no group; all rules when empty.
   * @param where the place for problem reports.
   */
  open(direction: Direction, groups: readonly string[], where: string, problems: Problem[]): ClassSupport {
    return new ClassDocument(this.#libraries, this.#plansOf(direction, groups), where, problems);
  }

  /**
   * Finds every mistake in a class, and in every class inside it.
   * @returns whether clients repeat anything of it in headers.
   */
  check(
    cls: Constructor,
    direction: Direction,
    groups: readonly string[],
    where: string,
    problems: Problem[],
  ): boolean {
    if (isPlainClass(cls, this.#libraries)) return false;
    return survey(cls, this.#plansOf(direction, groups).instances.models, where, problems).mirrored;
  }

  #plansOf(direction: Direction, groups: readonly string[]): ClassPlans {
    const key = groups.length === 0 ? direction : JSON.stringify([direction, ...groups]);
    const plans = this.#plans.get(key) ?? classPlans(this.#libraries, direction, groups);
    this.#plans.set(key, plans);
    return plans;
  }
}

interface ClassPlans {
  readonly instances: InstancePlans;
  readonly residuals: ResidualPlans;
}

function classPlans(libraries: ClassLibraries, direction: Direction, groups: readonly string[]): ClassPlans {
  const models = new ClassModels(libraries, direction, groups);
  return { instances: new InstancePlans(models), residuals: new ResidualPlans(models) };
}

/** Loads class-validator and class-transformer, for one app. */
export async function loadClassKnowledge(
  patterns: PatternPool,
  constraints: ConstraintSource,
): Promise<ClassKnowledge> {
  return new ClassKnowledge(await loadClassLibraries(patterns, constraints));
}

class ClassDocument implements ClassSupport {
  readonly #schemas: ClassSchemas;

  constructor(
    readonly libraries: ClassLibraries,
    readonly plans: ClassPlans,
    readonly where: string,
    readonly problems: Problem[],
  ) {
    this.#schemas = new ClassSchemas(plans.instances.models, where, problems);
  }

  root(cls: Constructor): SchemaPair {
    return this.#schemas.object(cls);
  }

  reference(cls: Constructor): JsonSchema {
    return this.#schemas.reference(cls);
  }

  attach(root: SchemaPair): SchemaPair {
    return this.#schemas.definitions.attach(root);
  }

  maker(cls: Constructor): Maker {
    return this.plans.instances.of(cls, this.where, this.problems);
  }

  residual(cls: Constructor): Residual | undefined {
    return this.plans.residuals.of(cls, this.where, this.problems);
  }

  survey(cls: Constructor): Survey {
    return survey(cls, this.plans.instances.models, this.where, this.problems);
  }

  toPlain(cls: Constructor, value: unknown): unknown {
    try {
      return this.libraries.instanceToPlain(value);
    } catch (error) {
      throw transformFailure(cls, value, this.plans.instances.models, error);
    }
  }
}
