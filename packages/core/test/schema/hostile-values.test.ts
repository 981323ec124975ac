import 'reflect-metadata';
import { describe, expect, jest, test } from '@jest/globals';
import { Allow, ArrayUnique, IsInt, IsNumber, IsOptional } from 'class-validator';
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
    const unknown = Object.fromEntries(Array.from({ length: 11_000 }, (_, at) => [`p${at}`, at]));
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

describe('items that must differ', () => {
  const COUNT = 500;

  test('are looked at once each by @ArrayUnique', async () => {
    class Query {
      @ArrayUnique()
      @Allow({ each: true })
      list!: unknown[];

      @ArrayUnique((one: { id: number }) => one.id)
      @Allow({ each: true })
      @IsOptional()
      parts?: unknown[];
    }
    const made = await planClass(Query);
    const numbers = Array.from({ length: COUNT }, (_, at) => at);
    const parts = numbers.map((id) => ({ id }));
    const searches = jest.spyOn(Array.prototype, 'indexOf');
    expect(await accepts(made, { list: numbers })).toBe(true);
    expect(await accepts(made, { list: [], parts })).toBe(true);
    expect(searches.mock.calls.length).toBeLessThan(COUNT);
    searches.mockRestore();
    expect(await accepts(made, { list: [...numbers, 0] })).toBe(false);
    expect(await accepts(made, { list: [], parts: [...parts, { id: 7 }] })).toBe(false);
  });

  test('are looked at once each by uniqueItems', async () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', uniqueItems: true }, any: { type: 'array', uniqueItems: false } },
    };
    const made = await plan({ kind: 'schema', schema });
    const looks = { count: 0 };
    const item = (at: number): object => ({
      get at() {
        looks.count++;
        return at;
      },
    });
    const list = Array.from({ length: COUNT }, (_, at) => item(at));
    expect(await accepts(made, { list })).toBe(true);
    expect(looks.count).toBeLessThan(10 * COUNT);
    expect(await accepts(made, { list: [...list, item(3)] })).toBe(false);
    expect(await accepts(made, { any: [1, 1] })).toBe(true);
  });

  test.each([
    [[1, '1', true, 'true', null, 'null', [], {}, '[]', '{}'], true],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      false,
    ],
    [[{ a: 1 }, { a: 1, b: 2 }], true],
    [[0, -0], false],
    [
      [
        [1, 2],
        [2, 1],
      ],
      true,
    ],
    [[[{ a: [] }], [{ a: [] }]], false],
  ])('%j differ: %j', async (list, differ) => {
    const schema = { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } };
    expect(await accepts(await plan({ kind: 'schema', schema }), { list })).toBe(differ);
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
