import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import { Equals, IsEnum, IsIn, IsOptional, IsString, ValidateNested } from 'class-validator';
import type { JsonSchema } from '../../src/protocol/json.js';
import type { StandardSchema } from '../../src/protocol/standard-schema.js';
import { createSchemaCompiler } from '../../src/schema/index.js';
import { accepts, plan, planArguments, planClass } from './harness.js';

const byHand = async (property: JsonSchema): Promise<unknown> => {
  const schema = { type: 'object', properties: { value: property } };
  return ((await plan({ kind: 'schema', schema })).advertised['properties'] as JsonSchema)['value'];
};

describe('an advertised schema', () => {
  test.each<[unknown, unknown[]]>([
    ['string', ['a', 'b']],
    ['integer', [1, 2]],
    ['number', [1, 2.5]],
    ['boolean', [true]],
    ['null', [null]],
    [
      ['string', 'null'],
      ['a', null],
    ],
    [
      ['string', 'integer'],
      ['a', 1],
    ],
    [
      ['number', 'array', 'object'],
      [1, 0.5, [], {}],
    ],
  ])('says %j of the values %j [checklist 54]', async (type, values) => {
    expect(await byHand({ enum: values })).toEqual({ type, enum: values });
    const [value] = values;
    if (values.length === 1) expect(await byHand({ const: value })).toEqual({ type, const: value });
  });

  test('keeps the type that is there, and adds none to what it excludes or tests', async () => {
    const typed = { type: ['string', 'integer'], enum: ['a'] };
    const excluding = { type: 'string', not: { const: 'a' }, if: { const: 'b' }, then: {} };
    expect(await byHand(typed)).toEqual(typed);
    expect(await byHand(excluding)).toEqual(excluding);
  });

  test('says the type of every choice a class has, at any depth [checklist 54]', async () => {
    enum Level {
      Low = 1,
      High = 2,
    }
    class Cat {
      kind!: string;
      @IsString() name!: string;
    }
    class Query {
      @IsIn(['asc', 'desc', null]) order!: string | null;
      @IsEnum(Level, { each: true }) levels!: Level[];
      @IsOptional() @Equals(true) agreed?: boolean;
      @ValidateNested()
      @Type(() => Cat, { discriminator: { property: 'kind', subTypes: [{ value: Cat, name: 'cat' }] } })
      pet!: Cat;
    }
    const made = await planClass(Query);
    expect(made.advertised).toMatchObject({
      properties: {
        order: { type: ['string', 'null'], enum: ['asc', 'desc', null] },
        levels: { items: { type: 'integer', enum: [1, 2] } },
        agreed: { type: 'boolean', const: true },
      },
    });
    expect(made.advertised['properties']).toMatchObject({
      pet: { anyOf: [{ properties: { kind: { type: 'string', enum: ['cat'] } } }] },
    });
    const value = { order: null, levels: [1], pet: { kind: 'cat', name: 'Tom' } };
    expect(await accepts(made, value)).toBe(true);
  });

  test('has properties even where there are none, and for arguments of any kind [checklist 54]', async () => {
    const open = { type: 'object', additionalProperties: { type: 'string' } };
    const standard: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) => ({ value }),
        jsonSchema: { input: () => ({ ...open }), output: () => ({ ...open }) },
      },
    };
    const compiler = await createSchemaCompiler({ classes: false });
    for (const source of [
      { kind: 'none' },
      { kind: 'schema', schema: open },
      { kind: 'standard', schema: standard },
    ] as const) {
      expect(compiler.input(source, 'A.b', []).advertised).toMatchObject({ type: 'object', properties: {} });
      expect(compiler.input(source, 'A.b', [], 'keep').advertised).toMatchObject({ properties: {} });
    }
    expect(compiler.output({ kind: 'schema', schema: open }, 'A.b', []).advertised).toEqual(open);
  });

  test('of an input has properties and items at every depth, and of an output what was said [checklist 54]', async () => {
    const bare = { type: 'object', additionalProperties: { type: ['array', 'null'] } };
    const schema = { type: 'object', properties: { bare, tuple: { type: 'array', prefixItems: [{}] } } };
    const compiler = await createSchemaCompiler({ classes: false });
    expect(compiler.input({ kind: 'schema', schema }, 'A.b', []).advertised['properties']).toEqual({
      bare: {
        type: 'object',
        properties: {},
        additionalProperties: { type: ['array', 'null'], items: {} },
      },
      tuple: schema.properties.tuple,
    });
    expect(compiler.output({ kind: 'schema', schema }, 'A.b', []).advertised).toEqual(schema);
  });

  test('says the type of arguments that are chosen from values', async () => {
    const made = await planArguments({ name: 'size', type: { Small: 'S', Large: 'L' } });
    expect(made.advertised['properties']).toEqual({ size: { type: 'string', enum: ['S', 'L'] } });
  });
});
