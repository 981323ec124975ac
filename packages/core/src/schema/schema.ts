import { DefinitionError, type DefinitionProblem, Diagnostics } from '../errors/errors.js';
import type { UnknownProperties } from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { DtoClasses } from './classes.js';
import { ConstraintSource, type MakeConstraint } from './dto/class-libraries.js';
import { summaryOf } from './dto/dto.js';
import { reportNotInstalled } from './dto/load-libraries.js';
import { advertise, inlineReferences } from './json-schema/advertise.js';
import type { Direction, SchemaSource } from './json-schema/source.js';
import type { PatternVerdict } from './patterns/patterns.js';
import {
  anyArguments,
  anything,
  DeferredPlan,
  InputPlan,
  noArguments,
  OutputPlan,
  type SchemaCompiler,
  type ValuePlan,
} from './plans.js';
import { argumentsSpec, type SchemaSpec, classSpec, handWrittenSpec, type SpecContext } from './spec.js';
import { standardPlan } from './standard-plan.js';
import { lenientPlan, openSpec } from './unknown-properties.js';
import { Validator, ValidatorPool } from './validate/validate.js';
import type { LoadValidatorCompiler } from './validate/compiled-schema.js';

/** The inputs of a schema compiler. */
interface SchemaCompilerOptions {
  /**
   * Whether any source is or contains a DTO class. If so, class-validator and class-transformer are loaded,
   * if they are installed.
   */
  readonly classes: boolean;
  /**
   * Creates an instance of a class-validator constraint class, so that the class may have dependencies.
   * Called once for each class.
   * @default class-validator's own container, which calls the constructor without arguments
   */
  readonly constraint?: MakeConstraint;
  /**
   * Loads the compiler of validators.
   * @default `#validator-compiler` of the platform
   */
  readonly validators?: LoadValidatorCompiler;
}

/**
 * Creates the schema compiler of an app. The compiler turns a source, such as a DTO class, into a plan that checks
 * values. Its code is divided into the following folders. Each folder imports only from folders before it in the list:
 *
 * 1. `json-schema/` handles schemas of any origin, and contains Sigil's own keywords.
 * 2. `messages/` describes violations of a schema in words.
 * 3. `patterns/` runs regular expressions without excessive backtracking.
 * 4. `rules/` maps each class-validator decorator to keywords.
 * 5. `dto/` reads a class and its decorators into a model, and reports problems.
 * 6. `validate/` checks a value with a schema. It then checks the created instances with the class-validator rules that
 *   the schema does not express. A class without such rules is called exact.
 * 7. `instantiate/` creates the values for handlers.
 * 8. `describe/` writes the model as JSON Schema: one schema for clients, and one to enforce. The enforced
 *   schema is never stricter than class-validator.
 *
 * `classes.ts` and `spec.ts` combine these parts, and `plans.ts` runs them.
 */
export async function createSchemaCompiler(options: SchemaCompilerOptions): Promise<SchemaCompiler> {
  const pool = new ValidatorPool(options.validators);
  const constraints = new ConstraintSource(options.constraint);
  if (!options.classes) return new Compiler(pool, constraints, undefined);
  // Not imported above: an app without DTO classes starts sooner for it.
  const { loadDtoClasses } = await import('./classes.js');
  return new Compiler(pool, constraints, await loadDtoClasses(pool.patterns, constraints));
}

/** How a plan is used. */
interface PlanUse {
  readonly direction: Direction;
  /** How undeclared properties are handled. */
  readonly unknown: UnknownProperties;
  /** Receives the problems of the source. */
  readonly at: Diagnostics;
}

type ClassSource = Extract<SchemaSource, { readonly kind: 'class' | 'array' }>;

class Compiler implements SchemaCompiler {
  /** The plans of each class, by the other inputs. */
  readonly #done = new Map<Constructor, Map<string, ValuePlan>>();
  /** The plans that are created at first use. */
  readonly #deferred = new Set<ValuePlan>();
  /** The remaining checks of hand-written schemas: whether they are valid, and whether they compile. */
  readonly #doubts = new Set<() => Promise<void> | undefined>();

  constructor(
    private readonly pool: ValidatorPool,
    private readonly source: ConstraintSource,
    private readonly classes: DtoClasses | undefined,
  ) {}

  get constraints(): readonly Constructor[] {
    return this.source.classes;
  }

  makeConstraints(): void {
    this.source.makeAll();
  }

  input(
    source: SchemaSource,
    where: string,
    problems: DefinitionProblem[],
    unknown: UnknownProperties = 'reject',
  ): ValuePlan {
    if (source.kind === 'none') return unknown === 'reject' ? noArguments : anyArguments;
    return this.#plan(source, { direction: 'input', unknown, at: new Diagnostics(where, problems) });
  }

  output(source: SchemaSource, where: string, problems: DefinitionProblem[]): ValuePlan {
    if (source.kind === 'none') return anything;
    return this.#plan(source, {
      direction: 'output',
      unknown: 'reject',
      at: new Diagnostics(where, problems),
    });
  }

  async settle(problems: DefinitionProblem[]): Promise<void> {
    problems.push(...(await this.pool.patterns.settle()));
    const doubts = [...this.#doubts];
    this.#doubts.clear();
    problems.push(...(await problemsOf(doubts)));
  }

  get patternVerdicts(): readonly PatternVerdict[] {
    return this.pool.patterns.verdicts;
  }

  get needsPatternEngine(): boolean {
    return this.pool.patterns.needsEngine;
  }

  async warm(): Promise<void> {
    const problems = await problemsOf(
      [...this.#deferred, ...this.pool.cold].map((plan) => () => plan.ready()),
    );
    if (problems.length > 0) throw new DefinitionError(problems);
  }

  #plan(source: Exclude<SchemaSource, { readonly kind: 'none' }>, use: PlanUse): ValuePlan {
    const { direction, at } = use;
    if (source.kind === 'standard') return standardPlan(source.schema, direction, at) ?? anything;
    if (source.kind === 'array') return this.#defer(source, use);
    if (source.kind === 'class') {
      // Most DTO classes are used by several handlers.
      const done = this.#done.get(source.cls) ?? new Map<string, ValuePlan>();
      this.#done.set(source.cls, done);
      const key = JSON.stringify([direction, use.unknown, ...[...(source.groups ?? [])].sort()]);
      const plan = done.get(key) ?? this.#defer(source, use);
      done.set(key, plan);
      return plan;
    }
    const context: SpecContext = { direction, document: this.classes?.open(direction), at };
    if (source.kind === 'schema') {
      const spec = handWrittenSpec(source.schema, context);
      return spec ? this.#build(spec, use) : anything;
    }
    const spec = argumentsSpec(source.properties, context);
    return spec ? this.#planOf(spec, use) : anything;
  }

  /** Reports all problems of the classes now, and creates the plan at first use. */
  #defer(source: ClassSource, use: PlanUse): ValuePlan {
    const { cls } = source;
    const document = this.classes?.open(use.direction, source.kind === 'class' ? source.groups : undefined);
    if (!document) {
      reportNotInstalled(cls, use.at);
      return anything;
    }
    const { mirrored } = summaryOf(cls, document.models, use.at);
    const plan = new DeferredPlan(mirrored, () => {
      this.#deferred.delete(plan);
      return this.#planOf(classSpec(cls, source.kind === 'array', document), use);
    });
    this.#deferred.add(plan);
    return plan;
  }

  #planOf(spec: SchemaSpec, use: PlanUse): ValuePlan {
    const { unknown } = use;
    const open = unknown === 'reject' ? spec : openSpec(spec);
    const plan = this.#build({ ...open, shown: inlineReferences(open.shown) }, use);
    return unknown === 'reject' ? plan : lenientPlan(plan, open.shown, unknown);
  }

  #build(spec: SchemaSpec, { direction, at }: PlanUse): ValuePlan {
    const { written } = spec;
    const validator = new Validator(this.pool, {
      schema: spec.enforced,
      dialect: written?.dialect ?? '2020-12',
      isolated: written?.isolated === true,
      isHandWritten: written !== undefined,
      // Instances have getters and methods that JSON does not write; they must not count as properties.
      ownProperties: direction === 'output' || namesOnPrototype(spec.shown),
      where: at.where,
    });
    if (written) this.#doubts.add(() => (written.isPlain ? validator.checkMeta() : validator.ready()));
    const advertised = { ...spec, shown: advertise(spec.shown, direction) };
    return direction === 'input'
      ? new InputPlan(advertised, validator)
      : new OutputPlan(advertised, validator);
  }
}

/** Runs tasks concurrently. @returns the problems that they throw. @throws any other error. */
async function problemsOf(tasks: readonly (() => Promise<void> | undefined)[]): Promise<DefinitionProblem[]> {
  const results = await Promise.allSettled(tasks.map(async (task) => task()));
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (result.reason instanceof DefinitionError) return result.reason.problems;
    throw result.reason;
  });
}

const QUOTED: readonly string[] = Object.getOwnPropertyNames(Object.prototype).map((name) => `"${name}"`);

/**
 * Whether a schema contains a name that every object inherits, such as `toString`. Validators must then check
 * own properties only; otherwise, a missing property would seem to exist.
 */
function namesOnPrototype(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  return QUOTED.some((name) => text.includes(name));
}
