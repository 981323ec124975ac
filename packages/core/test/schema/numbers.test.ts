import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { ArrayMinSize, IsInt, IsNumber, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { Describe } from '../../src/index.js';
import { accepts, planClass, problemsOf } from './harness.js';

describe('a number that JSON cannot carry is a problem', () => {
  test('as a limit of a decorator', async () => {
    class Query {
      @Min(NaN) least!: number;
      @Max(Infinity) most!: number;
      @MinLength(NaN) text!: string;
      @ArrayMinSize(NaN) @IsInt({ each: true }) list!: number[];
    }
    expect(await problemsOf({ kind: 'class', cls: Query })).toEqual(
      ['least has NaN as a limit of "min"', 'most has Infinity as a limit of "max"']
        .concat(['text has NaN as a limit of "minLength"', 'list has NaN as a limit of "arrayMinSize"'])
        .map((what) => ({
          code: 'SIGIL_INVALID_SCHEMA',
          where: 'Fixture.method, parameter 0',
          what: `Query.${what}, but JSON only has finite numbers`,
          fix: 'write a finite number, or leave the decorator out',
        })),
    );
  });

  test('as a limit that is no number', async () => {
    class Query {
      @Min('x' as never) least!: number;
      @Max(undefined as never) most!: number;
    }
    const of = ' of "min", but a limit must be a number';
    expect(await problemsOf({ kind: 'class', cls: Query })).toMatchObject([
      { what: `Query.least has the string "x" as a limit${of}` },
      { what: expect.stringContaining('as a limit of "max", but a limit must be a number') },
    ]);
  });

  test('as an example', async () => {
    class Query {
      @Describe('How many', { examples: [1, NaN] }) @IsNumber() count!: number;
    }
    expect(await problemsOf({ kind: 'class', cls: Query })).toMatchObject([
      { what: 'Query.count has @Describe() with NaN at /examples/1, but JSON only has finite numbers' },
    ]);
  });

  test('in the keywords of an argument', async () => {
    const keywords = { minimum: NaN };
    const properties = [{ name: 'count', type: Number, required: true, keywords }];
    expect(await problemsOf({ kind: 'properties', properties })).toMatchObject([
      {
        code: 'SIGIL_INVALID_SCHEMA',
        what: 'the keywords of argument "count" contain NaN at /minimum, but JSON only has finite numbers',
      },
    ]);
  });

  test('but no length that has no end, which no schema needs to say', async () => {
    class Query {
      @IsString() @MaxLength(Infinity) text!: string;
    }
    expect(await accepts(await planClass(Query), { text: 'a' })).toBe(true);
  });
});
