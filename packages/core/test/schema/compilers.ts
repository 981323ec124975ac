import type { JsonSchema } from '../../src/protocol/json.js';
import { loadValidatorCompiler as loadAjv } from '../../src/schema/validate/ajv.js';
import type { SchemaDialect } from '../../src/schema/json-schema/json-schema.js';
import type {
  CompiledSchema,
  CompileOptions,
  ValidatorCompiler,
} from '../../src/schema/validate/compiled-schema.js';
import { loadValidatorCompiler as loadInterpreter } from '../../src/schema/validate/interpreter.js';
import { loadWritten } from './written.js';
import { issuesFrom } from '../../src/schema/messages/messages.js';

/** Every dialect that schemas may be in. */
export const DIALECTS: readonly SchemaDialect[] = ['2020-12', '2019-09', 'draft-07'];

/** What schemas are made validators by. */
interface Compilers {
  readonly compiled: ValidatorCompiler;
  readonly interpreted: ValidatorCompiler;
  readonly written: ValidatorCompiler;
}

/** By dialect. */
export const compilers: ReadonlyMap<SchemaDialect, Compilers> = new Map(
  await Promise.all(
    DIALECTS.map(async (dialect) => {
      const loading = [loadAjv, loadInterpreter, loadWritten].map((load) => load(dialect));
      const [compiled, interpreted, written] = await Promise.all(loading);
      return [dialect, { compiled: compiled!, interpreted: interpreted!, written: written! }] as const;
    }),
  ),
);

/** Options with patterns as they are. */
export function optionsFor(dialect: SchemaDialect, options: Partial<CompileOptions> = {}): CompileOptions {
  const pattern: CompileOptions['pattern'] = (source, flags) => new RegExp(source, flags);
  const report = 'all violations';
  return { dialect, ownProperties: true, isolated: true, report, unicode: true, pattern, ...options };
}

/** Everything that is said of a value: what clients are told, and what that is made of. */
export function said(validate: CompiledSchema | string, value: unknown): unknown {
  if (typeof validate === 'string') return validate;
  try {
    if (validate(value) === true) return 'right';
  } catch (error) {
    // A schema that refers to itself without end.
    if (error instanceof RangeError) return error.name;
    throw error;
  }
  const violations = validate.errors ?? [];
  return {
    issues: issuesFrom(violations, value),
    violations: violations.map(({ keyword, instancePath, params, data, parentSchema }) => ({
      keyword,
      instancePath,
      params,
      data,
      parentSchema,
    })),
  };
}

/** What a schema compiles to, or why it does not. */
export function compiledBy(
  compile: ValidatorCompiler,
  schema: JsonSchema,
  options: CompileOptions,
): CompiledSchema | string {
  try {
    return compile(schema, options);
  } catch (error) {
    return `does not compile: ${(error as Error).message}`;
  }
}
