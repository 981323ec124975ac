import equal from 'ajv/dist/runtime/equal.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { CompiledSchema, CompileOptions, PatternTest, ValidatorCompiler } from './compiled-schema.js';
import { FORMATS } from '../describe/wire-form.js';
import { hasRepeated, LENGTHS } from './own-keywords.js';

/*
 * Validators as code, which `sigil build` has ajv write (`standalone.ts`), so that a program that was built compiles none when it runs.
 * What code cannot hold they are given: the schema, whose objects know rules, and the functions below.
 */

/** What the code of validators calls. */
interface ValidatorRun {
  readonly lengths: typeof LENGTHS;
  readonly formats: Readonly<Record<string, (text: string) => boolean>>;
  readonly hasRepeated: typeof hasRepeated;
  readonly equal: (one: unknown, other: unknown) => boolean;
  readonly pattern: (source: string, flags: string) => PatternTest;
}

/** The code of a validator: a function of the schema that it was written for, and of what it calls. */
export type ValidatorCode = (schema: JsonSchema, run: ValidatorRun) => CompiledSchema;

/** The validators of one schema: one stops at the first violation, and one finds them all. */
export type PreparedValidator = Readonly<Record<CompileOptions['report'], ValidatorCode>>;

/** What else than its schema decides on what a validator is. */
export type ValidatorKind = Pick<CompileOptions, 'dialect' | 'ownProperties' | 'isolated'>;

const FORMAT_TESTS = Object.fromEntries(
  Object.entries(FORMATS).map(([name, { accepts }]) => [name, accepts]),
);

const PREPARED = new Map<string, PreparedValidator>();

/** Takes validators in, by the keys of their schemas. */
export function prepareValidators(validators: Readonly<Record<string, PreparedValidator>>): void {
  for (const [key, validator] of Object.entries(validators)) PREPARED.set(key, validator);
}

/** What finds a validator again: the schema itself, so that no other one is taken for it. */
export function validatorKey(
  schema: JsonSchema,
  { dialect, ownProperties, isolated }: ValidatorKind,
): string {
  return JSON.stringify([dialect, ownProperties, isolated, schema]);
}

/** What stands in for a compiler, where the validators of a schema have been prepared. */
export function preparedCompiler(schema: JsonSchema, kind: ValidatorKind): ValidatorCompiler | undefined {
  if (PREPARED.size === 0) return undefined;
  const prepared = PREPARED.get(validatorKey(schema, kind));
  return prepared && ((_, options) => validatorOf(prepared, schema, options));
}

/** The validator of a schema, of its code. */
export function validatorOf(
  prepared: PreparedValidator,
  schema: JsonSchema,
  { report, pattern }: Pick<CompileOptions, 'report' | 'pattern'>,
): CompiledSchema {
  return prepared[report](schema, {
    lengths: LENGTHS,
    formats: FORMAT_TESTS,
    hasRepeated,
    equal: equal.default as unknown as ValidatorRun['equal'],
    pattern,
  });
}
