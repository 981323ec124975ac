import type { DefinitionProblem } from '../errors/errors.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { ClassReader } from './describe/argument-schema.js';
import { ClassSchemas, type SchemaPair } from './describe/describe.js';
import type { ClassLibraries, ConstraintSource } from './dto/class-libraries.js';
import { loadClassLibraries } from './dto/load-libraries.js';
import { ClassModels, type ClassSummary, rulesAt, summaryOf } from './dto/dto.js';
import type { BoundRule } from './dto/bound-rule.js';
import { InstancePlans, transformFailure } from './instantiate/instantiate.js';
import type { Instantiator } from './dto/wire-form.js';
import type { PatternPool } from './patterns/patterns.js';
import type { Direction } from './json-schema/source.js';
import { type RuleRunner, RuleRunners } from './validate/rule-runner.js';

/** What an app knows of its DTO classes: each is read once for each direction. */
export class DtoClasses {
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
  open(
    direction: Direction,
    groups: readonly string[],
    where: string,
    problems: DefinitionProblem[],
  ): DtoDocument {
    return new DtoDocument(this.#libraries, this.#plansOf(direction, groups), where, problems);
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
    problems: DefinitionProblem[],
  ): boolean {
    return summaryOf(cls, this.#plansOf(direction, groups).instances.models, where, problems).mirrored;
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
  readonly rules: RuleRunners;
}

function classPlans(libraries: ClassLibraries, direction: Direction, groups: readonly string[]): ClassPlans {
  const models = new ClassModels(libraries, direction, groups);
  return { instances: new InstancePlans(models), rules: new RuleRunners(models) };
}

/** Loads class-validator and class-transformer, for one app; undefined when they are not installed. */
export async function loadDtoClasses(
  patterns: PatternPool,
  constraints: ConstraintSource,
): Promise<DtoClasses | undefined> {
  const libraries = await loadClassLibraries(patterns, constraints);
  return libraries && new DtoClasses(libraries);
}

/** What DTO classes offer to one document. */
export class DtoDocument implements ClassReader {
  readonly #schemas: ClassSchemas;

  constructor(
    readonly libraries: ClassLibraries,
    readonly plans: ClassPlans,
    readonly where: string,
    readonly problems: DefinitionProblem[],
  ) {
    this.#schemas = new ClassSchemas(plans.instances.models, where, problems);
  }

  /** The schema of a class as the root of the document. */
  root(cls: Constructor): SchemaPair {
    return this.#schemas.object(cls);
  }

  /**
   * A reference to the schema of a class.
   * @param name of what holds it.
   */
  reference(cls: Constructor, name: string): JsonSchema {
    return this.#schemas.reference(cls, name);
  }

  /** Adds the definitions that references met to the root of the document. */
  attach(root: SchemaPair): SchemaPair {
    return this.#schemas.definitions.attach(root);
  }

  /** What makes instances of a class from checked values. */
  instantiator(cls: Constructor): Instantiator {
    return this.plans.instances.of(cls, this.where, this.problems);
  }

  /** Runs on instances of a class the rules that its schema does not say; undefined when there are none. */
  rules(cls: Constructor): RuleRunner | undefined {
    return this.plans.rules.of(cls, this.where, this.problems);
  }

  /** The rules of class-validator about the value at a place in an instance, as it travels. */
  rulesAt(cls: Constructor, steps: readonly string[], value: unknown): readonly BoundRule[] {
    return rulesAt(cls, this.plans.instances.models, steps, value);
  }

  /** What holds for a class and every class inside it. */
  summary(cls: Constructor): ClassSummary {
    return summaryOf(cls, this.plans.instances.models, this.where, this.problems);
  }

  /**
   * Writes instances as class-transformer's decorators say.
   * @param cls the class of the value, or of its elements.
   */
  toPlain(cls: Constructor, value: unknown): unknown {
    try {
      return this.libraries.instanceToPlain(value);
    } catch (error) {
      throw transformFailure(cls, value, this.plans.instances.models, error);
    }
  }
}
