import { DefinitionError, type Problem } from '../errors/definition-error.js';
import {
  argumentsBlueprint,
  type Blueprint,
  classBlueprint,
  handWrittenBlueprint,
  type Workshop,
} from './blueprint.js';
import { InputPlan } from './input-plan.js';
import { ClassCache } from './class-cache.js';
import type { ClassKnowledge } from './class-knowledge.js';
import { anything, noArguments } from './fixed-plans.js';
import { OutputPlan } from './output-plan.js';
import { namesOnPrototype } from './prototype-names.js';
import type { Direction, SchemaSource } from './source.js';
import { Validator, ValidatorPool } from './validator.js';
import type { SchemaCompiler, ValuePlan } from './value-plan.js';

/**
 * Makes the schema compiler of an app.
 * @param options.classes whether any source is, or holds, a DTO class: loads class-validator and class-transformer.
 */
export async function createSchemaCompiler(options: { readonly classes: boolean }): Promise<SchemaCompiler> {
  if (!options.classes) return new Compiler(undefined);
  // Not imported above: an app without DTO classes starts sooner for it.
  const { loadClassKnowledge } = await import('./class-knowledge.js');
  return new Compiler(await loadClassKnowledge());
}

class Compiler implements SchemaCompiler {
  readonly #knowledge: ClassKnowledge | undefined;
  readonly #pool = new ValidatorPool();
  readonly #done = {
    input: new ClassCache<ValuePlan>(),
    output: new ClassCache<ValuePlan>(),
  } as const;

  constructor(knowledge: ClassKnowledge | undefined) {
    this.#knowledge = knowledge;
  }

  input(source: SchemaSource, where: string, problems: Problem[]): ValuePlan {
    if (source.kind === 'none') return noArguments;
    return this.#plan(source, 'input', where, problems);
  }

  output(source: SchemaSource, where: string, problems: Problem[]): ValuePlan {
    if (source.kind === 'none') return anything;
    return this.#plan(source, 'output', where, problems);
  }

  async warm(): Promise<void> {
    const results = await Promise.allSettled(
      [...this.#pool.cold].map(async (validator) => validator.ready()),
    );
    const errors = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    const problems = errors.flatMap((error) => (error instanceof DefinitionError ? error.problems : []));
    if (problems.length > 0) throw new DefinitionError(problems);
    if (errors.length > 0) throw errors[0];
  }

  #plan(source: SchemaSource, direction: Direction, where: string, problems: Problem[]): ValuePlan {
    const done = this.#done[direction];
    // Most DTO classes serve several handlers.
    const known = source.kind === 'class' ? done.get(source) : undefined;
    if (known) return known;
    const blueprint = this.#blueprint(source, direction, where, problems);
    const plan = blueprint ? this.#build(blueprint, direction, where) : anything;
    if (source.kind === 'class') done.set(source, plan);
    return plan;
  }

  #blueprint(
    source: SchemaSource,
    direction: Direction,
    where: string,
    problems: Problem[],
  ): Blueprint | undefined {
    const groups = source.kind === 'class' ? (source.groups ?? []) : [];
    const classes = this.#knowledge?.open(direction, groups, where, problems);
    const workshop: Workshop = { direction, classes, where, problems };
    switch (source.kind) {
      case 'class':
      case 'array':
        return classBlueprint(source.cls, source.kind === 'array', workshop);
      case 'properties':
        return argumentsBlueprint(source.properties, workshop);
      case 'schema':
        return handWrittenBlueprint(source.schema, workshop);
      case 'none':
        return undefined;
    }
  }

  #build(blueprint: Blueprint, direction: Direction, where: string): ValuePlan {
    const validator = new Validator(this.#pool, {
      schema: blueprint.enforced,
      dialect: blueprint.dialect,
      isolated: blueprint.isolated,
      // Instances have getters and methods that JSON does not write; they must not count as properties.
      ownProperties: direction === 'output' || namesOnPrototype(blueprint.shown),
      where,
    });
    return direction === 'input' ? new InputPlan(blueprint, validator) : new OutputPlan(blueprint, validator);
  }
}
