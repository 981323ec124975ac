import type { Ajv } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { isObject, type JsonSchema } from '../protocol/json.js';
import { LENGTH_KEYWORDS } from './length-keywords.js';
import { type RuleCheck, RULES_KEYWORD, WORDS_KEYWORD } from './rule-check.js';
import { UNIQUE_ITEMS } from './unique-items.js';

/** The dialects a hand-written schema may be in. */
export type Dialect = '2020-12' | '2019-09' | 'draft-07';

/** A compiled schema: true when a value satisfies it, or else `errors` says why not. */
export interface CompiledSchema {
  (value: unknown): unknown;
  errors?: readonly SchemaViolation[] | null;
}

/** What is read of ajv's report of a violation. */
export interface SchemaViolation {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly data?: unknown;
  readonly parentSchema?: unknown;
}

/** How a schema is to be compiled. */
export interface CompileOptions {
  readonly dialect: Dialect;
  /** Whether properties must be the value's own: needed when a name is also on `Object.prototype`. */
  readonly ownProperties: boolean;
  /** What is to be said of a value that does not satisfy the schema. */
  readonly report: 'first violation' | 'all violations';
  /** Whether patterns have the `u` flag, as the standard wants; schemas written for others may not bear it. */
  readonly unicode: boolean;
  /** Compiles a regular expression so that it cannot be made to backtrack. */
  readonly pattern: (source: string, flags: string) => PatternTest;
}

/** A compiled regular expression. */
export interface PatternTest {
  test(text: string): boolean;
}

/** What is used of an ajv instance. */
export interface SchemaEngine {
  compile(schema: JsonSchema): unknown;
  removeSchema(schema: JsonSchema): unknown;
}

/** Makes instances for one dialect. */
export type AjvFactory = (options: CompileOptions) => SchemaEngine;

/** Loads ajv, which takes a while, and of it only the dialect that is wanted. */
export async function loadAjv(dialect: Dialect): Promise<AjvFactory> {
  const Ajv = await classOf(dialect);
  return ({ ownProperties, report, unicode, pattern }) => {
    const ajv = new Ajv({
      // Schemas are ours, or checked by hand: compiling the meta-schema would cost 98 ms.
      strict: false,
      // JSON has numbers beyond all that JavaScript has: 1e400 is read as infinite.
      strictNumbers: true,
      validateSchema: false,
      meta: false,
      validateFormats: false,
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
    ajv.addKeyword({ keyword: RULES_KEYWORD, errors: true, compile: rulesOf(RULES_KEYWORD) });
    // Elsewhere it is unknown, and costs nothing.
    if (report === 'all violations')
      ajv.addKeyword({ keyword: WORDS_KEYWORD, errors: true, compile: rulesOf(WORDS_KEYWORD) });
    return ajv;
  };
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

type AjvClass = new (
  options: ConstructorParameters<typeof Ajv>[0],
) => Pick<Ajv, 'compile' | 'removeSchema' | 'addKeyword' | 'removeKeyword'>;

async function classOf(dialect: Dialect): Promise<AjvClass> {
  switch (dialect) {
    case '2020-12':
      return (await import('ajv/dist/2020.js')).default.Ajv2020;
    case '2019-09':
      return (await import('ajv/dist/2019.js')).default.Ajv2019;
    case 'draft-07':
      return (await import('ajv/dist/ajv.js')).default.Ajv;
  }
}

/** Runs the rules that a keyword of our own carries. */
function rulesOf(keyword: string): (rules: readonly RuleCheck[]) => DataValidateFunction {
  return (rules) => {
    const run: DataValidateFunction = (value: unknown, context) => {
      let failed: RuleCheck[] | undefined;
      for (const rule of rules) if (!rule.test(value)) (failed ??= []).push(rule);
      if (failed === undefined) return true;
      const holder = context?.parentData as unknown;
      const object = isObject(holder) ? holder : undefined;
      run.errors = failed.map((rule) => ({
        keyword,
        params: { rule },
        message: rule.explain(value, object),
        data: value,
      }));
      return false;
    };
    return run;
  };
}
