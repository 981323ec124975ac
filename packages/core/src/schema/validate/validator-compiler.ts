import type { JsonSchema } from '../../protocol/json.js';
import type { LoadValidatorCompiler } from './compiled-schema.js';
import { loadValidatorCompiler as loadInterpreter } from './interpreter/interpreter.js';

/**
 * Loads ajv, and has schemas interpreted where ajv cannot be used: where the platform forbids to make code of text, and for the few
 * keywords that ajv understands otherwise than the standard. `package.json` says where this stands for `#validator-compiler`; where code
 * is never permitted, the interpreter alone does, so that bundles have no ajv.
 */
export const loadValidatorCompiler: LoadValidatorCompiler = async (dialect) => {
  const interpret = await loadInterpreter(dialect);
  if (!permitsCode()) return interpret;
  const ajv = await import('./ajv.js');
  const compile = await ajv.loadValidatorCompiler(dialect);
  // Asked each time: some platforms permit it while they start and not afterwards.
  return (schema, options) =>
    permitsCode() && !isForInterpreter(schema) ? compile(schema, options) : interpret(schema, options);
};

/** Whether code may be made of text, without which there are no compiled validators. */
function permitsCode(): boolean {
  try {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- What it throws tells; there is no other way to know.
    new Function('');
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a schema has keywords for which ajv gives other verdicts than the standard. It takes what `contains` or a failed `if` has looked at
 * for evaluated, leads dynamic references to the root, finds in an empty array what an array before it contains, and throws where
 * `patternProperties` stands beside alternatives.
 */
export function isForInterpreter(schema: JsonSchema): boolean {
  return /"(?:contains|patternProperties|unevaluated(?:Items|Properties)|\$(?:dynamic|recursive)Ref)":/.test(
    JSON.stringify(schema),
  );
}
