import type { JsonSchema } from '../../protocol/json.js';
import type { SchemaDialect } from '../json-schema/json-schema.js';
import type { SchemaViolation } from '../messages/messages.js';

/** A compiled schema: true when a value satisfies it, or else `errors` says why not. */
export interface CompiledSchema {
  (value: unknown): unknown;
  errors?: readonly SchemaViolation[] | null;
}

/** How a schema is to be compiled. */
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
  /** Whether the native engine of the platform is slow on no text. Absent where that is not known. */
  readonly isNative?: boolean;
}

/**
 * Compiles a schema, without keeping it.
 *
 * @throws Error when it does not compile; a SyntaxError when a pattern of it is no regular expression.
 */
export type ValidatorCompiler = (schema: JsonSchema, options: CompileOptions) => CompiledSchema;

/**
 * Loads what compiles schemas of one dialect. `#validator-compiler` exports one of this name: ajv, or the interpreter on platforms that
 * never permit to make code of text.
 */
export type LoadValidatorCompiler = (dialect: SchemaDialect) => Promise<ValidatorCompiler>;
