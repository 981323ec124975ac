import type { Ajv, Code, CodeKeywordDefinition, Options } from 'ajv';
import exported from '#ajv-2020';
import type { JsonSchema } from '../../protocol/json.js';
import { hasKeyword, type SchemaDialect } from '../json-schema/json-schema.js';
import { FORMATS, hasRepeated, LENGTHS } from '../json-schema/own-keywords.js';
import type {
  CompiledSchema,
  CompileOptions,
  LoadValidatorCompiler,
  PatternTest,
} from './compiled-schema.js';

/**
 * Loads ajv, which compiles schemas of a dialect. Platforms that forbid code generation use `interpreter.ts`
 * instead.
 *
 * `standalone.ts` uses the same options and keywords to generate code for built programs. Therefore, each function that
 * a validator calls has a property `code`: the source of an expression that looks the function up in
 * `validatorFunctions`.
 */
export const loadValidatorCompiler: LoadValidatorCompiler = async (dialect) => {
  if (!permitsCode()) return (await import('./interpreter.js')).loadValidatorCompiler(dialect);
  const Class = await ajvClass(dialect);
  const instances = new Map<string, Ajv>();
  return (schema, options) => {
    const { ownProperties, report, unicode, isolated } = options;
    const key = JSON.stringify([ownProperties, report, unicode, isUnevaluated(schema)]);
    // Identifiers register themselves with the instance, so such a schema gets one of its own.
    const ajv = (isolated ? undefined : instances.get(key)) ?? createAjv(Class, schema, options);
    if (!isolated) instances.set(key, ajv);
    const compiled = ajv.compile(schema);
    ajv.removeSchema(schema);
    return compiled as CompiledSchema;
  };
};

/** Whether the platform permits code generation. */
function permitsCode(): boolean {
  try {
    // Throws if it is forbidden; there is no other way to know.
    Reflect.construct(Function, ['']);
    return true;
  } catch {
    return false;
  }
}

const { _, Ajv2020 } = exported.ajv;
/** The name under which generated code finds Sigil's functions. */
const FUNCTIONS: Code = _`validatorFunctions`;

/**
 * Creates an ajv instance for all schemas that are compiled with the same options.
 *
 * @param source whether validators keep their source code, which only `standalone.ts` needs.
 */
export function createAjv(
  Class: AjvClass,
  schema: JsonSchema,
  { ownProperties, report, unicode, pattern }: Omit<CompileOptions, 'dialect' | 'isolated'>,
  source = false,
): Ajv {
  const compile = (text: string, flags: string): PatternTest & { toString(): string } => {
    const compiled = pattern(text, flags);
    // ajv keeps one for each text.
    return { test: (value) => compiled.test(value), toString: () => `/${text}/${flags}` };
  };
  const ajv = new Class({
    strict: false,
    // JSON has numbers beyond all that JavaScript has: 1e400 is read as infinite.
    strictNumbers: true,
    // Schemas are ours, or were checked already (`json-schema/hand-written.ts`): to compile the meta-schema takes 98 ms.
    validateSchema: false,
    meta: false,
    formats: FORMATS,
    logger: false,
    unicodeRegExp: unicode,
    ownProperties,
    allErrors: report === 'all violations',
    verbose: true,
    code: {
      source,
      regExp: Object.assign(compile, { code: `${String(FUNCTIONS)}.pattern` }),
      formats: _`${FUNCTIONS}.formats`,
      // V8 optimizes hot code; ajv's own pass takes half the time of a compilation without benefit.
      optimize: false,
    },
  });
  // The classes for newer dialects always track evaluated properties, and then fail at `patternProperties` beside
  // alternatives.
  ajv.opts.unevaluated = isUnevaluated(schema);
  for (const definition of [...LENGTH_KEYWORDS, UNIQUE_ITEMS]) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
  return ajv;
}

function isUnevaluated(schema: JsonSchema): boolean {
  return ['unevaluatedProperties', 'unevaluatedItems'].some((keyword) => hasKeyword(schema, keyword));
}

type AjvClass = new (options: Options) => Ajv;

/** Loads the ajv class for a dialect. */
export async function ajvClass(dialect: SchemaDialect): Promise<AjvClass> {
  switch (dialect) {
    case '2020-12':
      return Ajv2020;
    case '2019-09':
      return (await import('ajv/dist/2019.js')).default.Ajv2019;
    case 'draft-07':
      return (await import('ajv/dist/ajv.js')).default.Ajv;
  }
}

/** The keywords for lengths, which Sigil's own functions check. */
const LENGTH_KEYWORDS: readonly CodeKeywordDefinition[] = Object.entries(LENGTHS).map(([name, isWrong]) => ({
  keyword: name,
  type: 'string',
  schemaType: 'number',
  error: { message: name, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
  code(context) {
    const code = _`${FUNCTIONS}.lengths[${name}]`;
    const test = context.gen.scopeValue('func', { ref: isWrong, key: name, code });
    context.fail(_`${test}(${context.data}, ${context.schemaCode})`);
  },
}));

const UNIQUE_ITEMS: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'uniqueItems' },
  code(context) {
    if (context.schema !== true) return;
    const test = context.gen.scopeValue('func', { ref: hasRepeated, code: _`${FUNCTIONS}.hasRepeated` });
    context.fail(_`${test}(${context.data})`);
  },
};
