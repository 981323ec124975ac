import { DefinitionError, type Problem } from '../errors/definition-error.js';
import type { UnknownProperties } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import {
  argumentsBlueprint,
  type Blueprint,
  classBlueprint,
  handWrittenBlueprint,
  type Workshop,
} from './blueprint.js';
import { advertise } from './advertise.js';
import { DeferredPlan, InputPlan, OutputPlan, type SchemaCompiler, type ValuePlan } from './plans.js';
import { ClassCache } from './class-cache.js';
import type { ClassKnowledge } from './class-knowledge.js';
import { ConstraintSource, type MakeConstraint } from './constraint-source.js';
import { anyArguments, anything, noArguments } from './fixed-plans.js';
import { namesOnPrototype } from './prototype-names.js';
import type { Direction, SchemaSource } from './source.js';
import { standardPlan } from './standard-plan.js';
import { lenientPlan, openBlueprint } from './unknown-properties.js';
import { Validator, ValidatorPool } from './validator.js';

/** What making a schema compiler takes. */
export interface SchemaCompilerOptions {
  /** Whether any source is, or holds, a DTO class: loads class-validator and class-transformer. */
  readonly classes: boolean;
  /**
   * Makes an instance of a constraint class of class-validator, so that it may have dependencies. Called once for each class.
   * @default class-validator's own container, which calls the constructor without arguments
   */
  readonly constraint?: MakeConstraint;
}

/** Makes the schema compiler of an app. */
export async function createSchemaCompiler(options: SchemaCompilerOptions): Promise<SchemaCompiler> {
  const pool = new ValidatorPool();
  const constraints = new ConstraintSource(options.constraint);
  if (!options.classes) return new Compiler(pool, constraints, undefined);
  // Not imported above: an app without DTO classes starts sooner for it.
  const { loadClassKnowledge } = await import('./class-knowledge.js');
  return new Compiler(pool, constraints, await loadClassKnowledge(pool.patterns, constraints));
}

type ClassSource = Extract<SchemaSource, { readonly kind: 'class' | 'array' }>;

class Compiler implements SchemaCompiler {
  readonly #constraints: ConstraintSource;
  readonly #knowledge: ClassKnowledge | undefined;
  readonly #pool: ValidatorPool;
  readonly #deferred = new Set<DeferredPlan>();
  readonly #done = {
    input: new ClassCache<ValuePlan>(),
    output: new ClassCache<ValuePlan>(),
    strip: new ClassCache<ValuePlan>(),
    keep: new ClassCache<ValuePlan>(),
  } as const;

  constructor(pool: ValidatorPool, constraints: ConstraintSource, knowledge: ClassKnowledge | undefined) {
    this.#pool = pool;
    this.#constraints = constraints;
    this.#knowledge = knowledge;
  }

  get constraints(): readonly Constructor[] {
    return this.#constraints.classes;
  }

  makeConstraints(): void {
    this.#constraints.makeAll();
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
    const plans = [...this.#deferred, ...this.#pool.cold];
    const results = await Promise.allSettled(plans.map(async (plan) => plan.ready()));
    const errors = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    const problems = errors.flatMap((error) => (error instanceof DefinitionError ? error.problems : []));
    if (problems.length > 0) throw new DefinitionError(problems);
    if (errors.length > 0) throw errors[0];
  }

  #plan(
    source: Exclude<SchemaSource, { readonly kind: 'none' }>,
    direction: Direction,
    where: string,
    problems: Problem[],
    unknown: UnknownProperties = 'reject',
  ): ValuePlan {
    if (source.kind === 'standard')
      return standardPlan(source.schema, direction, where, problems) ?? anything;
    if (source.kind === 'array') return this.#defer(source, direction, where, problems, unknown);
    if (source.kind === 'class') {
      const done = this.#done[unknown === 'reject' ? direction : unknown];
      // Most DTO classes serve several handlers.
      const plan = done.get(source) ?? this.#defer(source, direction, where, problems, unknown);
      done.set(source, plan);
      return plan;
    }
    const classes = this.#knowledge?.open(direction, [], where, problems);
    const workshop: Workshop = { direction, classes, where, problems };
    if (source.kind === 'schema') {
      const blueprint = handWrittenBlueprint(source.schema, workshop);
      return blueprint ? this.#build(blueprint, direction, where) : anything;
    }
    const blueprint = argumentsBlueprint(source.properties, workshop);
    return blueprint ? this.#planOf(blueprint, direction, where, unknown) : anything;
  }

  /** Finds every mistake in the classes, and leaves the rest until the plan is needed. */
  #defer(
    source: ClassSource,
    direction: Direction,
    where: string,
    problems: Problem[],
    unknown: UnknownProperties,
  ): ValuePlan {
    const { cls } = source;
    const groups = source.kind === 'class' ? (source.groups ?? []) : [];
    const knowledge = this.#knowledge;
    if (!knowledge) {
      problems.push(notLoaded(cls, where));
      return anything;
    }
    const mirrored = knowledge.check(cls, direction, groups, where, problems);
    const deferred = new DeferredPlan(mirrored, (plan) => {
      this.#deferred.delete(plan);
      const classes = knowledge.open(direction, groups, where, []);
      return this.#planOf(classBlueprint(cls, source.kind === 'array', classes), direction, where, unknown);
    });
    this.#deferred.add(deferred);
    return deferred;
  }

  #planOf(blueprint: Blueprint, direction: Direction, where: string, unknown: UnknownProperties): ValuePlan {
    if (unknown === 'reject') return this.#build(blueprint, direction, where);
    return lenientPlan(this.#build(openBlueprint(blueprint), direction, where), unknown);
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
    const advertised = { ...blueprint, shown: advertise(blueprint.shown, direction) };
    return direction === 'input'
      ? new InputPlan(advertised, validator)
      : new OutputPlan(advertised, validator);
  }
}

function notLoaded(cls: Constructor, where: string): Problem {
  return {
    code: 'SIGIL_INVALID_SCHEMA',
    where,
    what: `class ${cls.name} is used as a DTO, but class-validator is not loaded`,
    fix: `decorate the properties of ${cls.name} with class-validator, and install class-validator and class-transformer`,
  };
}
