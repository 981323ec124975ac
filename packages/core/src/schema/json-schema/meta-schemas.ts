import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { once } from '../../protocol/maybe-promise.js';
import type { SchemaDialect } from './json-schema.js';

/** Validates a schema against the meta-schema of its dialect. */
export interface MetaSchemaCheck {
  (schema: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/**
 * For each dialect, a function that validates schemas against the meta-schema of the dialect.
 *
 * ajv needs 100 ms to compile a meta-schema. Therefore, in the published package, `scripts/bundle.mjs` replaces
 * this module with compiled code from `compileMetaSchema()`. Only tests and unbundled sources compile the
 * meta-schemas here.
 */
export const META_SCHEMAS: Readonly<Record<SchemaDialect, MetaSchemaCheck>> = {
  '2020-12': whenUsed('2020-12'),
  '2019-09': whenUsed('2019-09'),
  'draft-07': whenUsed('draft-07'),
};

function whenUsed(dialect: SchemaDialect): MetaSchemaCheck {
  const compiled = once(() => compileMetaSchema(dialect).check);
  const check: MetaSchemaCheck = (schema) => {
    const isValid = compiled()(schema);
    check.errors = compiled().errors ?? null;
    return isValid;
  };
  return check;
}

const CLASSES = {
  '2020-12': { Class: Ajv2020, id: 'https://json-schema.org/draft/2020-12/schema' },
  '2019-09': { Class: Ajv2019, id: 'https://json-schema.org/draft/2019-09/schema' },
  'draft-07': { Class: Ajv, id: 'http://json-schema.org/draft-07/schema' },
} as const;

/**
 * Compiles a meta-schema.
 *
 * @param code ajv's options for generated code.
 * @returns the function that validates schemas, and the ajv instance
 * that compiled the meta-schema.
 */
export function compileMetaSchema(
  dialect: SchemaDialect,
  code: Options['code'] = {},
): { readonly check: MetaSchemaCheck; readonly ajv: Ajv } {
  const { Class, id } = CLASSES[dialect];
  const options: Options = { strict: false, validateFormats: false, logger: false, code };
  const { schemas }: Ajv = new Class(options);
  // ajv compiles its own meta-schemas with options that follow `unevaluatedProperties`, which they do not use.
  const ajv: Ajv = new Class({ ...options, meta: false, validateSchema: false });
  ajv.opts.unevaluated = false;
  for (const known of Object.values(schemas)) if (known) ajv.addSchema(known.schema);
  const compiled = ajv.getSchema(id);
  if (!compiled) throw new Error(`ajv has no meta-schema of ${dialect}`);
  return { check: compiled as MetaSchemaCheck, ajv };
}
