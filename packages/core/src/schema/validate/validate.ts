import { DefinitionError, messageOf } from '../../errors/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import { metaProblem } from '../json-schema/hand-written.js';
import type { SchemaDialect } from '../json-schema/json-schema.js';
import { FORMATS, hasRepeated, LENGTHS } from '../json-schema/own-keywords.js';
import { InvalidValueError, type Issue, issueAt } from '../messages/issues.js';
import { type FindRules, issuesFrom, type SchemaViolation } from '../messages/messages.js';
import { addPatterns, PatternPool, problemOf, type SafePattern } from '../patterns/patterns.js';
import type {
  CompiledSchema,
  CompileOptions,
  LoadValidatorCompiler,
  ValidatorCompiler,
} from './compiled-schema.js';

/**
 * Creates the validators of a schema from code that was generated when the program was built. `first` creates a
 * validator that stops at the first violation, and `all` creates one that reports all violations.
 */
export interface PreparedValidator {
  readonly first: (functions: ValidatorFunctions) => CompiledSchema;
  readonly all: (functions: ValidatorFunctions) => CompiledSchema;
}

const PREPARED = new Map<string, PreparedValidator>();

/** Registers validators that `sigil build` has generated. The keys are the results of `validatorKey()`. */
export function prepareValidators(validators: Readonly<Record<string, PreparedValidator>>): void {
  for (const [key, validator] of Object.entries(validators)) PREPARED.set(key, validator);
}

/**
 * Returns the key of a prepared validator. The key contains the whole schema, so that two schemas never share
 * a key.
 */
export function validatorKey(
  schema: JsonSchema,
  { dialect, ownProperties }: Pick<CompileOptions, 'dialect' | 'ownProperties'>,
): string {
  return JSON.stringify([dialect, ownProperties, schema]);
}

/**
 * The functions that generated validators call: Sigil's own keywords and formats, and the compiler of
 * patterns.
 */
export interface ValidatorFunctions {
  readonly lengths: typeof LENGTHS;
  readonly formats: typeof FORMATS;
  readonly hasRepeated: typeof hasRepeated;
  readonly pattern: CompileOptions['pattern'];
}

/** The functions that generated validators call, except for the compiler of patterns, which depends on the app. */
export const validatorFunctions: Omit<ValidatorFunctions, 'pattern'> = {
  lengths: LENGTHS,
  formats: FORMATS,
  hasRepeated,
};

/** The parts that all validators of an app share. Nothing is loaded until a schema is compiled. */
export class ValidatorPool {
  readonly #compilers = new Map<SchemaDialect, Promise<ValidatorCompiler>>();
  readonly #load: LoadValidatorCompiler;
  readonly patterns: PatternPool = new PatternPool();
  /** The validators that have not been compiled. */
  readonly cold: Set<Validator> = new Set();

  /** @param load a function that loads the compiler of schemas; by default, it loads the compiler of the platform. */
  constructor(load: LoadValidatorCompiler = loadOfPlatform) {
    this.#load = load;
  }

  /** Loads the compiler for a dialect. */
  compiler(dialect: SchemaDialect): Promise<ValidatorCompiler> {
    const known = this.#compilers.get(dialect);
    if (known) return known;
    const loading = this.#load(dialect);
    this.#compilers.set(dialect, loading);
    return loading;
  }
}

const loadOfPlatform: LoadValidatorCompiler = async (dialect) => {
  const { loadValidatorCompiler } = await import('#validator-compiler');
  return loadValidatorCompiler(dialect);
};

/** Maximum number of members in a value. For a larger value, only the first problem is reported. */
const MAX_MEMBERS = 10_000;

/** Options of a validator. */
interface ValidatorOptions extends Pick<CompileOptions, 'dialect' | 'ownProperties' | 'isolated'> {
  readonly schema: JsonSchema;
  /** The place that is reported if the schema does not compile. */
  readonly where: string;
  /**
   * Whether an author wrote the schema. Such a schema is checked against its meta-schema before it is
   * compiled.
   */
  readonly isHandWritten: boolean;
}

/**
 * A validator that stops at the first violation, and a function that compiles the validator for
 * all violations.
 */
type Compilation = readonly [first: CompiledSchema, compileAll: () => CompiledSchema];

/**
 * Validates values with a schema. The first use compiles a validator that stops at the first violation. The first
 * invalid value causes a second compilation, of a validator that finds all violations.
 */
export class Validator {
  #first: CompiledSchema | undefined;
  #compileAll: (() => CompiledSchema) | undefined;
  #all: CompiledSchema | undefined;
  #loading: Promise<void> | undefined;
  readonly #patterns: readonly SafePattern[];
  readonly #pattern: CompileOptions['pattern'] = (source, flags) =>
    this.pool.patterns.add(source, flags, this.options.where);

  constructor(
    readonly pool: ValidatorPool,
    readonly options: ValidatorOptions,
  ) {
    pool.cold.add(this);
    this.#patterns = addPatterns(options.schema, pool.patterns, options.where);
  }

  /**
   * Compiles the schema. @returns `undefined` if the schema was compiled before this call. @throws DefinitionError if
   * the schema does not compile.
   */
  ready(): Promise<void> | undefined {
    if (this.#first) return undefined;
    return (this.#loading ??= this.#load());
  }

  /** Whether a value satisfies the schema. Call `ready()` first, and await its promise. */
  accepts(value: unknown): boolean {
    return this.#first?.(value) === true;
  }

  /**
   * Returns the violations in the value that `accepts()` has just refused. If the value has more than 10,000 elements
   * and properties, only the first violation is returned.
   */
  violations(value: unknown): readonly SchemaViolation[] {
    return this.#reported(value).map((violation) => this.#measured(violation));
  }

  #reported(value: unknown): readonly SchemaViolation[] {
    // Every member may have a problem, and each problem is an object of its own.
    if (hasMembers(value, MAX_MEMBERS)) return this.#first?.errors ?? [];
    this.#all ??= this.#compileAll?.();
    return this.#all?.(value) === true ? [] : (this.#all?.errors ?? []);
  }

  /**
   * Checks a hand-written schema against its meta-schema. @throws DefinitionError if the schema is invalid.
   */
  async checkMeta(): Promise<void> {
    const { isHandWritten, schema, dialect, where } = this.options;
    const problem = isHandWritten ? await metaProblem(schema, dialect, where) : undefined;
    if (problem) throw new DefinitionError([problem]);
  }

  async #load(): Promise<void> {
    const { pool, options } = this;
    await this.checkMeta();
    await pool.patterns.ready();
    const problems = this.#patterns.flatMap((pattern) => problemOf(pattern, options.where) ?? []);
    if (problems.length > 0) throw new DefinitionError(problems);
    const prepared = PREPARED.size === 0 ? undefined : PREPARED.get(validatorKey(options.schema, options));
    const [first, compileAll] = prepared ? this.#made(prepared) : await this.#compiled();
    // Without the `u` flag a pattern is another one.
    await pool.patterns.ready();
    this.#compileAll = compileAll;
    this.#first = first;
    pool.cold.delete(this);
  }

  /** Adds to the violation of a pattern the maximum length of a string that is matched. */
  #measured(violation: SchemaViolation): SchemaViolation {
    if (violation.keyword !== 'pattern') return violation;
    const longest = this.pool.patterns.longestFor(String(violation.params['pattern']));
    return longest === Infinity ? violation : { ...violation, params: { ...violation.params, longest } };
  }

  #made({ first, all }: PreparedValidator): Compilation {
    const functions = { ...validatorFunctions, pattern: this.#pattern };
    return [first(functions), () => all(functions)];
  }

  async #compiled(): Promise<Compilation> {
    const compiler = await this.pool.compiler(this.options.dialect);
    return [this.#compile(compiler, 'first violation'), () => this.#compile(compiler, 'all violations')];
  }

  #compile(compiler: ValidatorCompiler, report: CompileOptions['report']): CompiledSchema {
    const { schema, where } = this.options;
    const compile = (unicode: boolean): CompiledSchema =>
      compiler(schema, { ...this.options, report, unicode, pattern: this.#pattern });
    try {
      return withoutUnicode(compile);
    } catch (cause) {
      const fix = 'correct the schema; it must be valid in the dialect of its $schema (2020-12 by default)';
      const what = `the schema does not compile: ${messageOf(cause)}`;
      throw new DefinitionError([{ code: 'SIGIL_INVALID_SCHEMA', where, what, fix }], { cause });
    }
  }
}

/**
 * Compiles a schema without the `u` flag if it does not compile with it. Patterns such as `[\\w-\\.]` are
 * only valid without it.
 */
function withoutUnicode(compile: (unicode: boolean) => CompiledSchema): CompiledSchema {
  try {
    return compile(true);
  } catch (error) {
    if ((error as { name?: unknown } | null)?.name !== 'SyntaxError') throw error;
    return compile(false);
  }
}

/** Describes the problems of a value that a schema refuses in more detail. */
interface Explainer {
  explain(value: unknown): readonly Issue[];
}

/**
 * Validates a value. @throws InvalidValueError with all issues. If the value has more than 10,000 elements and
 * properties, the error contains only the first issue.
 */
export function ensure(
  validator: Validator,
  value: unknown,
  rules: Explainer | undefined,
  rulesAt: FindRules | undefined,
): void {
  if (validator.accepts(value)) return;
  const issues = issuesFrom(validator.violations(value), value, rulesAt);
  const more = rules === undefined || hasMembers(value, MAX_MEMBERS) ? [] : rules.explain(value);
  const others = more.filter(({ path }) => !issues.some((issue) => issue.path === path));
  throw new InvalidValueError(issues.length > 0 ? [...issues, ...others] : [unexplained()]);
}

function unexplained(): Issue {
  const expected = 'a value that satisfies the schema';
  return issueAt('', expected, 'another', 'the value does not satisfy the schema');
}

/**
 * Whether a value has more than `more` elements and properties at all depths. Stops counting soon after that
 * number.
 */
function hasMembers(value: unknown, more: number): boolean {
  const found: unknown[] = [value];
  for (const one of found) {
    if (typeof one !== 'object' || one === null) continue;
    if (Array.isArray(one) && found.length + one.length > more + 1) return true;
    for (const name in one) {
      if (found.push((one as Record<string, unknown>)[name]) > more + 1) return true;
    }
  }
  return false;
}
