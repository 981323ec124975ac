import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { compareSchemas } from '../../src/schema/compare-schemas.js';
import { schemas } from '../fixtures/schemas.js';

type Schema = Record<string, unknown>;

const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'x', 'y', 'abcdefg', null, true),
  fc.integer({ min: -1, max: 12 }),
  fc.double(),
);
const values = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

/** Every copy of a schema that lacks one of its members, wherever that is. */
function reductions(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return (value as unknown[]).flatMap((item, at) =>
      reductions(item).map((reduced) => (value as unknown[]).with(at, reduced)),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Schema).flatMap(([key, member]) => {
    const { [key]: _, ...rest } = value as Schema;
    return [rest, ...reductions(member).map((reduced) => ({ ...rest, [key]: reduced }))];
  });
}

/**
 * A schema and one that has a member fewer. In what `oneOf` accepts, more of a branch may be less of the whole, and a validator
 * may never come back from a schema that is only itself.
 */
const related = schemas
  .filter((schema) => !/oneOf|elsewhere|"not"|"\$ref":"#"/.test(JSON.stringify(schema)))
  .chain((schema) => fc.tuple(fc.constant(schema), fc.constantFrom(...(reductions(schema) as Schema[]))));

test('a schema that is only wider than another accepts all that the other does', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const accepts = (schema: Schema, value: unknown) => ajv.compile(schema)(value);
  fc.assert(
    fc.property(
      related,
      fc.boolean(),
      fc.array(values, { minLength: 10, maxLength: 10 }),
      ([full, less], isSwapped, tried) => {
        const [before, after] = isSwapped ? [less, full] : [full, less];
        const effects = compareSchemas(before, after).map(({ effect }) => effect);
        fc.pre(effects.every((effect) => effect === 'wider' || effect === 'wording'));
        try {
          ajv.compile(before);
          ajv.compile(after);
        } catch {
          return fc.pre(false);
        }
        for (const value of tried)
          if (accepts(before, value)) expect([value, accepts(after, value)]).toEqual([value, true]);
      },
    ),
    { numRuns: 300 },
  );
});
