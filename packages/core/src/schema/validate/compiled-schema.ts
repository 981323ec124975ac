import type { JsonSchema } from '../../protocol/json.js';
import type { SchemaDialect } from '../json-schema/json-schema.js';
import type { SchemaViolation } from '../messages/messages.js';

/** A compiled schema: true when a value satisfies it, or else `errors` says why not. */
export interface CompiledSchema {
  (value: unknown): unknown;
  errors?: readonly SchemaViolation[] | null;
}

/** The options of compiling a schema. */
export interface CompileOptions {
  readonly dialect: SchemaDialect;
  /** Whether properties must be the value's own: needed when a name is also on `Object.prototype`. */
  readonly ownProperties: boolean;
  /** Whether the schema has identifiers, which are not to be known to others. */
  readonly isolated: boolean;
  /** Which violations of a value are reported. */
  readonly report: 'first violation' | 'all violations';
  /** Whether patterns have the `u` flag, as the standard wants. Some schemas have patterns that are valid without it only. */
  readonly unicode: boolean;
  /** Compiles a regular expression so that it cannot be made to backtrack. */
  readonly pattern: (source: string, flags: string) => PatternTest;
}

/** A compiled regular expression. */
export interface PatternTest {
  test(text: string): boolean;
  /** Whether the native engine of the platform is fast for every text. Absent if that is unknown. */
  readonly isNative?: boolean;
}

/**
 * Compiles a schema, without keeping it.
 *
 * @throws Error if it does not compile; a SyntaxError if one of its patterns is not a regular expression.
 */
export type ValidatorCompiler = (schema: JsonSchema, options: CompileOptions) => CompiledSchema;

/**
 * Loads the compiler for one dialect. `#validator-compiler` exports one with this name: ajv, or the interpreter on
 * platforms that cannot compile code at run time.
 */
export type LoadValidatorCompiler = (dialect: SchemaDialect) => Promise<ValidatorCompiler>;
