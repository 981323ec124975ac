import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { IsString, registerDecorator } from 'class-validator';
import { convertStrings, createSchemaCompiler, isDto } from '../../src/schema/index.js';
import { accepts, failure, plan, planArguments, problemsOf } from './harness.js';

enum Size {
  Small = 'S',
  Large = 'L',
}

class Address {
  @IsString() street!: string;
}

describe('single arguments', () => {
  test('are advertised by type and keywords', async () => {
    const made = await planArguments(
      { name: 'a', type: Number, keywords: { minimum: 0, description: 'First' } },
      { name: 'b', type: String, required: false },
      { name: 'c', type: Array, items: Boolean, keywords: { minItems: 1 } },
      { name: 'd', type: Size, keywords: { default: 'S' } },
      { name: 'e', type: Number, keywords: { type: 'integer' } },
      { name: 'f', keywords: { enum: [1, 2] } },
    );
    expect(made.advertised).toEqual({
      type: 'object',
      properties: {
        a: { type: 'number', minimum: 0, description: 'First' },
        b: { type: 'string' },
        c: { type: 'array', items: { type: 'boolean' }, minItems: 1 },
        d: { type: 'string', enum: ['S', 'L'], default: 'S' },
        e: { type: 'integer' },
        f: { type: 'integer', enum: [1, 2] },
      },
      required: ['a', 'c', 'e', 'f'],
      additionalProperties: false,
    });
  });

  test('pass as they are when nothing is to be done', async () => {
    const value = { a: 1 };
    expect((await planArguments({ name: 'a', type: Number })).check(value)).toBe(value);
  });

  test('get defaults, a new one each time', async () => {
    const made = await planArguments({
      name: 'tags',
      type: Array,
      items: String,
      keywords: { default: ['x'] },
    });
    const first = made.check({}) as { tags: string[] };
    first.tags.push('y');
    expect(made.check({})).toEqual({ tags: ['x'] });
  });

  test('may be dates, big integers and DTOs', async () => {
    const made = await planArguments(
      { name: 'when', type: Date },
      { name: 'id', type: BigInt },
      { name: 'home', type: Address },
      { name: 'others', type: Array, items: () => Address },
    );
    const value = made.check({
      when: '2026-01-01T00:00:00Z',
      id: '9007199254740993',
      home: { street: 'a' },
      others: [{ street: 'b' }],
    }) as { when: Date; id: bigint; home: Address; others: Address[] };
    expect(value.when.getUTCFullYear()).toBe(2026);
    expect(value.id).toBe(9007199254740993n);
    expect(value.home).toBeInstanceOf(Address);
    expect(value.others[0]).toBeInstanceOf(Address);
    expect(made.advertised['properties']).toHaveProperty('home.properties.street');
    expect(await accepts(made, { when: 'x', id: '1', home: { street: 'a' }, others: [] })).toBe(false);
  });

  test('that are DTOs keep the rules a schema cannot hold', async () => {
    class Odd {
      value!: unknown;
    }
    registerDecorator({
      name: 'isOdd',
      target: Odd,
      propertyName: 'value',
      validator: {
        validate: (value: unknown) => Number(value) % 2 === 1,
        defaultMessage: () => 'must be odd',
      },
    });
    const made = await planArguments({ name: 'list', type: Array, items: Odd });
    expect(await accepts(made, { list: [{ value: 1 }] })).toBe(true);
    expect((await failure(made, { list: [{ value: 1 }, { value: 2 }] })).issues[0]?.path).toBe(
      'list[1].value',
    );
  });

  test.each([undefined, Object, Function, Promise])('of the erased type %p are a problem', async (type) => {
    const properties = [{ name: 'filter', type, required: true }];
    const [problem] = await problemsOf({ kind: 'properties', properties });
    expect(problem?.code).toBe('SIGIL_ERASED_TYPE');
    expect(problem?.what).toContain('"filter"');
    expect(problem?.fix).toContain("@Arg('filter', { type:");
    expect(problem?.fix).toContain("{ enum: ['s', 'm'] } for a list of values, or { anyOf:");
  });

  test('refuse unknown and hostile names', async () => {
    const made = await planArguments({ name: 'warehouse', type: String });
    expect((await failure(made, { warehouse: 'a', warehose: 'b' })).message).toBe(
      'warehose: unknown property. Did you mean "warehouse"?',
    );
    expect(await accepts(made, JSON.parse('{"warehouse":"a","__proto__":{}}'))).toBe(false);
    expect(
      await problemsOf({
        kind: 'properties',
        properties: [{ name: '__proto__', type: String, required: true }],
      }),
    ).toHaveLength(1);
  });

  test('work without class-validator', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    const made = compiler.input(
      { kind: 'properties', properties: [{ name: 'a', type: Number, required: true }] },
      'A.b',
      [],
    );
    expect(made.ready()).toBeInstanceOf(Promise);
    await made.ready();
    expect(made.ready()).toBeUndefined();
    expect(made.check({ a: 1 })).toEqual({ a: 1 });
  });

  test('are checked later when asked before they are ready', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    const source = { kind: 'properties', properties: [{ name: 'a', type: Number, required: true }] } as const;
    await expect(compiler.input(source, 'A.b', []).check({ a: 'x' })).rejects.toThrow('a: expected a number');
  });
});

test('a handler without arguments takes none', async () => {
  const made = await plan({ kind: 'none' });
  expect(made.advertised).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  expect(made.check(undefined)).toEqual({});
  expect(made.check({})).toEqual({});
  expect((await failure(made, { a: 1 })).message).toBe('a: unknown property; no arguments are taken');
});

test('text converts where nothing is lost', async () => {
  const made = await planArguments(
    { name: 'count', type: Number, keywords: { type: 'integer' } },
    { name: 'ratio', type: Number },
    { name: 'flag', type: Boolean },
    { name: 'text', type: String },
    { name: 'level', keywords: { enum: [1, 2] } },
    { name: 'list', type: Array, items: Number },
    { name: 'address', type: Address },
  );
  const convert = (value: Record<string, unknown>): unknown => convertStrings(value, made.advertised);
  const strings = { count: '42', ratio: '-1.5e3', flag: 'true', text: '42', level: '2', list: ['1', '2'] };
  expect(convert({ ...strings, address: '{"street":"a"}' })).toEqual({
    count: 42,
    ratio: -1500,
    flag: true,
    text: '42',
    level: 2,
    list: [1, 2],
    address: { street: 'a' },
  });
  for (const count of ['007', '9007199254740993', '1e999', '', ' 1', '0x10', 'NaN']) {
    expect(convert({ count })).toEqual({ count });
  }
  expect(convert({ flag: 'yes' })).toEqual({ flag: 'yes' });
});

test('a DTO is a class with rules, its own or inherited', () => {
  class Child extends Address {}
  expect([Address, Child, Size, class {}, undefined, Object].map(isDto)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

describe('keywords of single arguments', () => {
  test.each([
    ['argument "a" has the pattern "(", which is not a regular expression', { pattern: '(' }],
    ['argument "a" has the pattern "(", which is not a regular expression', { items: { pattern: '(' } }],
    ['/properties/a/minimum must be number', { minimum: 'x' }],
    ['/properties/a/enum must be array', { enum: 5 }],
    ['/properties/a/format must be string', { format: 5 }],
    ['/properties/a/minLength must be >= 0', { minLength: -1 }],
    ['/properties/a/multipleOf must be > 0', { multipleOf: 0 }],
    ['/properties/a/anyOf must NOT have fewer than 1 items', { anyOf: [] }],
  ])('stop the start: %s', async (what, keywords) => {
    const declared = { name: 'a', type: String, required: true, keywords };
    const problems = await problemsOf({ kind: 'properties', properties: [declared] });
    expect(problems).toMatchObject([{ code: 'SIGIL_INVALID_SCHEMA' }]);
    expect(problems[0]?.what).toContain(what);
  });

  test('of other vocabularies are no mistake', async () => {
    const declared = { name: 'a', type: String, required: true, keywords: { 'x-unit': 'kg', pattern: '^a' } };
    expect(await problemsOf({ kind: 'properties', properties: [declared] })).toEqual([]);
  });
});
