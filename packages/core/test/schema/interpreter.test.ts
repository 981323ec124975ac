import { afterEach, describe, expect, test } from '@jest/globals';
import type { JsonSchema } from '../../src/protocol/json.js';
import { createSchemaCompiler } from '../../src/schema/index.js';
import type { SchemaDialect } from '../../src/schema/validate/compiled-schema.js';
import { loadValidatorCompiler as loadOfPlatform } from '../../src/schema/validate/validator-compiler.js';
import { compiledBy, compilers, optionsFor, said } from './compilers.js';
import { accepts, failure, plan } from './harness.js';

describe('schemas that do not compile', () => {
  test.each<[JsonSchema]>([
    [{ minimum: '1' }],
    [{ exclusiveMinimum: true }],
    [{ required: true }],
    [{ required: 'a' }],
    [{ enum: [] }],
    [{ items: [{}] }],
    [{ properties: { a: { maxLength: '3' } } }],
    [{ allOf: { type: 'string' } }],
    [{ if: 1 }],
    [{ then: 'a' }],
    [{ nullable: true }],
    [{ type: ['string', 'null'], nullable: false }],
    [{ id: 'a' }],
    [{ uniqueItems: 'yes' }],
    [{ properties: { a: { $anchor: 'not an anchor' } } }],
    [{ properties: { a: { $anchor: 'x', type: 'string' }, b: { $anchor: 'x', type: 'number' } } }],
  ])('%j', (schema) => {
    const { compiled, interpreted } = compilers.get('2020-12')!;
    const [one, other] = [compiled, interpreted].map((by) =>
      compiledBy(by, { ...schema, $defs: {} }, optionsFor('2020-12')),
    );
    expect(other).toMatch(/^does not compile: /);
    expect(other).toEqual(one);
  });

  test('because of a reference or a pattern', () => {
    const { interpreted } = compilers.get('2020-12')!;
    expect(() => interpreted({ $ref: '#/$defs/a' }, optionsFor('2020-12'))).toThrow('#/$defs/a');
    expect(() => interpreted({ $ref: '#a' }, optionsFor('2020-12'))).toThrow('#a');
    expect(() => interpreted({ pattern: '(' }, optionsFor('2020-12'))).toThrow(SyntaxError);
    // Without the flag it is no error.
    expect(() => interpreted({ pattern: '[\\w-.]' }, optionsFor('2020-12'))).toThrow(SyntaxError);
    expect(interpreted({ pattern: '[\\w-.]' }, optionsFor('2020-12', { unicode: false }))('-')).toBe(true);
  });
});

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };

/** A schema, what it accepts, and what it does not: where ajv says otherwise, so that the interpreter has the word everywhere. */
const STANDARD: readonly (readonly [
  what: string,
  SchemaDialect,
  JsonSchema,
  right: unknown[],
  wrong: unknown[],
])[] = [
  [
    'a property is evaluated by a condition that holds, and by no other',
    '2020-12',
    {
      if: { properties: { a: { const: 1 } }, required: ['a'] },
      else: { required: ['b'] },
      unevaluatedProperties: false,
    },
    [{ a: 1 }],
    [{ a: 2, b: 1 }, { b: 1 }, { a: 1, b: 1 }],
  ],
  [
    'a condition evaluates without clauses',
    '2019-09',
    { if: { properties: { a: NUMBER } }, unevaluatedProperties: false },
    [{ a: 1 }, {}],
    [{ a: 'x' }, { b: 1 }],
  ],
  [
    'what an alternative evaluates counts if it fits',
    '2020-12',
    {
      anyOf: [
        { properties: { a: TEXT }, required: ['a'] },
        { properties: { b: TEXT }, required: ['b'] },
      ],
      unevaluatedProperties: NUMBER,
    },
    [{ a: 'x' }, { a: 'x', b: 'y' }, { a: 'x', c: 1 }],
    [{ c: 1 }, { a: 'x', c: 'y' }],
  ],
  [
    'what others evaluate does not count inside',
    '2020-12',
    { properties: { a: NUMBER }, allOf: [{ unevaluatedProperties: false }] },
    [{}],
    [{ a: 1 }],
  ],
  [
    'properties are evaluated by patterns, by names, and by what they depend on',
    '2020-12',
    {
      patternProperties: { '^p': NUMBER },
      dependentSchemas: { p: { properties: { d: NUMBER } } },
      $ref: '#/$defs/base',
      unevaluatedProperties: false,
      $defs: { base: { properties: { n: NUMBER } } },
    },
    [{ p: 1, n: 2, d: 3 }, { px: 1 }],
    [{ n: 2, d: 3 }, { x: 1 }],
  ],
  [
    'items are evaluated by `contains` one by one',
    '2020-12',
    { prefixItems: [true], contains: TEXT, unevaluatedItems: NUMBER },
    [['a'], [true, 'b', 1], [1, 2, 'c']],
    [[true, 'b', true], [1]],
  ],
  [
    'and not at all in 2019-09',
    '2019-09',
    { items: [true], contains: TEXT, unevaluatedItems: false },
    [['a']],
    [['a', 'b']],
  ],
  [
    'nothing is contained in an empty array',
    '2020-12',
    { type: 'array', items: { prefixItems: [{}], contains: TEXT } },
    [[['a'], ['b']]],
    [[[]], [['a'], []]],
  ],
  [
    'patterns of properties stand beside alternatives',
    '2020-12',
    {
      patternProperties: { '^a': NUMBER },
      anyOf: [{ additionalProperties: { maxItems: 0 } }, { required: ['b'] }],
    },
    [{ a: 1 }, { a: 1, b: [[]] }],
    [{ a: [] }, { a: [[]] }],
  ],
  [
    'a dynamic reference leads to its anchor',
    '2020-12',
    {
      properties: { a: { $dynamicRef: '#text' }, b: { $dynamicRef: '#plain' } },
      $defs: { text: { $dynamicAnchor: 'text', ...TEXT }, plain: { $anchor: 'plain', ...NUMBER } },
    },
    [{ a: 'x', b: 1 }],
    [{ a: 1 }, { b: 'x' }, { a: {} }],
  ],
  [
    'or to the outermost of its name',
    '2020-12',
    {
      $id: 'https://example.com/list-of-text',
      $ref: '#/$defs/list',
      $defs: {
        element: { $dynamicAnchor: 'element', ...TEXT },
        list: {
          $id: 'list',
          type: 'array',
          items: { $dynamicRef: '#element' },
          $defs: { any: { $dynamicAnchor: 'element' } },
        },
      },
    },
    [['a', 'b']],
    [['a', 1]],
  ],
  [
    'a recursive reference leads to its own root, unless that recurs',
    '2019-09',
    {
      $id: 'https://example.com/outer',
      $recursiveAnchor: true,
      properties: {
        tree: { $id: 'tree', type: 'object', required: ['v'], properties: { next: { $recursiveRef: '#' } } },
      },
    },
    [{ tree: { v: 1, next: { v: 2 } } }],
    [{ tree: { v: 1, next: {} } }],
  ],
];

describe('the standard has it that', () => {
  test.each(STANDARD)('%s', (_, dialect, schema, right, wrong) => {
    const validate = compilers.get(dialect)!.interpreted(schema, optionsFor(dialect));
    expect(right.map((value) => said(validate, value))).toEqual(right.map(() => 'right'));
    expect(wrong.map((value) => validate(value))).toEqual(wrong.map(() => false));
  });

  test.each(STANDARD)('%s, also where schemas are compiled', async (_, dialect, schema, right, wrong) => {
    const validate = (await loadOfPlatform(dialect))(schema, optionsFor(dialect));
    expect(right.map((value) => validate(value))).toEqual(right.map(() => true));
    expect(wrong.map((value) => validate(value))).toEqual(wrong.map(() => false));
  });
});

describe('where no code may be made of text', () => {
  const schema = { type: 'object', properties: { sku: { type: 'string', minLength: 2 } }, required: ['sku'] };
  const original = globalThis.Function;

  function forbid(): void {
    globalThis.Function = function () {
      throw new EvalError('Code generation from strings disallowed for this context');
    } as unknown as FunctionConstructor;
  }

  afterEach(() => {
    globalThis.Function = original;
  });

  test('values are checked all the same', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    const made = compiler.input({ kind: 'schema', schema }, 'Shop.find', []);
    forbid();
    await made.ready();
    expect(await accepts(made, { sku: 'ab' })).toBe(true);
    const { message } = await failure(made, { sku: 'a' });
    globalThis.Function = original;
    const compiled = await plan({ kind: 'schema', schema });
    expect((await failure(compiled, { sku: 'a' })).message).toBe(message);
  });

  test('from some moment on, too', async () => {
    const compile = await loadOfPlatform('2020-12');
    const before = compile(schema, optionsFor('2020-12'));
    forbid();
    const after = compile({ ...schema }, optionsFor('2020-12'));
    expect([before({ sku: 'ab' }), after({ sku: 'ab' }), after({ sku: 1 })]).toEqual([true, true, false]);
  });

  test('a schema that makes no sense is reported as ever', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    compiler.input({ kind: 'schema', schema: { type: 'object', minProperties: '1' } }, 'Shop.find', []);
    forbid();
    await expect(compiler.warm()).rejects.toMatchObject({
      problems: [
        { where: 'Shop.find', what: 'the schema does not compile: minProperties value must be ["number"]' },
      ],
    });
  });
});

test('a long list is interpreted without holding the event loop', () => {
  const { interpreted } = compilers.get('2020-12')!;
  const schema = {
    type: 'array',
    uniqueItems: true,
    items: {
      anyOf: [
        { type: 'string', maxLength: 3 },
        { type: 'object', required: ['n'], properties: { n: NUMBER } },
      ],
    },
  };
  const validate = interpreted(schema, optionsFor('2020-12', { report: 'first violation' }));
  const steps = { count: 0 };
  const item = (n: number): object => ({
    get n() {
      steps.count++;
      return n;
    },
  });
  expect(validate(Array.from({ length: 20_000 }, (_unused, n) => item(n)))).toBe(true);
  expect(steps.count).toBeLessThan(5 * 20_000);
});
