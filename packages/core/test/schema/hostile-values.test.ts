import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { IsInt, IsNumber } from 'class-validator';
import { accepts, failure, plan, planArguments, planClass } from './harness.js';

describe('a hostile value', () => {
  test('with very many problems is told the first', async () => {
    class Query {
      @IsInt({ each: true })
      list!: number[];
    }
    const made = await planClass(Query);
    const few = await failure(made, { list: Array(900).fill('a') });
    expect(few.issues).toHaveLength(900);
    const many = await failure(made, { list: [1, ...(Array(100_000).fill('a') as unknown[])] });
    expect(many.issues).toMatchObject([{ path: 'list[1]', received: 'the string "a"' }]);
  });

  test('with very many unknown properties is told the first', async () => {
    const made = await planArguments({ name: 'text', type: String });
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`p${at}`, at]));
    expect((await failure(made, { text: 'a', ...unknown })).issues).toMatchObject([{ path: 'p0' }]);
  });

  test('has no number beyond all numbers', async () => {
    class Query {
      @IsInt()
      whole!: number;

      @IsNumber()
      any!: number;
    }
    const made = await planClass(Query);
    const { issues } = await failure(made, JSON.parse('{"whole":1e400,"any":-1e400}'));
    expect(issues.map(({ path }) => path)).toEqual(['whole', 'any']);
    const written = await plan({
      kind: 'schema',
      schema: { type: 'object', properties: { any: { type: 'number' } } },
    });
    expect(await accepts(written, JSON.parse('{"any":1e400}'))).toBe(false);
  });
});

describe('the length of a text', () => {
  test.each([
    ['', 0],
    ['ab', 2],
    ['😀', 1],
    ['a😀b', 3],
    ['😀😀😀', 3],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
  ])('%j is %i code points', async (text, points) => {
    const bounded = (keywords: Record<string, number>): Promise<boolean> =>
      planArguments({ name: 'text', type: String, keywords }).then((made) => accepts(made, { text }));
    expect(await bounded({ minLength: points, maxLength: points })).toBe(true);
    expect(await bounded({ minLength: points + 1 })).toBe(false);
    if (points > 0) expect(await bounded({ maxLength: points - 1 })).toBe(false);
  });

  test('is said in characters', async () => {
    const made = await planArguments({ name: 'text', type: String, keywords: { maxLength: 3 } });
    expect((await failure(made, { text: 'a'.repeat(1000) })).issues).toMatchObject([
      { expected: 'at most 3 characters' },
    ]);
  });
});
