import 'reflect-metadata';
import { afterEach, describe, expect, test } from '@jest/globals';
import { IsDate, IsOptional, IsString, Length, Matches, ValidateIf } from 'class-validator';
import { Expose, Transform, Type } from 'class-transformer';
import type { DefinitionProblem } from '../../src/errors/errors.js';
import type { JsonSchema } from '../../src/protocol/json.js';
import { createSchemaCompiler, InvalidValueError, type ValuePlan } from '../../src/schema/index.js';
import { loadValidatorCompiler as loadAjv } from '../../src/schema/validate/ajv.js';
import type { SchemaDialect } from '../../src/schema/json-schema/json-schema.js';
import type { LoadValidatorCompiler, ValidatorCompiler } from '../../src/schema/validate/compiled-schema.js';
import { loadValidatorCompiler as loadInterpreter } from '../../src/schema/validate/interpreter.js';
import { prepareValidators, validatorKey } from '../../src/schema/validate/validate.js';
import { compiledBy, compilers, optionsFor, said } from './compilers.js';
import { accepts, failure, inAnyOrder, plan, told } from './harness.js';
import { loadWritten } from './written.js';

const KINDS: readonly (readonly [name: string, load: LoadValidatorCompiler])[] = [
  ['compiled by ajv', loadAjv],
  ['written by ajv as standalone code', loadWritten],
  ['interpreted by cfworker', loadInterpreter],
];

const V2020 = 'https://json-schema.org/draft/2020-12/schema';
const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };

/** What every kind of validator does. */
describe.each(KINDS)('a schema that is %s', (_, load) => {
  const planned = (schema: JsonSchema): Promise<ValuePlan> => plan({ kind: 'schema', schema }, 'input', load);

  test('tells every problem of a value', async () => {
    const made = await planned({
      type: 'object',
      properties: {
        sku: { type: 'string', pattern: '^[A-Z]+$' },
        count: { type: 'integer', minimum: 1 },
        size: { enum: ['s', 'm'] },
        kind: { const: 'order' },
        note: { type: 'string', maxLength: 3 },
        tags: { type: 'array', items: TEXT, maxItems: 1, uniqueItems: true },
        price: { type: 'number', multipleOf: 2, exclusiveMaximum: 10 },
      },
      required: ['sku', 'buyer'],
      additionalProperties: false,
    });
    const wrong = {
      sku: 'a',
      count: 0,
      size: 'l',
      kind: 'x',
      note: '😀😀😀😀',
      tags: ['a', 'a', 1],
      price: 11,
      colour: 'red',
    };
    expect(inAnyOrder(await told(made, wrong))).toEqual([
      'buyer: required, expected a value; received nothing',
      'colour: unknown property. Known properties: "sku", "count", "size", "kind", "note", "tags", "price".',
      'count: expected a number at least 1; received 0',
      'kind: expected "order"; received the string "x"',
      'note: expected at most 3 characters; received the string "😀😀😀😀"',
      'price: expected a multiple of 2; received 11',
      'price: expected a number less than 10; received 11',
      'size: expected one of "s", "m"; received the string "l"',
      'sku: expected a string that matches ^[A-Z]+$; received the string "a"',
      'tags: expected at most 1 item; received an array of 3',
      'tags: must not have an element twice; received an array of 3',
      'tags[2]: expected a string; received 1',
    ]);
  });

  test('takes names of the prototype, of keywords, and with signs in them for what they are', async () => {
    const names = ['toString', 'contains', 'patternProperties', '$ref', 'a/b~c', 'd.e', 'ü %'];
    const made = await planned({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, NUMBER])),
      required: names,
    });
    expect(await accepts(made, Object.fromEntries(names.map((name) => [name, 1])))).toBe(true);
    const { issues } = await failure(made, Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(issues.map(({ expected }) => expected)).toEqual(names.map(() => 'a number'));
    expect((await failure(made, {})).issues).toHaveLength(names.length);
  });

  test('follows references, and those that lead to themselves', async () => {
    const made = await planned({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/tree' }, any: { $ref: '#named' } },
      $defs: {
        tree: {
          type: 'object',
          properties: { at: { type: 'string', format: 'sigil-url' }, next: { $ref: '#/$defs/tree' } },
          required: ['at'],
        },
        named: { $anchor: 'named', type: 'integer' },
      },
    });
    const at = 'https://example.com/';
    expect(await accepts(made, { tree: { at, next: { at } }, any: 1 })).toBe(true);
    const { issues } = await failure(made, { tree: { at, next: { at: 'x', next: {} } }, any: 'x' });
    expect(issues.map(({ path }) => path).sort()).toEqual(['any', 'tree.next.at', 'tree.next.next.at']);
  });

  test('checks formats and lengths of ours within alternatives and conditions', async () => {
    const made = await planned({
      type: 'object',
      properties: {
        when: { anyOf: [{ type: 'string', format: 'sigil-date' }, { type: 'null' }] },
        one: {
          anyOf: [
            { type: 'string', sigilMaxCharacters: 1 },
            { type: 'string', sigilMinCharacters: 3 },
          ],
        },
        chosen: { if: { maxLength: 2 }, then: {}, else: { format: 'sigil-url' } },
        list: { type: 'array', prefixItems: [NUMBER], items: { sigilMinCharacters: 2 } },
      },
      additionalProperties: { type: 'string', format: 'sigil-base64' },
    });
    const right = { when: '2026-01-01', one: 'a', chosen: 'ab', list: [1, 'ab'], other: 'QUJD' };
    const verdicts = async (name: string, ...values: readonly unknown[]): Promise<boolean[]> =>
      Promise.all(values.map((value) => accepts(made, { ...right, [name]: value })));
    expect(await accepts(made, right)).toBe(true);
    expect(await verdicts('when', null, 'soon', 1)).toEqual([true, false, false]);
    expect(await verdicts('one', 'abc', 'ab')).toEqual([true, false]);
    expect(await verdicts('chosen', 'https://example.com/', 'abc')).toEqual([true, false]);
    expect(await verdicts('list', ['x'], [1, 'a'])).toEqual([false, false]);
    expect(await verdicts('other', 'x')).toEqual([false]);
  });

  test.each([
    [
      true,
      [
        '2024-02-29',
        '2000-02-29T00:00:00Z',
        '0000-02-29',
        '-000004-02-29',
        '2026-12-31T23:59:59.999+14:00',
        '2026-07-28 10:00:00Z',
      ],
    ],
    [
      false,
      [
        '2026-02-30',
        '2026-02-31T10:00:00Z',
        '2025-02-29',
        '1900-02-29',
        '2026-04-31 10:00Z',
        '2026',
        '2026-07',
        '2026-06-30T10:00',
        '+002026-02-30',
        '2026-2-30',
        '2026/06/31',
        '2026/06/30',
        '12',
        '-1',
        '100',
        '5 May 2025',
        '2026-1-1',
        '',
      ],
    ],
  ])(
    'says %s of texts that are dates in ISO 8601 or not, and of days that a calendar has or has not',
    async (isThere, days) => {
      class Meeting {
        @IsDate() @Type(() => Date) day!: Date;
        @IsOptional() other?: Date;
        @ValidateIf(() => true) @IsDate() sometimes!: Date;
      }
      class Transformed extends Meeting {
        @Transform(({ value }) => value as unknown) @IsString() title: string = '';
        @Expose({ name: 'renamed' }) @IsOptional() @IsDate() @Type(() => Date) own?: Date;
      }
      const meeting = await plan({ kind: 'class', cls: Meeting }, 'input', load);
      const transformed = await plan({ kind: 'class', cls: Transformed }, 'input', load);
      const day = { name: 'day', type: Date, required: true };
      const argument = await plan({ kind: 'properties', properties: [day] }, 'input', load);
      const right = { day: '2026-01-01', sometimes: '2026-01-01' };
      for (const text of days) {
        const found = [await accepts(argument, { day: text })];
        for (const name of ['day', 'other', 'sometimes'])
          found.push(await accepts(meeting, { ...right, [name]: text }));
        for (const name of ['day', 'other', 'sometimes', 'renamed'])
          found.push(await accepts(transformed, { ...right, [name]: text }));
        expect([text, ...found]).toEqual([text, ...found.map(() => isThere)]);
      }
    },
  );

  test('runs patterns that the native engine is slow on', async () => {
    const made = await planned({ type: 'object', properties: { a: { pattern: '^(a+)+$' } } });
    expect(await accepts(made, { a: 'aaa' })).toBe(true);
    expect(await accepts(made, { a: `${'a'.repeat(50_000)}!` })).toBe(false);
  });

  test('refuses numbers beyond all numbers', async () => {
    const made = await planned({ type: 'object', properties: { a: NUMBER } });
    expect(await accepts(made, JSON.parse('{"a":1e400}'))).toBe(false);
  });

  test('refuses an unknown property whose name has half a character', async () => {
    const made = await planned({ type: 'object', properties: { a: NUMBER }, additionalProperties: false });
    expect((await failure(made, JSON.parse('{"\\ud800":1}'))).issues).toMatchObject([
      { expected: 'no such property' },
    ]);
  });

  test('compares many items without holding the event loop', async () => {
    const compile = await load('2020-12');
    const unique = { type: 'array', uniqueItems: true, items: { anyOf: [TEXT, { required: ['n'] }] } };
    const validate = compile(unique, optionsFor('2020-12', { report: 'first violation' }));
    let reads = 0;
    const item = (n: number): object => ({
      get n() {
        reads += 1;
        return n;
      },
    });
    expect(validate(Array.from({ length: 20_000 }, (_unused, n) => item(n)))).toBe(true);
    expect(reads).toBeLessThan(10 * 20_000);
  });

  test('is in the dialect that it names', async () => {
    const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
    const tuple = await planned({
      ...draft7,
      properties: { a: { items: [NUMBER, TEXT], additionalItems: false } },
    });
    expect(await accepts(tuple, { a: [1, 'a'] })).toBe(true);
    expect(await accepts(tuple, { a: [1, 'a', 2] })).toBe(false);
    expect(await accepts(tuple, { a: ['a'] })).toBe(false);
    const dependent = await planned({
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      type: 'object',
      dependentRequired: { a: ['b'] },
    });
    expect(await accepts(dependent, { a: 1, b: 1 })).toBe(true);
    expect(await accepts(dependent, { a: 1 })).toBe(false);
  });

  const V2019 = 'https://json-schema.org/draft/2019-09/schema';
  const V7 = 'http://json-schema.org/draft-07/schema#';
  const LONG = `^${'ab?'.repeat(100)}`;
  test.each<[keyword: string, schema: JsonSchema, value: unknown, told: string | readonly string[]]>([
    ['items', { prefixItems: [{}], items: false }, [1, 2, 3], 'at most 1 item; received an array of 3'],
    ['items of draft-07', { $schema: V7, items: false }, [1], ': a[0]: expected no value here; received 1'],
    [
      'additionalItems of draft-07',
      { $schema: V7, items: [{}, {}], additionalItems: false },
      [1, 2, 3],
      'at most 2 items; received an array of 3',
    ],
    [
      'additionalItems of 2019-09',
      { $schema: V2019, items: [{}], additionalItems: TEXT },
      [1, 2],
      ': a[1]: expected a string; received 2',
    ],
    [
      'unevaluatedItems',
      { prefixItems: [{}], unevaluatedItems: false },
      [1, 2],
      'at most 1 item; received an array of 2',
    ],
    [
      'a schema in unevaluatedItems',
      { prefixItems: [{}], unevaluatedItems: TEXT },
      [1, 2],
      ': a[1]: expected a string; received 2',
    ],
    ['contains', { contains: TEXT }, [], 'an array with an item that fits; received an array of 0'],
    [
      'minContains',
      { contains: TEXT, minContains: 2 },
      ['a'],
      'an array with at least 2 items that fit; received an array of 1',
    ],
    [
      'maxContains',
      { contains: TEXT, maxContains: 1 },
      ['a', 'b'],
      'an array with exactly 1 item that fits; received an array of 2',
    ],
    [
      'minContains and maxContains',
      { $schema: V2019, contains: TEXT, minContains: 2, maxContains: 3 },
      ['a'],
      'an array with 2 to 3 items that fit; received an array of 1',
    ],
    [
      'propertyNames',
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      ': a.abc: the name of a property, expected at most 2 characters; received the name "abc"',
    ],
    [
      'propertyNames of nothing',
      { propertyNames: false },
      { b: 1 },
      ': a.b: expected no property; received the name "b"',
    ],
    [
      'dependentRequired',
      { dependentRequired: { b: ['c', 'd'] } },
      { b: 1, d: 1 },
      ': a.c: required beside "b", expected a value; received nothing',
    ],
    [
      'dependencies',
      { $schema: V7, dependencies: { b: ['c'], d: { required: ['e'] } } },
      { b: 1, d: 1 },
      [
        ': a.c: required beside "b", expected a value; received nothing',
        ': a.e: required, expected a value; received nothing',
      ],
    ],
    [
      'dependentSchemas',
      { dependentSchemas: { b: { maxProperties: 1 } } },
      { b: 1, c: 1 },
      'at most 1 property; received an object',
    ],
    [
      'dependentSchemas of nothing',
      { dependentSchemas: { b: false } },
      { b: 1 },
      'no value here; received an object',
    ],
    ['minProperties', { minProperties: 2 }, {}, 'at least 2 properties; received an object'],
    [
      'unevaluatedProperties',
      { properties: { b: {} }, unevaluatedProperties: false },
      { b: 1, c: 1 },
      ': a.c: unknown property. Known properties: "b".',
    ],
    [
      'patternProperties of nothing',
      { patternProperties: { '^b': false } },
      { b1: 1 },
      ': a.b1: expected no value here; received 1',
    ],
    [
      'properties of nothing',
      { properties: { b: false } },
      { b: 1 },
      ': a.b: expected no value here; received 1',
    ],
    ['if', { if: NUMBER, then: false }, 1, 'no value here; received 1'],
    ['anyOf of nothing', { anyOf: [false, false] }, 1, 'no value here; received 1'],
    [
      'oneOf',
      { oneOf: [NUMBER, { minimum: 1 }] },
      1,
      'a value that fits exactly one of the alternatives; received 1',
    ],
    ['not of anything', { not: {} }, 1, 'no value here; received 1'],
    ['not of a type', { not: NUMBER }, 1, 'anything but a number; received 1'],
    ['not of a limit', { not: { minimum: 1 } }, 1, 'anything but a number at least 1; received 1'],
    [
      'not of names',
      { not: { required: ['b'] } },
      { b: 1 },
      'anything but an object with "b"; received an object',
    ],
    [
      'not of an item',
      { not: { contains: { enum: [1, 2] } } },
      [1],
      'anything but an array with one of 1, 2; received an array of 1',
    ],
    ['not of much', { not: { minimum: 1, maximum: 3 } }, 1, 'anything but the excluded values; received 1'],
    ['null', { type: 'null' }, 1, 'null; received 1'],
    [
      'pattern',
      { pattern: LONG },
      'x',
      `a string that matches ${LONG.slice(0, 119)}…; received the string "x"`,
    ],
  ])('says in plain words what %s wants', async (_unused, { $schema = V2020, ...a }, value, wanted) => {
    const made = await planned({ $schema, type: 'object', properties: { a, z: NUMBER } });
    const lines = [wanted]
      .flat()
      .map((line) => (line.startsWith(': ') ? line.slice(2) : `a: expected ${line}`));
    expect((await told(made, { a: value })).split('\n').sort()).toEqual(lines);
    expect(inAnyOrder(await told(made, { a: value, z: 'x' }))).toContain(
      'z: expected a number; received the string "x"',
    );
  });

  test('heeds the keywords of its dialect alone', async () => {
    const newer = {
      prefixItems: [TEXT],
      contains: {},
      minContains: 9,
      maxContains: 0,
      unevaluatedItems: false,
      dependentRequired: { b: ['c'] },
      dependentSchemas: { b: false },
      unevaluatedProperties: false,
    };
    const of = ($schema: string): Promise<ValuePlan> =>
      planned({ $schema, type: 'object', properties: { a: newer } });
    for (const a of [[1], { b: 1 }]) expect(await accepts(await of(V7), { a })).toBe(true);
    for (const a of [[1], { b: 1 }]) expect(await accepts(await of(V2019), { a })).toBe(false);
    const tuple = { $schema: V2019, type: 'object', properties: { a: { prefixItems: [TEXT] } } };
    expect(await accepts(await planned(tuple), { a: [1] })).toBe(true);
  });

  test.each([
    ['the identifier of draft-04', { id: 'a' }, 'keyword "id", use "$id"'],
    ['an empty enum', { enum: [] }, 'enum must have non-empty array'],
  ])('is refused for %s', async (_unused, a, what) => {
    await expect(planned({ type: 'object', properties: { a } })).rejects.toMatchObject({
      problems: [{ where: 'Fixture.method, parameter 0', what: expect.stringContaining(what) }],
    });
  });

  test('does not know another one of the same identifier', async () => {
    const compiler = await createSchemaCompiler({ classes: false, validators: load });
    const plans = ['string', 'number'].map((type) =>
      compiler.input(
        {
          kind: 'schema',
          schema: {
            $id: 'https://example.com/same',
            type: 'object',
            properties: { v: { $ref: '#/$defs/v' }, named: { $ref: '#named' }, next: { $ref: '#' } },
            $defs: {
              v: { type },
              named: { $anchor: 'named', type },
              other: { $id: 'https://example.com/other', type },
            },
          },
        },
        'Fixture.method',
        [],
      ),
    );
    const problems: DefinitionProblem[] = [];
    await compiler.settle(problems);
    await compiler.warm();
    expect(problems).toEqual([]);
    const [text, number] = plans;
    for (const [made, right, wrong] of [
      [text!, 'x', 1],
      [number!, 1, 'x'],
    ] as const) {
      expect(await accepts(made, { v: right, named: right, next: { v: right } })).toBe(true);
      expect(await accepts(made, { named: wrong })).toBe(false);
      expect(await accepts(made, { v: wrong })).toBe(false);
      expect(await accepts(made, { next: { v: wrong } })).toBe(false);
    }
  });

  test('speaks in the words of a class', async () => {
    class Query {
      @Matches(/^[A-Z]+$/, { message: 'name: capitals please' })
      name!: string;

      @Length(2, 4)
      code!: string;

      @IsString({ each: true, message: 'words only' })
      words!: string[];

      @IsDate()
      @Type(() => Date)
      when!: Date;
    }
    const made = await plan({ kind: 'class', cls: Query }, 'input', load);
    const wrong = { name: 'a', code: 'a', words: ['a', 1], when: 'soon' };
    expect(inAnyOrder(await told(made, wrong))).toEqual([
      'code: code must be longer than or equal to 2 characters; received the string "a"',
      'name: name: capitals please; received the string "a"',
      'when: must be a real date in ISO 8601 format, such as "2026-07-28" or "2026-07-28T09:00:00Z" (if there is a time, it needs a time zone); received the string "soon"',
      'words[1]: words only; received 1',
    ]);
    expect(await told(made, { ...wrong, name: 'A', code: 'ab', words: [] })).toMatch(/^when: /);
  });
});

describe('ajv', () => {
  test.each<[JsonSchema]>([
    [{ nullable: true }],
    [{ type: ['string', 'null'], nullable: false }],
    [{ id: 'a' }],
    [{ properties: { a: { $anchor: 'not an anchor' } } }],
    [{ $ref: '#/$defs/a' }],
    [{ $ref: '#a' }],
    [{ pattern: '(' }],
  ])('does not compile %j, as code of its own or to be written', (schema) => {
    const { compiled, written } = compilers.get('2020-12')!;
    const [one, other] = [compiled, written].map((by) => compiledBy(by, schema, optionsFor('2020-12')));
    expect(one).toMatch(/^does not compile: /);
    expect(other).toEqual(one);
  });

  test('decides about the first value already, whatever arguments are called', async () => {
    const real = globalThis.Function;
    const texts: string[] = [];
    globalThis.Function = new Proxy(real, {
      construct(target, parts: string[]) {
        texts.push(parts.at(-1) ?? '');
        return Reflect.construct(target, parts) as object;
      },
    });
    try {
      const names = ['contains', 'patternProperties', '$ref', 'unevaluatedItems', '$dynamicRef'];
      const made = await plan({
        kind: 'properties',
        properties: names.map((name) => ({ name, type: String, required: true })),
      });
      texts.length = 0;
      await made.ready();
      expect(await accepts(made, Object.fromEntries(names.map((name) => [name, 'x'])))).toBe(true);
      // The strict check of the test harness has compiled once before; this plan was made ready by `plan()`.
      expect(texts).toEqual([]);
    } finally {
      globalThis.Function = real;
    }
  });
});

/** What docs/schemas.md lists: a schema, a value, and whether the standard, ajv and the interpreter accept it. */
const DIFFERENCES: readonly (readonly [
  what: string,
  dialect: SchemaDialect,
  schema: JsonSchema,
  value: unknown,
  standard: boolean,
  ajv: boolean,
  interpreter: boolean | 'refuses the schema',
])[] = [
  [
    'if without then and else evaluates nothing',
    '2019-09',
    { if: { properties: { a: NUMBER } }, unevaluatedProperties: false },
    { a: 1 },
    true,
    false,
    true,
  ],
  [
    'contains evaluates every item',
    '2020-12',
    { prefixItems: [true], contains: TEXT, unevaluatedItems: NUMBER },
    [true, 'b', true],
    false,
    true,
    false,
  ],
  [
    'contains of 2019-09 evaluates items',
    '2019-09',
    { items: [true], contains: TEXT, unevaluatedItems: false },
    ['a', 'b'],
    false,
    true,
    true,
  ],
  [
    'an empty array within an array contains what the array before it does',
    '2020-12',
    { type: 'array', items: { prefixItems: [{}], contains: TEXT } },
    [['a'], []],
    false,
    true,
    false,
  ],
  [
    'a dynamic reference leads to the root',
    '2020-12',
    { properties: { a: { $dynamicRef: '#text' } }, $defs: { text: { $dynamicAnchor: 'text', ...TEXT } } },
    { a: 1 },
    false,
    true,
    'refuses the schema',
  ],
  ['multiples are computed with binary fractions', '2020-12', { multipleOf: 0.1 }, 0.3, true, false, true],
  [
    'keywords beside a reference count in draft-07',
    'draft-07',
    { $ref: '#/definitions/a', minLength: 2, definitions: { a: TEXT } },
    'x',
    true,
    false,
    true,
  ],
];

describe('where validators differ from the standard', () => {
  test.each(DIFFERENCES)('%s', (_, dialect, schema, value, standard, ajv, interpreter) => {
    const { compiled, written, interpreted } = compilers.get(dialect)!;
    const verdictOf = (by: ValidatorCompiler): unknown => {
      const validate = compiledBy(by, schema, optionsFor(dialect));
      return typeof validate === 'string' ? 'refuses the schema' : said(validate, value) === 'right';
    };
    expect([compiled, written, interpreted].map(verdictOf)).toEqual([ajv, ajv, interpreter]);
    expect([ajv, interpreter]).not.toEqual([standard, standard]);
  });
});

describe('the interpreter', () => {
  test.each<[string, JsonSchema]>([
    ['$dynamicRef', { properties: { a: { $dynamicRef: '#a' } }, $defs: { a: { $dynamicAnchor: 'a' } } }],
    ['"uniqueItems" within "not"', { not: { uniqueItems: true } }],
    ['"format" within "contains"', { contains: { format: 'sigil-date' } }],
    ['"format" within "if"', { if: { format: 'sigil-date' } }],
    ['"format" within "oneOf"', { oneOf: [{ format: 'sigil-date' }] }],
    [
      '"pattern" within "propertyNames"',
      { propertyNames: { $ref: '#/$defs/a' }, $defs: { a: { pattern: '^(a+)+$' } } },
    ],
    ['patternProperties', { patternProperties: { '^(a+)+$': {} } }],
  ])('refuses %s, which it cannot check safely', (what, schema) => {
    const slow = { test: () => false, isNative: false };
    const { interpreted } = compilers.get('2020-12')!;
    expect(() => interpreted(schema, optionsFor('2020-12', { pattern: () => slow }))).toThrow(what);
  });

  test('refuses them when the app starts', async () => {
    const compiler = await createSchemaCompiler({ classes: false, validators: loadInterpreter });
    const a = { oneOf: [{ uniqueItems: true }, TEXT] };
    compiler.input({ kind: 'schema', schema: { type: 'object', properties: { a } } }, 'Shop.find', []);
    const problems: DefinitionProblem[] = [];
    await compiler.settle(problems);
    expect(problems).toMatchObject([
      { where: 'Shop.find', what: expect.stringContaining('"uniqueItems" within "oneOf"') },
    ]);
  });

  test('changes nothing of the schema', () => {
    const schema = Object.freeze({
      type: 'object',
      properties: Object.freeze({ a: Object.freeze({ ...TEXT }) }),
    });
    const validate = compilers.get('2020-12')!.interpreted(schema, optionsFor('2020-12'));
    expect(said(validate, { a: 'x' })).toBe('right');
  });
});

describe('where no code may be made of text', () => {
  const schema = { type: 'object', properties: { sku: { type: 'string', minLength: 2 } }, required: ['sku'] };
  const original = globalThis.Function;

  afterEach(() => {
    globalThis.Function = original;
  });

  test('values are checked all the same', async () => {
    const compiled = await plan({ kind: 'schema', schema });
    const { message } = await failure(compiled, { sku: 'a' });
    const compiler = await createSchemaCompiler({ classes: false });
    const made = compiler.input({ kind: 'schema', schema }, 'Shop.find', []);
    globalThis.Function = new Proxy(original, {
      construct() {
        throw new EvalError('Code generation from strings disallowed for this context');
      },
    });
    await made.ready();
    expect(await accepts(made, { sku: 'ab' })).toBe(true);
    expect((await failure(made, { sku: 'a' })).message).toBe(message);
  });
});

describe('a validator that was prepared', () => {
  const prepared: JsonSchema = { type: 'object', properties: { prepared: NUMBER }, required: ['prepared'] };

  test('decides in place of one that is compiled, and tells what is wrong', async () => {
    const asked: unknown[] = [];
    const options = optionsFor('2020-12', { ownProperties: false });
    const { written } = compilers.get('2020-12')!;
    const all = written(prepared, options);
    const first = (value: unknown): unknown => {
      asked.push(value);
      return all(value);
    };
    prepareValidators({ [validatorKey(prepared, options)]: { first: () => first, all: () => all } });
    const made = await plan({ kind: 'schema', schema: prepared });
    expect(await accepts(made, { prepared: 1 })).toBe(true);
    await expect(async () => made.check({ prepared: 'x' })).rejects.toThrow(InvalidValueError);
    expect(await told(made, { prepared: 'x' })).toBe('prepared: expected a number; received the string "x"');
    expect(asked).toHaveLength(3);
  });
});
