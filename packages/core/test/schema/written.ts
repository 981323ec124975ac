import { createRequire } from 'node:module';
import { validatorFunctions } from '../../src/internal.js';
import { ajvClass } from '../../src/schema/validate/ajv.js';
import type { CompiledSchema, LoadValidatorCompiler } from '../../src/schema/validate/compiled-schema.js';
import { codeOf } from '../../src/schema/validate/standalone.js';

const require = createRequire(import.meta.url);

/** Makes validators of their standalone code, as a program does that `sigil build` has written. */
export const loadWritten: LoadValidatorCompiler = async (dialect) => {
  const Ajv = await ajvClass(dialect);
  return (schema, options) => {
    const { ownProperties, isolated, unicode, pattern } = options;
    const code = codeOf(Ajv, { schema, dialect, ownProperties, isolated, unicode }, options.report);
    const load = (id: string): unknown =>
      id === '@sigil/core/internal'
        ? { validatorFunctions: { ...validatorFunctions, pattern } }
        : (require(id) as unknown);
    const module: { exports?: CompiledSchema } = {};
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- A file of code is text, too.
    new Function('module', 'require', code)(module, load);
    return module.exports!;
  };
};
