import type { JsonSchema } from '../../protocol/json.js';
import type { CompiledSchema, LoadValidatorCompiler, ValidatorCompiler } from './compiled-schema.js';
import { loadValidatorCompiler as loadInterpreter } from './interpreter/interpreter.js';

/** How many values a schema is interpreted for before ajv makes code of it. */
const INTERPRETED = 4;

/**
 * Has a schema interpreted at first, so that an app answers before ajv is loaded, and has ajv make code of it when it is used more often.
 * It stays interpreted where ajv cannot be used: where the platform forbids to make code of text, and for the few keywords that ajv
 * understands otherwise than the standard. All violations are interpreted too: there are few values of which they are asked.
 *
 * `package.json` says where this stands for `#validator-compiler`; where code is never permitted, the interpreter alone does, so that
 * bundles have no ajv.
 */
export const loadValidatorCompiler: LoadValidatorCompiler = async (dialect) => {
  const interpret = await loadInterpreter(dialect);
  let loading: Promise<ValidatorCompiler> | undefined;
  const loadAjv = (): Promise<ValidatorCompiler> =>
    (loading ??= import('./ajv.js').then((ajv) => ajv.loadValidatorCompiler(dialect)));
  return (schema, options) => {
    const interpreted = interpret(schema, options);
    // Asked each time: some platforms permit it while they start and not afterwards.
    const mayCompile = (): boolean => permitsCode() && !isForInterpreter(schema);
    if (options.report === 'all violations' || !mayCompile()) return interpreted;
    return compiledWhenUsed(interpreted, async () => {
      const compile = await loadAjv();
      return mayCompile() ? compile(schema, options) : undefined;
    });
  };
};

function compiledWhenUsed(
  interpreted: CompiledSchema,
  compile: () => Promise<CompiledSchema | undefined>,
): CompiledSchema {
  let current = interpreted;
  let values = 0;
  let compiling: Promise<void> | undefined;
  const warm = (): Promise<void> =>
    (compiling ??= compile().then(
      (compiled) => {
        if (!compiled) return;
        current = compiled;
        validate.onFaster?.(compiled);
      },
      // What has been interpreted can go on so.
      () => undefined,
    ));
  const validate: CompiledSchema = (value) => {
    if (values < INTERPRETED && ++values === INTERPRETED) void warm();
    const isRight = current(value);
    validate.errors = current.errors ?? null;
    return isRight;
  };
  return Object.assign(validate, { warm });
}

/** Whether code may be made of text, without which there are no compiled validators. */
function permitsCode(): boolean {
  try {
    // Throws where it is forbidden; nothing else tells.
    Reflect.construct(Function, ['']);
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
