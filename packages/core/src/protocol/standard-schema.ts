import { isObject } from './json.js';

/** The result of validation by another library's schema. */
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

/** One reason why a value is invalid. The library of the schema writes its message. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The dialect of JSON Schema to use. */
interface StandardJsonSchemaOptions {
  readonly target: 'draft-2020-12';
}

/**
 * A schema of another library, such as zod, valibot or arktype (standardschema.dev, version 1). It must also support
 * conversion to JSON Schema (Standard JSON Schema, version 1). zod and arktype support this conversion. For valibot,
 * install `@valibot/to-json-schema`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Validates a value, and returns the output. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      /** Returns the JSON Schema of the values that `validate` accepts. */
      readonly input: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
      /** Returns the JSON Schema of the values that `validate` returns. */
      readonly output: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
    };
  };
}

/**
 * Whether a value is a schema of another library. The value can be a function, because schemas of arktype are
 * functions.
 */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false;
  const standard: unknown = Reflect.get(value, '~standard');
  return isObject(standard) && typeof standard['validate'] === 'function';
}
