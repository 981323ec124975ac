import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import { type ClassLibraries, loadClassLibraries } from './class-libraries.js';
import { ClassModels } from './class-model.js';
import { judgeAll } from './class-rules.js';
import { ClassSchemas } from './class-schema.js';
import type { ClassSupport } from './class-support.js';
import type { SchemaPair } from './definitions.js';
import { InstancePlans } from './instance-plan.js';
import type { Maker } from './makers.js';
import type { PatternPool } from './patterns/pattern-pool.js';
import type { Direction } from './source.js';
import { type Survey, survey } from './survey.js';

/** What an app knows of its DTO classes: each is read once for each direction. */
export class ClassKnowledge {
  readonly #libraries: ClassLibraries;
  readonly #plans: Readonly<Record<Direction, InstancePlans>>;

  constructor(libraries: ClassLibraries) {
    this.#libraries = libraries;
    this.#plans = {
      input: new InstancePlans(new ClassModels(libraries, 'input')),
      output: new InstancePlans(new ClassModels(libraries, 'output')),
    };
  }

  /** Opens a document. @param where the place for problem reports. */
  open(direction: Direction, where: string, problems: Problem[]): ClassSupport {
    return new ClassDocument(this.#libraries, this.#plans[direction], where, problems);
  }
}

/** Loads class-validator and class-transformer. @param patterns those of the app. */
export async function loadClassKnowledge(patterns: PatternPool): Promise<ClassKnowledge> {
  return new ClassKnowledge(await loadClassLibraries(patterns));
}

class ClassDocument implements ClassSupport {
  readonly #schemas: ClassSchemas;

  constructor(
    readonly libraries: ClassLibraries,
    readonly plans: InstancePlans,
    readonly where: string,
    readonly problems: Problem[],
  ) {
    this.#schemas = new ClassSchemas(plans.models, where, problems);
  }

  root(cls: Constructor): SchemaPair {
    return this.#schemas.object(cls);
  }

  reference(cls: Constructor): JsonSchema {
    return this.#schemas.nested({ cls });
  }

  attach(root: SchemaPair): SchemaPair {
    return this.#schemas.definitions.attach(root);
  }

  maker(cls: Constructor): Maker {
    return this.plans.of(cls, this.where, this.problems);
  }

  survey(cls: Constructor): Survey {
    return survey(cls, this.plans.models, this.where, this.problems);
  }

  judge(made: unknown, path: string): Promise<unknown> {
    return judgeAll(this.libraries, made, path);
  }

  toPlain(value: unknown): unknown {
    return this.libraries.instanceToPlain(value);
  }
}
