import { createRequire } from 'node:module';
import { ajvClass } from '../../src/schema/validate/ajv.js';
import type { CompiledSchema, LoadValidatorCompiler } from '../../src/schema/validate/compiled-schema.js';
import { codeOf } from '../../src/schema/validate/standalone.js';
import { validatorFunctions } from '../../src/schema/validate/validate.js';

const require = createRequire(import.meta.url);

/** Makes validators of their standalone code, as a program does that `sigil build` has written. */
export const loadWritten: LoadValidatorCompiler = async (dialect) => {
  const Ajv = await ajvClass(dialect);
  return (schema, options) => {
    const { ownProperties, isolated, unicode, pattern } = options;
    const code = codeOf(Ajv, { schema, dialect, ownProperties, isolated, unicode }, options.report);
    const module: { exports?: CompiledSchema } = {};
    const functions = { ...validatorFunctions, pattern };
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- A file of code is text, too.
    new Function('module', 'require', 'validatorFunctions', code)(module, require, functions);
    return module.exports!;
  };
};
