import type { JsonSchema } from '../../protocol/json.js';

/** The dialects a hand-written schema may be in. */
export type SchemaDialect = '2020-12' | '2019-09' | 'draft-07';

/** A compiled schema: true when a value satisfies it, or else `errors` says why not. */
export interface CompiledSchema {
  (value: unknown): unknown;
  errors?: readonly SchemaViolation[] | null;
  /** Makes it as fast as it gets, where it is not yet. */
  warm?(): Promise<void>;
  /** Told of a faster one of the same schema that can take its place from then on. */
  onFaster?: (compiled: CompiledSchema) => void;
}

/** Why a value does not satisfy a schema: what ajv reports, and every other compiler as it does. */
export interface SchemaViolation {
  readonly keyword: string;
  /** A JSON pointer to what is wrong. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** What is wrong. */
  readonly data?: unknown;
  /** The schema that has the keyword: the very object that was compiled, because it may know rules. */
  readonly parentSchema?: unknown;
}

/** How a schema is to be compiled. */
export interface CompileOptions {
  readonly dialect: SchemaDialect;
  /** Whether properties must be the value's own: needed when a name is also on `Object.prototype`. */
  readonly ownProperties: boolean;
  /** Whether the schema has identifiers, which are not to be known to others. */
  readonly isolated: boolean;
  /** What is to be said of a value that does not satisfy the schema. */
  readonly report: 'first violation' | 'all violations';
  /** Whether patterns have the `u` flag, as the standard wants; schemas written for others may not bear it. */
  readonly unicode: boolean;
  /** Compiles a regular expression so that it cannot be made to backtrack. */
  readonly pattern: (source: string, flags: string) => PatternTest;
}

/** A compiled regular expression. */
export interface PatternTest {
  test(text: string): boolean;
}

/**
 * Compiles a schema, without keeping it.
 *
 * @throws Error when it does not compile; a SyntaxError when a pattern of it is no regular expression.
 */
export type ValidatorCompiler = (schema: JsonSchema, options: CompileOptions) => CompiledSchema;

/**
 * Loads what compiles schemas of one dialect. `#validator-compiler` exports one of this name, and `package.json` says which file that is
 * under which conditions: nothing else knows by what schemas are compiled.
 */
export type LoadValidatorCompiler = (dialect: SchemaDialect) => Promise<ValidatorCompiler>;
