import type { Ajv, CodeKeywordDefinition } from 'ajv';
import { _ } from 'ajv/dist/compile/codegen/index.js';
import { canonicalJson } from '../../protocol/json.js';
import { FORMATS } from '../describe/wire-form.js';
import type {
  CompiledSchema,
  CompileOptions,
  LoadValidatorCompiler,
  PatternTest,
  SchemaDialect,
} from './compiled-schema.js';

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

/** Patterns go into the validator by reference; the code is for validators written to files, of which there are none. */
function regExpWith(pattern: CompileOptions['pattern']): RegExpEngine {
  const compile = (source: string, flags: string): PatternTest & { toString(): string } => {
    const compiled = pattern(source, flags);
    // ajv keeps one for each text.
    return { test: (text) => compiled.test(text), toString: () => `/${source}/${flags}` };
  };
  return Object.assign(compile, { code: 'safePattern' });
}

type RegExpEngine = NonNullable<NonNullable<ConstructorParameters<typeof Ajv>[0]>['code']>['regExp'] & object;

type AjvInstance = Pick<Ajv, 'compile' | 'removeSchema' | 'addKeyword' | 'removeKeyword'>;

type AjvClass = new (options: ConstructorParameters<typeof Ajv>[0]) => AjvInstance;

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

/**
 * `minLength` and `maxLength`, in code points as the standard wants; `sigilMinCharacters` and `sigilMaxCharacters`, as class-validator counts,
 * which leaves variation selectors out. Both are counted only where the number of code units leaves it open, so that a long text costs
 * no more than a short one.
 */
const LENGTH_KEYWORDS: readonly CodeKeywordDefinition[] = [
  keyword(
    'maxLength',
    (text, limit) => text.length > limit && (text.length > 2 * limit || pointsIn(text) > limit),
  ),
  keyword(
    'minLength',
    (text, limit) => text.length < limit || (text.length < 2 * limit && pointsIn(text) < limit),
  ),
  keyword(
    'sigilMaxCharacters',
    (text, limit) => text.length > limit && (text.length > 3 * limit || charactersIn(text) > limit),
  ),
  keyword(
    'sigilMinCharacters',
    (text, limit) => text.length < limit || (text.length < 3 * limit && charactersIn(text) < limit),
  ),
];

function keyword(name: string, isWrong: (text: string, limit: number) => boolean): CodeKeywordDefinition {
  return {
    keyword: name,
    type: 'string',
    schemaType: 'number',
    error: { message: name, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code(context) {
      const test = context.gen.scopeValue('func', { ref: isWrong, code: _`${name}` });
      context.fail(_`${test}(${context.data}, ${context.schemaCode})`);
    },
  };
}

function pointsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count++;
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
  }
  return count;
}

/** A surrogate pair is one character, and so is what a variation selector follows together with it. */
function charactersIn(text: string): number {
  const selected = text.match(/[^\uFE0F\uFE0E][\uFE0F\uFE0E]/g)?.length ?? 0;
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;
  return text.length - selected - pairs;
}

/** `uniqueItems`, in one pass: comparing each item with each other takes hours where there are a million of them. */
const UNIQUE_ITEMS: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'uniqueItems' },
  code(context) {
    if (context.schema !== true) return;
    const test = context.gen.scopeValue('func', { ref: hasRepeated, code: _`uniqueItems` });
    context.fail(_`${test}(${context.data})`);
  },
};

function hasRepeated(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  // Texts of objects and arrays are kept apart from strings.
  const written = new Set<string>();
  for (const item of items) {
    const isScalar = typeof item !== 'object' || item === null;
    const key = isScalar ? item : canonicalJson(item);
    const among: Set<unknown> = isScalar ? seen : written;
    if (among.has(key)) return true;
    among.add(key);
  }
  return false;
}
