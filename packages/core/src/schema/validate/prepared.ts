import type { JsonSchema } from '../../protocol/json.js';
import type { CompileOptions } from './compiled-schema.js';

/*
 * Validators as code, which `sigil build` writes (`write-verdict.ts`), so that a program that was built compiles none when it runs. They
 * only say whether a value is right; what is wrong with one that is not, the interpreter says.
 */

/** The code of a validator: a function of what compiles its patterns. */
export type PreparedValidator = (pattern: CompileOptions['pattern']) => (value: unknown) => boolean;

/** What else than its schema decides on what a validator is. */
type ValidatorKind = Pick<CompileOptions, 'dialect' | 'ownProperties'>;

const PREPARED = new Map<string, PreparedValidator>();

/** Takes validators in, by the keys of their schemas. */
export function prepareValidators(validators: Readonly<Record<string, PreparedValidator>>): void {
  for (const [key, validator] of Object.entries(validators)) PREPARED.set(key, validator);
}

/** What finds a validator again: the schema itself, so that no other one is taken for it. */
export function validatorKey(schema: JsonSchema, { dialect, ownProperties }: ValidatorKind): string {
  return JSON.stringify([dialect, ownProperties, schema]);
}

/** The validator of a schema, where it has been prepared. */
export function preparedValidator(schema: JsonSchema, kind: ValidatorKind): PreparedValidator | undefined {
  return PREPARED.size === 0 ? undefined : PREPARED.get(validatorKey(schema, kind));
}
