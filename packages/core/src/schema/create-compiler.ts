import { DefinitionError, type Problem } from '../errors/definition-error.js';
import type { UnknownProperties } from '../metadata/definitions.js';
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
import { anyArguments, anything, noArguments } from './fixed-plans.js';
import { OutputPlan } from './output-plan.js';
import { namesOnPrototype } from './prototype-names.js';
import type { Direction, SchemaSource } from './source.js';
import { standardPlan } from './standard-plan.js';
import { lenientPlan, openBlueprint } from './unknown-properties.js';
import { Validator, ValidatorPool } from './validator.js';
import type { SchemaCompiler, ValuePlan } from './value-plan.js';

/**
 * Makes the schema compiler of an app.
 * @param options.classes whether any source is, or holds, a DTO class: loads class-validator and class-transformer.
 */
export async function createSchemaCompiler(options: { readonly classes: boolean }): Promise<SchemaCompiler> {
  const pool = new ValidatorPool();
  if (!options.classes) return new Compiler(pool, undefined);
  // Not imported above: an app without DTO classes starts sooner for it.
  const { loadClassKnowledge } = await import('./class-knowledge.js');
  return new Compiler(pool, await loadClassKnowledge(pool.patterns));
}

class Compiler implements SchemaCompiler {
  readonly #knowledge: ClassKnowledge | undefined;
  readonly #pool: ValidatorPool;
  readonly #done = {
    input: new ClassCache<ValuePlan>(),
    output: new ClassCache<ValuePlan>(),
    strip: new ClassCache<ValuePlan>(),
    keep: new ClassCache<ValuePlan>(),
  } as const;

  constructor(pool: ValidatorPool, knowledge: ClassKnowledge | undefined) {
    this.#pool = pool;
    this.#knowledge = knowledge;
  }

  input(
    source: SchemaSource,
    where: string,
    problems: Problem[],
    unknown: UnknownProperties = 'reject',
  ): ValuePlan {
    if (source.kind === 'none') return unknown === 'reject' ? noArguments : anyArguments;
    return this.#plan(source, 'input', where, problems, unknown);
  }

  output(source: SchemaSource, where: string, problems: Problem[]): ValuePlan {
    if (source.kind === 'none') return anything;
    return this.#plan(source, 'output', where, problems);
  }

  async settlePatterns(problems: Problem[]): Promise<void> {
    problems.push(...(await this.#pool.patterns.settle()));
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

  #plan(
    source: SchemaSource,
    direction: Direction,
    where: string,
    problems: Problem[],
    unknown: UnknownProperties = 'reject',
  ): ValuePlan {
    if (source.kind === 'standard')
      return standardPlan(source.schema, direction, where, problems) ?? anything;
    const done = this.#done[unknown === 'reject' ? direction : unknown];
    // Most DTO classes serve several handlers.
    const known = source.kind === 'class' ? done.get(source) : undefined;
    if (known) return known;
    const blueprint = this.#blueprint(source, direction, where, problems);
    const plan = blueprint ? this.#planOf(source, blueprint, direction, where, unknown) : anything;
    if (source.kind === 'class') done.set(source, plan);
    return plan;
  }

  #planOf(
    source: SchemaSource,
    blueprint: Blueprint,
    direction: Direction,
    where: string,
    unknown: UnknownProperties,
  ): ValuePlan {
    if (unknown === 'reject' || source.kind === 'schema') return this.#build(blueprint, direction, where);
    return lenientPlan(this.#build(openBlueprint(blueprint), direction, where), unknown);
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
      case 'standard':
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
