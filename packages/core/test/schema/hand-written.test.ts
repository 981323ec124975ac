import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import type { DefinitionProblem } from '../../src/errors/errors.js';
import type { JsonSchema } from '../../src/protocol/json.js';
import { createSchemaCompiler } from '../../src/schema/index.js';
import { defineTool } from '../../src/index.js';
import { appOf, statelessClient, textOf } from '../harness.js';
import { accepts, failure, plan, problemsOf } from './harness.js';

const V2019 = 'https://json-schema.org/draft/2019-09/schema';
const V7 = 'http://json-schema.org/draft-07/schema#';
const written = (schema: JsonSchema): { kind: 'schema'; schema: JsonSchema } => ({ kind: 'schema', schema });

describe('a hand-written schema', () => {
  test('reaches clients unchanged', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/order',
      type: 'object',
      properties: { kind: { $ref: '#/$defs/kind' }, note: { $ref: '#note' } },
      allOf: [{ if: { properties: { kind: { const: 'a' } } }, then: { required: ['note'] }, else: {} }],
      $defs: { kind: { type: 'string', enum: ['a', 'b'] }, note: { $anchor: 'note', type: 'string' } },
      'x-own': true,
    };
    const before = JSON.stringify(schema);
    const made = await plan(written(schema));
    expect(made.advertised).toEqual(schema);
    expect(await accepts(made, { kind: 'b' })).toBe(true);
    expect((await failure(made, { kind: 'a' })).issues[0]?.path).toBe('note');
    expect((await failure(made, { kind: 'c' })).message).toContain('one of "a", "b"');
    expect(JSON.stringify(schema)).toBe(before);
  });

  test('may be in draft-07, or used twice with one identifier', async () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.com/pair',
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      },
    };
    const compiler = await createSchemaCompiler({ classes: false });
    for (const copy of [schema, structuredClone(schema)]) {
      const made = compiler.input(written(copy), 'A.b', []);
      await made.ready();
      expect(await accepts(made, { pair: ['a', 1] })).toBe(true);
      expect(await accepts(made, { pair: [1, 'a'] })).toBe(false);
    }
  });

  test('of two tools may have one identifier, and each is held to its own', async () => {
    const input = (type: string) => ({
      $id: 'https://example.com/item',
      type: 'object' as const,
      properties: { item: { $ref: '#/$defs/part' } },
      $defs: { part: { $id: 'https://example.com/part', type } },
    });
    const definitions = ['string', 'number'].map((type) =>
      defineTool({ name: type, input: input(type), handle: () => type }),
    );
    const client = statelessClient(await appOf({ definitions }));
    for (const [name, right, wrong] of [
      ['string', 'a', 1],
      ['number', 1, 'a'],
      ['string', 'b', 2],
    ] as const) {
      expect(textOf(await client.call(name, { item: right }))).toBe(name);
      expect(await client.call(name, { item: wrong })).toMatchObject({ isError: true });
    }
  });

  test('may name dialects within, which are not heeded', async () => {
    const a = {
      $schema: 'https://example.com/mine',
      items: { $schema: V7, prefixItems: [{ type: 'string' }] },
    };
    const made = await plan(written({ type: 'object', properties: { a } }));
    expect(await accepts(made, { a: [['x']] })).toBe(true);
    expect(await accepts(made, { a: [[1]] })).toBe(false);
  });

  test('may have patterns that are invalid with the u flag', async () => {
    const made = await plan(written({ type: 'object', properties: { a: { pattern: '^[\\w-\\.]+\\_$' } } }));
    expect(await accepts(made, { a: 'x_' })).toBe(true);
    expect(await accepts(made, { a: 'x' })).toBe(false);
  });

  test('may refer to what it is within, by a step into the value', async () => {
    const made = await plan(
      written({
        type: 'object',
        properties: { next: { $ref: '#' }, both: { allOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }] } },
        $defs: { n: { type: 'number' } },
      }),
    );
    expect(await accepts(made, { next: { next: { both: 1 } } })).toBe(true);
    expect(await accepts(made, { next: { next: { both: 'a' } } })).toBe(false);
  });

  test('may refer to its own root, whichever others there are', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    const plans = ['string', 'number'].map((type) =>
      compiler.input(
        written({
          type: 'object',
          required: ['v'],
          properties: { v: { type }, a: { $ref: '#' }, b: { $ref: '#/$defs/d' } },
          $defs: { d: { items: { $ref: '#' } } },
        }),
        'A.b',
        [],
      ),
    );
    for (const made of plans) await made.ready();
    expect(await accepts(plans[0]!, { v: 'x', a: { v: 'y' }, b: [{ v: 'z' }] })).toBe(true);
    expect(await accepts(plans[0]!, { v: 'x', a: { v: 1 } })).toBe(false);
    expect(await accepts(plans[0]!, { v: 'x', b: [{ v: 1 }] })).toBe(false);
    expect(await accepts(plans[1]!, { v: 1, a: { v: 1 }, b: [{ v: 2 }] })).toBe(true);
    expect(await accepts(plans[1]!, { v: 1, b: [{ v: 'z' }] })).toBe(false);
  });

  test('requires own properties, also by names every object inherits', async () => {
    const made = await plan(written({ type: 'object', required: ['toString'] }));
    expect(await accepts(made, {})).toBe(false);
  });

  test('refuses values that are too deep', async () => {
    const made = await plan(written({ type: 'object', properties: { a: { $ref: '#' } } }));
    let value: object = {};
    for (let level = 0; level < 20_000; level += 1) value = { a: value };
    expect((await failure(made, value)).message).toContain('64 levels');
  });

  let deep: JsonSchema = { type: 'string' };
  for (let level = 0; level < 70; level += 1) deep = { type: 'object', properties: { a: deep } };
  const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`p${index}`, {}]));
  test.each([
    ['is not an object', 'text'],
    ['at its root', { type: 'string' }],
    ['only local references', { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } }],
    ['which is not in the schema', { type: 'object', properties: { a: { $ref: '#/$defs/missing' } } }],
    ['leads back to itself', { type: 'object', properties: { a: { $ref: '#/properties/a' } } }],
    ['leads back to itself', { type: 'object', allOf: [{ not: { $ref: '#' } }] }],
    [
      'leads back to itself',
      {
        type: 'object',
        $defs: { x: { allOf: [{ $ref: '#/$defs/y' }] }, y: { anyOf: [{ $ref: '#/$defs/x' }] } },
      },
    ],
    ['not valid in 2020-12: /properties/a/type', { type: 'object', properties: { a: { type: 'strnig' } } }],
    ['deeper than 64', deep],
    ['more than 2000', { type: 'object', properties: many }],
    ['NaN at /properties/a/minimum, but', { type: 'object', properties: { a: { minimum: NaN } } }],
    [
      'Infinity at /properties/a~1b/maximum',
      { type: 'object', properties: { 'a/b': { maximum: Infinity } } },
    ],
    ['-Infinity at /examples/0/a', { type: 'object', examples: [{ a: -Infinity }] }],
    ['names something "__proto__"', { type: 'object', properties: { ['__proto__']: { type: 'string' } } }],
    ['names something "__proto__"', { type: 'object', dependentRequired: { ['__proto__']: ['a'] } }],
    ['larger than 256 KB', { type: 'object', description: 'x'.repeat(300_000) }],
  ])('is refused at boot when it %s', async (what, schema) => {
    const [problem] = await problemsOf(written(schema as JsonSchema));
    expect(problem?.code).toBe('SIGIL_INVALID_SCHEMA');
    expect(problem?.what).toContain(what);
  });

  test.each<[what: string, schema: JsonSchema, problem: string]>([
    ['a limit', { properties: { a: { minimum: 'x' } } }, '2020-12: /properties/a/minimum must be number'],
    ['a pattern', { properties: { a: { pattern: '(' } } }, 'has the pattern "(", which is not a regular'],
    ['an enum', { properties: { a: { enum: 5 } } }, '/properties/a/enum must be array'],
    ['an enum of nothing', { properties: { a: { enum: [] } } }, 'enum'],
    ['a limit of 2019-09', { $schema: V2019, minProperties: -1 }, '2019-09: /minProperties must be >= 0'],
    ['a limit of draft-07', { $schema: V7, maxProperties: '1' }, 'draft-07: /maxProperties must be integer'],
    [
      'a dialect',
      { $schema: 'https://example.com/mine' },
      'has the unknown $schema "https://example.com/mine"',
    ],
  ])(
    'is refused at boot for %s that its meta-schema does not know [checklist 64]',
    async (_, schema, problem) => {
      const problems = await problemsOf(written({ type: 'object', ...schema }));
      expect(problems).toMatchObject([
        { where: 'Fixture.method, parameter 0', what: expect.stringContaining(problem) },
      ]);
    },
  );

  test('that is valid and that ajv cannot compile is refused when the app starts', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    const problems: DefinitionProblem[] = [];
    const properties = { a: { $anchor: 'x', type: 'string' }, b: { $anchor: 'x', type: 'number' } };
    compiler.input(written({ type: 'object', properties }), 'Shop.find', problems);
    expect(problems).toEqual([]);
    await compiler.settle(problems);
    expect(problems).toMatchObject([
      { where: 'Shop.find', what: expect.stringContaining('resolves to more than one schema') },
    ]);
  });

  test('that does not compile is reported when warmed', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    const problems: DefinitionProblem[] = [];
    compiler.input(written({ type: 'object', nullable: 'x' }), 'Shop.find', problems);
    expect(problems).toEqual([]);
    await expect(compiler.warm()).rejects.toMatchObject({
      name: 'DefinitionError',
      problems: [{ where: 'Shop.find' }],
    });
  });
});
