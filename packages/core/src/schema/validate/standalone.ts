import standalone from 'ajv/dist/standalone/index.js';
import type { JsonSchema } from '../../protocol/json.js';
import { ajvClass, createAjv } from './ajv.js';
import type { CompileOptions } from './compiled-schema.js';
import { validatorKey } from './validate.js';

/** A schema, and the options for compiling it. */
export interface WrittenSchema extends Pick<
  CompileOptions,
  'dialect' | 'ownProperties' | 'isolated' | 'unicode'
> {
  readonly schema: JsonSchema;
}

/** The generated code for one schema. */
export interface WrittenValidator {
  /** The key that `prepare()` uses to register the code. */
  readonly key: string;
  /** A CommonJS module with a validator that reports the first violation. */
  readonly first: string;
  /** A CommonJS module with a validator that reports all violations. */
  readonly all: string;
}

/**
 * Generates the code of validators, for built programs on platforms that forbid code generation at run time.
 *
 * @returns the code of CommonJS modules. They read Sigil's functions from `validatorFunctions`, and load ajv's
 *   functions from `ajv/dist/runtime`.
 * @throws Error if a schema does not compile.
 */
export async function writeValidators(schemas: readonly WrittenSchema[]): Promise<WrittenValidator[]> {
  return Promise.all(
    schemas.map(async (written) => {
      const Ajv = await ajvClass(written.dialect);
      return {
        key: validatorKey(written.schema, written),
        first: codeOf(Ajv, written, 'first violation'),
        all: codeOf(Ajv, written, 'all violations'),
      };
    }),
  );
}

/** Returns the standalone code of one validator. @param Ajv the ajv class of the schema's dialect. */
export function codeOf(
  Ajv: Awaited<ReturnType<typeof ajvClass>>,
  written: WrittenSchema,
  report: CompileOptions['report'],
): string {
  const pattern = (source: string, flags: string): RegExp => new RegExp(source, flags);
  const ajv = createAjv(Ajv, written.schema, { ...written, report, pattern }, true);
  return standalone.default(ajv, ajv.compile(written.schema));
}
