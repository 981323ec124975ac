import type { CompiledSchema, LoadValidatorCompiler } from '../../src/schema/validate/compiled-schema.js';
import type { PreparedValidator } from '../../src/schema/validate/prepared.js';
import { loadValidatorCompiler as loadInterpreter } from '../../src/schema/validate/interpreter/interpreter.js';
import { VERDICT_TOOLS } from '../../src/schema/validate/verdict-tools.js';
import { writeVerdict } from '../../src/schema/validate/write-verdict.js';

/** Makes validators of their text, as a program does that `sigil build` has written: what they refuse, the interpreter explains. */
export const loadWritten: LoadValidatorCompiler = async (dialect) => {
  const interpret = await loadInterpreter(dialect);
  return (schema, options) => {
    const interpreted = interpret(schema, options);
    const code = writeVerdict(schema, options);
    // Nothing is written of these; they are interpreted everywhere.
    if (code === undefined) return interpreted;
    // What stands in a file stands alone: nothing of here is in its reach.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- What a file holds is text as well.
    const made = new Function(`{ ${Object.keys(VERDICT_TOOLS).join(', ')} }`, `return ${code};`)(
      VERDICT_TOOLS,
    ) as PreparedValidator;
    const accepts = made(options.pattern);
    const validate: CompiledSchema = (value) => {
      const isRight = accepts(value);
      validate.errors = isRight ? null : [];
      // What is accepted by one and refused by the other shows in tests as a violation too many, or too few.
      if (!isRight && interpreted(value) === true) return false;
      if (!isRight) validate.errors = interpreted.errors ?? null;
      return isRight;
    };
    return validate;
  };
};
