import type { DefinitionProblem } from '../errors/errors.js';
import type { UnknownProperties } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { DtoClasses } from './classes.js';
import type { PlanRecorder } from './describe-plans.js';
import { ConstraintSource, type FindTransformer, type MakeConstraint } from './dto/class-libraries.js';
import { notInstalled } from './dto/load-libraries.js';
import { advertise, inlineReferences } from './json-schema/advertise.js';
import {
  anything,
  InputPlan,
  OutputPlan,
  PlanCompiler,
  type SchemaCompiler,
  type ValuePlan,
  type ValueSource,
} from './plans.js';
import type { Direction, SchemaSource } from './source.js';
import { argumentsSpec, type SchemaSpec, classSpec, handWrittenSpec, type SpecContext } from './spec.js';
import { standardPlan } from './standard-plan.js';
import { lenientPlan, openSpec } from './unknown-properties.js';
import { Validator, ValidatorPool } from './validate/validate.js';
import type { LoadValidatorCompiler } from './validate/compiled-schema.js';

/** What making a schema compiler takes. */
interface SchemaCompilerOptions {
  /** Whether any source is, or holds, a DTO class: loads class-validator and class-transformer, if they are installed. */
  readonly classes: boolean;
  /**
   * Makes an instance of a constraint class of class-validator, so that it may have dependencies. Called once for each class.
   * @default class-validator's own container, which calls the constructor without arguments
   */
  readonly constraint?: MakeConstraint;
  /** Finds class-transformer sooner than an import. */
  readonly findTransformer?: FindTransformer;
  /**
   * Loads what compiles schemas to validators.
   * @default what `#validator-compiler` is on the platform
   */
  readonly validators?: LoadValidatorCompiler;
  /** Takes note of the plans, while a program is built. */
  readonly recorder?: PlanRecorder;
}

/**
 * Makes the schema compiler of an app. From a source to a plan the way is, folder by folder:
 *
 * 1. `dto/` reads a class and its decorators into a model, and reports what is wrong with them.
 * 2. `describe/` writes the model as JSON Schema: one shown to clients, and one enforced, which is never stricter than class-validator.
 * 3. `validate/` checks a value by the enforced schema, says in words what is wrong with it, and runs on instances those rules
 *    of class-validator that the schema does not say. A class is exact when there are none.
 * 4. `instantiate/` makes of a value what handlers receive.
 *
 * `json-schema/` works on any schema, `patterns/` on any regular expression. `spec.ts` puts the parts together, `plans.ts` runs them.
 */
export async function createSchemaCompiler(options: SchemaCompilerOptions): Promise<SchemaCompiler> {
  const pool = new ValidatorPool(options.validators);
  const constraints = new ConstraintSource(options.constraint);
  const { recorder } = options;
  if (!options.classes) return new Compiler(pool, constraints, undefined, recorder);
  // Not imported above: an app without DTO classes starts sooner for it.
  const { loadDtoClasses } = await import('./classes.js');
  const classes = await loadDtoClasses(pool.patterns, constraints, options.findTransformer);
  if (recorder) recorder.classes = classes;
  return new Compiler(pool, constraints, classes, recorder);
}

type ClassSource = Extract<SchemaSource, { readonly kind: 'class' | 'array' }>;

class Compiler extends PlanCompiler {
  readonly #constraints: ConstraintSource;
  readonly #classes: DtoClasses | undefined;
  /** The plans of each class, by what else they depend on. */
  readonly #done = new Map<Constructor, Map<string, ValuePlan>>();
  readonly #recorder: PlanRecorder | undefined;

  constructor(
    pool: ValidatorPool,
    constraints: ConstraintSource,
    classes: DtoClasses | undefined,
    recorder: PlanRecorder | undefined,
  ) {
    super(pool);
    this.#recorder = recorder;
    this.#constraints = constraints;
    this.#classes = classes;
  }

  get constraints(): readonly Constructor[] {
    return this.#constraints.classes;
  }

  makeConstraints(): void {
    this.#constraints.makeAll();
  }

  protected plan(
    source: ValueSource,
    direction: Direction,
    where: string,
    problems: DefinitionProblem[],
    unknown: UnknownProperties,
  ): ValuePlan {
    const plan = this.#plan(source, direction, where, problems, unknown);
    this.#recorder?.planned({ source, direction, where, unknown, plan });
    return plan;
  }

  #plan(
    source: ValueSource,
    direction: Direction,
    where: string,
    problems: DefinitionProblem[],
    unknown: UnknownProperties,
  ): ValuePlan {
    if (source.kind === 'standard')
      return standardPlan(source.schema, direction, where, problems) ?? anything;
    if (source.kind === 'array') return this.#defer(source, direction, where, problems, unknown);
    if (source.kind === 'class') {
      // Most DTO classes serve several handlers.
      const done = this.#done.get(source.cls) ?? new Map<string, ValuePlan>();
      this.#done.set(source.cls, done);
      const key = JSON.stringify([direction, unknown, ...[...(source.groups ?? [])].sort()]);
      const plan = done.get(key) ?? this.#defer(source, direction, where, problems, unknown);
      done.set(key, plan);
      return plan;
    }
    const classes = this.#classes?.open(direction, [], where, problems);
    const context: SpecContext = { direction, classes, where, problems };
    if (source.kind === 'schema') {
      const spec = handWrittenSpec(source.schema, context);
      return spec ? this.#build(spec, direction, where) : anything;
    }
    const spec = argumentsSpec(source.properties, context);
    return spec ? this.#planOf(spec, direction, where, unknown) : anything;
  }

  /** Finds every mistake in the classes, and leaves the rest until the plan is needed. */
  #defer(
    source: ClassSource,
    direction: Direction,
    where: string,
    problems: DefinitionProblem[],
    unknown: UnknownProperties,
  ): ValuePlan {
    const { cls } = source;
    const groups = source.kind === 'class' ? (source.groups ?? []) : [];
    const classes = this.#classes;
    if (!classes) {
      problems.push(notInstalled(cls, where));
      return anything;
    }
    const mirrored = classes.check(cls, direction, groups, where, problems);
    return this.deferred(mirrored, () => {
      const document = classes.open(direction, groups, where, []);
      return this.#planOf(classSpec(cls, source.kind === 'array', document), direction, where, unknown);
    });
  }

  #planOf(spec: SchemaSpec, direction: Direction, where: string, unknown: UnknownProperties): ValuePlan {
    const open = unknown === 'reject' ? spec : openSpec(spec);
    const plan = this.#build({ ...open, shown: inlineReferences(open.shown) }, direction, where);
    return unknown === 'reject' ? plan : lenientPlan(plan, open.shown, unknown);
  }

  #build(spec: SchemaSpec, direction: Direction, where: string): ValuePlan {
    const options = {
      schema: spec.enforced,
      dialect: spec.dialect,
      isolated: spec.isolated,
      // Instances have getters and methods that JSON does not write; they must not count as properties.
      ownProperties: direction === 'output' || namesOnPrototype(spec.shown),
      where,
    };
    const validator = new Validator(this.pool, options);
    const advertised = { ...spec, shown: advertise(spec.shown, direction) };
    const plan =
      direction === 'input' ? new InputPlan(advertised, validator) : new OutputPlan(advertised, validator);
    this.#recorder?.made(plan, spec, options);
    return plan;
  }
}

const QUOTED: readonly string[] = Object.getOwnPropertyNames(Object.prototype).map((name) => `"${name}"`);

/**
 * Whether a schema mentions a name that every object inherits, such as `toString`: validators must then look at own
 * properties only, or a missing one seems to be there.
 */
function namesOnPrototype(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  return QUOTED.some((name) => text.includes(name));
}
