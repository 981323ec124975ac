import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsOptional, IsString, ValidateNested } from 'class-validator';
import { boundsDepth } from '../../src/schema/json-schema/depth.js';
import { failure, planClass } from './harness.js';

const closed = { type: 'object', additionalProperties: false };

describe('a schema bounds the depth of values', () => {
  test.each([
    ['a text', { type: 'string' }, true],
    ['anything', {}, false],
    ['a closed object', { ...closed, properties: { a: { type: 'number' } } }, true],
    ['an open object', { type: 'object', properties: { a: { type: 'number' } } }, false],
    ['a closed object that holds anything', { ...closed, properties: { a: {} } }, false],
    ['lists of texts', { type: 'array', items: { type: 'string' } }, true],
    ['lists of anything', { type: 'array' }, false],
    [
      'definitions used twice',
      {
        ...closed,
        properties: { a: { $ref: '#/$defs/Part' }, b: { type: 'array', items: { $ref: '#/$defs/Part' } } },
        $defs: { Part: { ...closed, properties: { name: { type: 'string' } } } },
      },
      true,
    ],
    [
      'a definition that holds itself',
      {
        ...closed,
        properties: { a: { $ref: '#/$defs/Part' } },
        $defs: { Part: { ...closed, properties: { part: { $ref: '#/$defs/Part' } } } },
      },
      false,
    ],
    [
      'definitions that hold each other',
      {
        ...closed,
        properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/B' } },
        $defs: {
          A: { ...closed, properties: { b: { $ref: '#/$defs/B' } } },
          B: { ...closed, properties: { a: { $ref: '#/$defs/A' } } },
        },
      },
      false,
    ],
    ['a definition that is not there', { ...closed, properties: { a: { $ref: '#/$defs/None' } } }, false],
    ['a reference of another kind', { ...closed, properties: { a: { $ref: '#/properties/a' } } }, false],
  ])('%s: %#', (_, schema, bounds) => {
    expect(boundsDepth(schema)).toBe(bounds);
  });

  test('a class that holds itself refuses values that are too deep', async () => {
    class Branch {
      @IsString()
      name!: string;

      @IsOptional()
      @ValidateNested()
      @Type(() => Branch)
      branch?: Branch;
    }
    const made = await planClass(Branch);
    let value: object = { name: 'a' };
    for (let level = 0; level < 10_000; level++) value = { name: 'a', branch: value };
    expect((await failure(made, value)).message).toContain('at most 64 levels');
  });
});
