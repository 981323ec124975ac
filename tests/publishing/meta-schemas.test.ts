import { expect, test } from '@jest/globals';
import { META_SCHEMAS as SOURCE } from '../../packages/core/dist/schema/json-schema/meta-schemas.js';

const PUBLISHED = '../../packages/core/dist/bundle/schema/json-schema/meta-schemas.js';
const { META_SCHEMAS } = (await import(PUBLISHED)) as { META_SCHEMAS: typeof SOURCE };

const SCHEMAS: readonly unknown[] = [
  true,
  {},
  { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] },
  { $defs: { a: { $anchor: 'a' } }, $ref: '#a', unevaluatedProperties: false },
  { $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } },
  { minimum: 'x' },
  { enum: 5 },
  { type: ['string', 'null'] },
  { type: ['string', 'string'] },
  { required: ['a', 'a'] },
  { properties: { deep: { allOf: [] } } },
  { $anchor: 'not an anchor' },
  { items: [{ type: 'string' }], additionalItems: { type: 'no type' } },
  5,
];

test.each(['2020-12', '2019-09', 'draft-07'] as const)(
  'the published meta-schema of %s says what the one of the sources says',
  (dialect) => {
    const verdicts = (checks: typeof SOURCE): unknown[] =>
      SCHEMAS.map((schema) => [checks[dialect](schema), checks[dialect].errors]);
    expect(verdicts(META_SCHEMAS)).toEqual(verdicts(SOURCE));
    expect(SCHEMAS.some((schema) => META_SCHEMAS[dialect](schema))).toBe(true);
  },
);
