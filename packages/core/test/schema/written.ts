import type { LoadValidatorCompiler } from '../../src/schema/validate/compiled-schema.js';
import { type ValidatorCode, validatorOf } from '../../src/schema/validate/prepared.js';
import { loadValidatorCompiler as loadInterpreter } from '../../src/schema/validate/interpreter/interpreter.js';
import { loadCodeWriter } from '../../src/schema/validate/standalone.js';
import { isForInterpreter } from '../../src/schema/validate/validator-compiler.js';

/** Makes validators of their text, as a program does that `sigil build` has written. */
export const loadWritten: LoadValidatorCompiler = async (dialect) => {
  const [write, interpret] = await Promise.all([loadCodeWriter(dialect), loadInterpreter(dialect)]);
  return (schema, options) => {
    // Nothing is written of these; they are interpreted everywhere.
    if (isForInterpreter(schema)) return interpret(schema, options);
    const code = (report: typeof options.report): ValidatorCode => {
      // What stands in a file stands alone: nothing of here is in its reach.
      // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- What a file holds is text as well.
      return new Function(`return ${write(schema, { ...options, report })}`)() as ValidatorCode;
    };
    const both = { 'first violation': code('first violation'), 'all violations': code('all violations') };
    return validatorOf(both, schema, options);
  };
};
