import { DefinitionError, messageOf } from '../../errors/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import { addPatterns, PatternPool, problemOf, type SafePattern } from '../patterns/patterns.js';
import { InvalidValueError, type Issue } from './errors.js';
import { issuesFrom } from './messages.js';
import { type PreparedValidator, preparedValidator } from './prepared.js';
import type {
  CompiledSchema,
  CompileOptions,
  LoadValidatorCompiler,
  SchemaDialect,
  SchemaViolation,
  ValidatorCompiler,
} from './compiled-schema.js';

/** What the validators of an app share. Loads nothing until a schema is compiled. */
export class ValidatorPool {
  readonly #compilers = new Map<SchemaDialect, Promise<ValidatorCompiler>>();
  readonly #load: LoadValidatorCompiler;
  readonly patterns: PatternPool = new PatternPool();
  /** The validators that have not been compiled. */
  readonly cold: Set<Validator> = new Set();
  /** Whether validators are to be made as fast as they get at once, and not when they are used more often. */
  isWarm = false;

  /** @param load loads what compiles schemas. */
  constructor(load: LoadValidatorCompiler = loadOfPlatform) {
    this.#load = load;
  }

  /** Loads what compiles schemas of a dialect. */
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

/** A value with more members than this is told its first problem only. */
const MAX_MEMBERS = 1000;

/** What a validator is made from. */
export interface ValidatorOptions {
  readonly schema: JsonSchema;
  readonly dialect: SchemaDialect;
  readonly ownProperties: boolean;
  /** Whether the schema has identifiers. */
  readonly isolated: boolean;
  /** The place for the report when the schema does not compile. */
  readonly where: string;
  /** What was written of the schema when the program was built; looked for by default. */
  readonly prepared?: PreparedValidator | undefined;
}

/** A schema that is compiled when it is first needed, and again, more talkative, when a value first fails. */
export class Validator {
  #compiler: ValidatorCompiler | undefined;
  #first: CompiledSchema | undefined;
  /** What tells of values that are not accepted; compiled when there is one. */
  readonly #telling = new Map<CompileOptions['report'], CompiledSchema>();
  #loading: Promise<void> | undefined;
  readonly #patterns: readonly SafePattern[];

  constructor(
    readonly pool: ValidatorPool,
    readonly options: ValidatorOptions,
  ) {
    pool.cold.add(this);
    this.#patterns = addPatterns(options.schema, pool.patterns, options.where);
  }

  /** Compiles the schema; undefined when that has happened. @throws DefinitionError when it does not compile. */
  ready(): Promise<void> | undefined {
    if (this.#first) return undefined;
    return (this.#loading ??= this.#load());
  }

  /** Whether a value satisfies the schema. Only to be called when ready. */
  accepts(value: unknown): boolean {
    return this.#first?.(value) === true;
  }

  /** Why the value that was just not accepted is not: every reason, or the first one when it is large. */
  violations(value: unknown): readonly SchemaViolation[] {
    return this.#reported(value).map((violation) => this.#measured(violation));
  }

  #reported(value: unknown): readonly SchemaViolation[] {
    if (!this.#compiler) return [];
    // Every member may have a problem, and each problem is an object of its own.
    const report = hasMembers(value, MAX_MEMBERS) ? 'first violation' : 'all violations';
    if (report === 'first violation' && this.#first?.errors) return this.#first.errors;
    const telling = this.#telling.get(report) ?? this.#compile(this.#compiler, report);
    this.#telling.set(report, telling);
    return telling(value) === true ? [] : (telling.errors ?? []);
  }

  async #load(): Promise<void> {
    const { pool, options } = this;
    const compiler = await pool.compiler(options.dialect);
    await pool.patterns.ready();
    const problems = this.#patterns.flatMap((pattern) => problemOf(pattern, options.where) ?? []);
    if (problems.length > 0) throw new DefinitionError(problems);
    const first: CompiledSchema =
      (options.prepared ?? preparedValidator(options.schema, options))?.(this.#pattern) ??
      this.#compile(compiler, 'first violation');
    first.onFaster = (compiled) => (this.#first = compiled);
    // Without the `u` flag a pattern is another one.
    await pool.patterns.ready();
    this.#compiler = compiler;
    this.#first = first;
    if (pool.isWarm) await first.warm?.();
    pool.cold.delete(this);
  }

  readonly #pattern: CompileOptions['pattern'] = (source, flags) => this.pool.patterns.add(source, flags, '');

  /** Adds to a violated pattern how long a text may be for it. */
  #measured(violation: SchemaViolation): SchemaViolation {
    if (violation.keyword !== 'pattern') return violation;
    const longest = this.pool.patterns.longestFor(String(violation.params['pattern']));
    return longest === Infinity ? violation : { ...violation, params: { ...violation.params, longest } };
  }

  #compile(compiler: ValidatorCompiler, report: CompileOptions['report']): CompiledSchema {
    const { schema, dialect, ownProperties, isolated, where } = this.options;
    const pattern = this.#pattern;
    const compile = (unicode: boolean): CompiledSchema =>
      compiler(schema, { dialect, ownProperties, isolated, report, unicode, pattern });
    try {
      return withoutUnicode(compile);
    } catch (cause) {
      const fix =
        'mend the schema; it must be valid in the dialect its $schema names (2020-12 when it names none)';
      const what = `the schema does not compile: ${messageOf(cause)}`;
      throw new DefinitionError([{ code: 'SIGIL_INVALID_SCHEMA', where, what, fix }], { cause });
    }
  }
}

/** Patterns such as `[\w-\.]` are valid without the `u` flag only. */
function withoutUnicode(compile: (unicode: boolean) => CompiledSchema): CompiledSchema {
  try {
    return compile(true);
  } catch (error) {
    if ((error as { name?: unknown } | null)?.name !== 'SyntaxError') throw error;
    return compile(false);
  }
}

/** Says more about a value that a schema refuses. */
interface Explainer {
  explain(value: unknown): readonly Issue[];
}

/** @throws InvalidValueError with every issue when a value does not satisfy a schema, or with the first one when it is large. */
export function ensure(validator: Validator, value: unknown, rules?: Explainer): void {
  if (validator.accepts(value)) return;
  const issues = issuesFrom(validator.violations(value), value);
  const more = rules === undefined || hasMembers(value, MAX_MEMBERS) ? [] : rules.explain(value);
  const others = more.filter(({ path }) => !issues.some((issue) => issue.path === path));
  throw new InvalidValueError(issues.length > 0 ? [...issues, ...others] : [unexplained()]);
}

function unexplained(): Issue {
  const message = 'the value does not satisfy the schema';
  return { path: '', expected: 'a value that satisfies the schema', received: 'another', message };
}

/** Whether a value has more than so many elements and properties, at all depths together. Looks at few more than that. */
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
