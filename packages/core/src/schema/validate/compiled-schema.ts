import type { JsonSchema } from '../../protocol/json.js';
import type { SchemaDialect } from '../json-schema/json-schema.js';
import type { SchemaViolation } from '../messages/messages.js';

/**
 * A compiled schema: a function that returns true if a value is valid. Otherwise, it stores the violations in its
 * property `errors`.
 */
export interface CompiledSchema {
  (value: unknown): unknown;
  errors?: readonly SchemaViolation[] | null;
}

/** The options for compiling a schema. */
export interface CompileOptions {
  readonly dialect: SchemaDialect;
  /**
   * Whether the validator ignores inherited properties. Needed if a schema contains a property name that
   * `Object.prototype` also has, such as `toString`.
   */
  readonly ownProperties: boolean;
  /**
   * Whether the schema has identifiers, such as `$id`. It then gets an ajv instance of its own, because identifiers of
   * different schemas could be equal.
   */
  readonly isolated: boolean;
  /** Which violations are reported. */
  readonly report: 'first violation' | 'all violations';
  /**
   * Whether patterns get the `u` flag, as JSON Schema requires. Some schemas have patterns that are valid only
   * without this flag.
   */
  readonly unicode: boolean;
  /** Compiles a regular expression to a test that cannot backtrack excessively. */
  readonly pattern: (source: string, flags: string) => PatternTest;
}

/** A compiled regular expression. */
export interface PatternTest {
  test(text: string): boolean;
  /** Whether the native engine is fast for every text; absent if this has not been analysed. */
  readonly isNative?: boolean;
}

/**
 * Compiles a schema. The compiler does not store the compiled schema.
 *
 * @throws Error if the schema does not compile; SyntaxError if one of its patterns is not a regular
 * expression.
 */
export type ValidatorCompiler = (schema: JsonSchema, options: CompileOptions) => CompiledSchema;

/**
 * Loads the compiler for a dialect. `#validator-compiler` exports a function of this type. The function loads ajv, or
 * the interpreter on platforms without code generation.
 */
export type LoadValidatorCompiler = (dialect: SchemaDialect) => Promise<ValidatorCompiler>;
