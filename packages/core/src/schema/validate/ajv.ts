import type { Ajv, CodeKeywordDefinition } from 'ajv';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import { FORMATS } from '../describe/wire-form.js';
import type {
  CompiledSchema,
  CompileOptions,
  LoadValidatorCompiler,
  PatternTest,
  SchemaDialect,
} from './compiled-schema.js';
import { hasRepeated, LENGTHS } from './own-keywords.js';

/** Loads ajv, which takes a while, and of it only the dialect that is wanted. */
export const loadValidatorCompiler: LoadValidatorCompiler = async (dialect) => {
  const Ajv = await classOf(dialect);
  const instances = new Map<string, AjvInstance>();
  return (schema, options) => {
    const { ownProperties, report, unicode, isolated } = options;
    const key = JSON.stringify([ownProperties, report, unicode]);
    // Identifiers register themselves with the instance, so such a schema gets one of its own.
    const ajv = (isolated ? undefined : instances.get(key)) ?? instanceOf(Ajv, options);
    if (!isolated) instances.set(key, ajv);
    const compiled = ajv.compile(schema);
    ajv.removeSchema(schema);
    return compiled as CompiledSchema;
  };
};

function instanceOf(Ajv: AjvClass, { ownProperties, report, unicode, pattern }: CompileOptions): AjvInstance {
  const ajv = new Ajv({
    // Schemas are ours, or checked by hand: compiling the meta-schema would cost 98 ms.
    strict: false,
    // JSON has numbers beyond all that JavaScript has: 1e400 is read as infinite.
    strictNumbers: true,
    validateSchema: false,
    meta: false,
    formats: Object.fromEntries(Object.entries(FORMATS).map(([name, { accepts }]) => [name, accepts])),
    logger: false,
    unicodeRegExp: unicode,
    // V8 optimizes what runs often; ajv's own pass takes half the time of a compilation and wins nothing.
    code: { regExp: regExpWith(pattern), optimize: false },
    ownProperties,
    allErrors: report === 'all violations',
    verbose: true,
  });
  for (const definition of [...LENGTH_KEYWORDS, UNIQUE_ITEMS]) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
  return ajv;
}

/** Patterns go into the validator by reference. */
function regExpWith(pattern: CompileOptions['pattern']): RegExpEngine {
  const compile = (source: string, flags: string): PatternTest & { toString(): string } => {
    const compiled = pattern(source, flags);
    // ajv keeps one for each text.
    return { test: (text) => compiled.test(text), toString: () => `/${source}/${flags}` };
  };
  // The code is for validators that are written to files, which these are not.
  return Object.assign(compile, { code: '' });
}

type RegExpEngine = NonNullable<NonNullable<ConstructorParameters<typeof Ajv>[0]>['code']>['regExp'] & object;

type AjvInstance = Pick<Ajv, 'compile' | 'removeSchema' | 'addKeyword' | 'removeKeyword'>;

/** One of ajv's classes: there is one for each dialect. */
type AjvClass = new (options: ConstructorParameters<typeof Ajv>[0]) => AjvInstance;

/** Loads the class of a dialect. */
async function classOf(dialect: SchemaDialect): Promise<AjvClass> {
  switch (dialect) {
    case '2020-12':
      return (await import('ajv/dist/2020.js')).default.Ajv2020;
    case '2019-09':
      return (await import('ajv/dist/2019.js')).default.Ajv2019;
    case 'draft-07':
      return (await import('ajv/dist/ajv.js')).default.Ajv;
  }
}

/** The keywords that are counted by functions of ours. */
const LENGTH_KEYWORDS: readonly CodeKeywordDefinition[] = Object.entries(LENGTHS).map(([name, isWrong]) => ({
  keyword: name,
  type: 'string',
  schemaType: 'number',
  error: { message: name, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
  code(context) {
    const test = context.gen.scopeValue('func', { ref: isWrong });
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
    const test = context.gen.scopeValue('func', { ref: hasRepeated });
    context.fail(_`${test}(${context.data})`);
  },
};
