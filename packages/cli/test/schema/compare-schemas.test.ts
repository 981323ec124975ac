import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareSchemas } from '../../src/schema/compare-schemas.js';
import type { Effect } from '../../src/schema/difference.js';
import { schemas } from '../fixtures/schemas.js';

const OPPOSITE: Readonly<Record<Effect, Effect>> = {
  narrower: 'wider',
  wider: 'narrower',
  other: 'other',
  'property added': 'property removed',
  'property removed': 'property added',
  'required property added': 'required property removed',
  'required property removed': 'required property added',
  wording: 'wording',
};
const effects = (before: unknown, after: unknown) =>
  compareSchemas(before, after).map(({ effect }) => effect);
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('comparing two schemas', () => {
  test.each<[string, object | boolean, object | boolean, Effect]>([
    ['a type fewer', { type: ['string', 'null'] }, { type: 'string' }, 'narrower'],
    ['whole numbers only', { type: 'number' }, { type: 'integer' }, 'narrower'],
    ['a type where there was none', {}, { type: 'string' }, 'narrower'],
    ['another type', { type: 'string' }, { type: 'number' }, 'other'],
    ['a value fewer', { enum: ['a', 'b'] }, { enum: ['a'] }, 'narrower'],
    [
      'a list of values where there was none',
      { type: 'string' },
      { type: 'string', enum: ['a'] },
      'narrower',
    ],
    ['a constant instead of a list', { enum: ['a', 'b'] }, { const: 'a' }, 'narrower'],
    ['a higher minimum', { minimum: 1 }, { minimum: 2 }, 'narrower'],
    [
      'an exclusive minimum in place of an inclusive one',
      { minimum: 1 },
      { exclusiveMinimum: 1 },
      'narrower',
    ],
    ['a lower maximum', { exclusiveMaximum: 9 }, { exclusiveMaximum: 8 }, 'narrower'],
    ['a minimum length', {}, { minLength: 1 }, 'narrower'],
    ['a smaller maximum of items', { maxItems: 9 }, { maxItems: 8 }, 'narrower'],
    ['a pattern', {}, { pattern: '^a' }, 'narrower'],
    ['another pattern', { pattern: '^b' }, { pattern: '^a' }, 'other'],
    ['a format', {}, { format: 'email' }, 'narrower'],
    ['a coarser multiple', { multipleOf: 2 }, { multipleOf: 4 }, 'narrower'],
    ['another multiple', { multipleOf: 2 }, { multipleOf: 3 }, 'other'],
    ['unique items', {}, { uniqueItems: true }, 'narrower'],
    ['a property added', object({}), object({ a: {} }), 'property added'],
    [
      'a property added and required',
      object({}),
      object({ a: {} }, { required: ['a'] }),
      'required property added',
    ],
    ['a property now required', object({ a: {} }), object({ a: {} }, { required: ['a'] }), 'narrower'],
    [
      'a required property left to what holds for the rest',
      object({ a: {} }, { required: ['a'], additionalProperties: { type: 'string' } }),
      object({}, { required: ['a'], additionalProperties: { type: 'string' } }),
      'narrower',
    ],
    ['no other properties', object({}), object({}, { additionalProperties: false }), 'narrower'],
    [
      'other properties of a type',
      object({}),
      object({}, { additionalProperties: { type: 'string' } }),
      'narrower',
    ],
    ['narrower items', { items: { minimum: 1 } }, { items: { minimum: 2 } }, 'narrower'],
    ['a narrower first item', { prefixItems: [{}] }, { prefixItems: [{ type: 'string' }] }, 'narrower'],
    [
      'a branch fewer',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }] },
      'narrower',
    ],
    ['one more of all', { allOf: [{ minimum: 1 }] }, { allOf: [{ minimum: 1 }, { maximum: 9 }] }, 'narrower'],
    ['branches where there were none', {}, { oneOf: [{ type: 'string' }] }, 'narrower'],
    ['something it must contain', {}, { contains: { const: 1 } }, 'narrower'],
    ['a pattern of properties', {}, { patternProperties: { '^x': { type: 'string' } } }, 'narrower'],
    ['something else excluded', { not: { const: 1 } }, { not: { const: 2 } }, 'other'],
    ['nothing at all', object({ a: true }), object({ a: false }), 'narrower'],
    ['another header', { 'x-mcp-header': 'A' }, { 'x-mcp-header': 'B' }, 'other'],
    ['a keyword nobody knows', {}, { novel: 1 }, 'other'],
    ['another description', { description: 'a' }, { description: 'b' }, 'wording'],
    ['another default', { default: 1 }, { default: 2 }, 'wording'],
    ['a description within what is excluded', { not: { title: 'a' } }, { not: { title: 'b' } }, 'wording'],
  ])('finds %s, and its opposite the other way round', (_, before, after, effect) => {
    expect(effects(before, after)).toEqual([effect]);
    expect(effects(after, before)).toEqual([OPPOSITE[effect]]);
  });

  test.each<[string, object, object]>([
    ['whether a single value is a constant or a list', { enum: ['a'] }, { const: 'a' }],
    ['the type of listed values', { type: 'string', enum: ['a'] }, { enum: ['a'] }],
    ['a bound that is none', {}, { minLength: 0 }],
    ['an exclusive bound below an inclusive one', { minimum: 2 }, { minimum: 2, exclusiveMinimum: 1 }],
    [
      'whether anything is accepted in so many words',
      object({ a: {} }),
      object({ a: true }, { additionalProperties: true }),
    ],
    ['where a shared schema is', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, { type: 'string' }],
    [
      'the order of branches',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'null' }, { type: 'string' }] },
    ],
  ])('does not mind %s', (_, before, after) => {
    expect(compareSchemas(before, after)).toEqual([]);
    expect(compareSchemas(after, before)).toEqual([]);
  });

  test('says where a difference is', () => {
    const lines = (sku: object) => object({ lines: { type: 'array', items: object({ sku }) } });
    expect(compareSchemas(lines({ maxLength: 9 }), lines({ maxLength: 8 }))).toEqual([
      { effect: 'narrower', path: 'lines[].sku', what: 'maxLength 9 → 8' },
    ]);
  });

  test('follows references, those through pointers with escapes too, and names a shared schema once', () => {
    const shared = (line: object) => ({
      ...object({ first: { $ref: '#/$defs/a~1b%20c' }, second: { $ref: '#/$defs/a~1b%20c' } }),
      $defs: { 'a/b c': line },
    });
    expect(compareSchemas(shared({ type: 'string' }), shared({ type: 'number' }))).toEqual([
      { effect: 'other', path: 'first', what: 'type string → number' },
    ]);
  });

  test('says each place where undeclared properties come to be refused', () => {
    const closed = { additionalProperties: false };
    const line = (more: object) => object({ line: object({ sku: {} }, more) }, more);
    expect(compareSchemas(line({}), line(closed))).toEqual([
      { effect: 'narrower', path: 'line.*', what: 'accepted → refused' },
      { effect: 'narrower', path: '.*', what: 'accepted → refused' },
    ]);
    expect(compareSchemas(line(closed), line({}))).toEqual([
      { effect: 'wider', path: 'line.*', what: 'refused → accepted' },
      { effect: 'wider', path: '.*', what: 'refused → accepted' },
    ]);
  });

  test('follows schemas that hold themselves, and references that lead nowhere', () => {
    const tree = (name: object) =>
      object({ name, children: { type: 'array', items: { $ref: '#', description: 'A child' } } });
    expect(effects(tree({ type: 'string' }), tree({}))).toEqual(['wider']);
    const circle = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(effects(circle, circle)).toEqual([]);
    expect(effects({ not: { $ref: '#' } }, { not: { $ref: '#' } })).toEqual([]);
    expect(effects({ $ref: '#/$defs/lost' }, { $ref: '#/$defs/gone' })).toEqual(['other']);
  });

  test('keeps both a reference and what contradicts it beside it', () => {
    const limited = (minimum: number) => ({ $ref: '#/$defs/a', minimum, $defs: { a: { minimum: 1 } } });
    expect(effects(limited(2), limited(3))).toEqual(['narrower']);
  });

  test('takes property names of all kinds', () => {
    const named = (name: string) =>
      JSON.parse(`{"type":"object","properties":{"${name}":{"type":"string"}}}`) as object;
    for (const name of ['__proto__', 'constructor', 'toString', '$ref', 'properties']) {
      expect(effects(object({}), named(name))).toEqual(['property added']);
    }
  });

  test('finds no difference between a schema and itself', () => {
    fc.assert(
      fc.property(schemas, (schema) => expect(compareSchemas(schema, structuredClone(schema))).toEqual([])),
    );
  });

  test('finds the opposite when the two are swapped', () => {
    fc.assert(
      fc.property(schemas, schemas, (one, other) => {
        const there = effects(one, other).sort();
        const back = effects(other, one)
          .map((effect) => OPPOSITE[effect])
          .sort();
        expect(back).toEqual(there);
      }),
      { numRuns: 500 },
    );
  });
});
