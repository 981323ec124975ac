import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../src/protocol.js';
import { inlineReferences } from '../../src/schema/json-schema/advertise.js';

const accepts = (schema: JsonSchema, value: unknown): boolean =>
  new Ajv2020({ strict: false, validateFormats: false }).validate(schema, value);

describe('inlined references', () => {
  const order: JsonSchema = {
    type: 'object',
    properties: {
      from: { $ref: '#/$defs/Address', description: 'Where from' },
      to: { $ref: '#/$defs/Address' },
      stops: { type: 'array', items: { $ref: '#/$defs/Stop' } },
    },
    required: ['from'],
    $defs: {
      Address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      Stop: { type: 'object', properties: { at: { $ref: '#/$defs/Address' } }, additionalProperties: false },
    },
  };

  test('stand where they were referred to, with what was said beside them', () => {
    const shaped = inlineReferences(order);
    expect(JSON.stringify(shaped)).not.toMatch(/\$ref|\$defs/);
    const address = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    expect(shaped['properties']).toEqual({
      from: { ...address, description: 'Where from' },
      to: address,
      stops: {
        type: 'array',
        items: { type: 'object', properties: { at: address }, additionalProperties: false },
      },
    });
  });

  test('mean the same', () => {
    const shaped = inlineReferences(order);
    const city = { city: 'Oslo' };
    for (const value of [
      { from: city },
      { from: {} },
      { to: city },
      { from: city, stops: [{ at: city }, { at: {} }] },
      { from: city, stops: [{ at: city, why: 1 }] },
      { from: city, stops: [{}] },
    ])
      expect(accepts(shaped, value)).toBe(accepts(order, value));
  });

  test('to a definition that holds itself stay', () => {
    const tree: JsonSchema = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/Node' }, name: { $ref: '#/$defs/Name' } },
      $defs: {
        Name: { type: 'string' },
        Node: { type: 'object', properties: { child: { $ref: '#/$defs/Node' } }, required: ['child'] },
      },
    };
    expect(inlineReferences(tree)).toEqual({
      type: 'object',
      properties: { root: { $ref: '#/$defs/Node' }, name: { type: 'string' } },
      $defs: {
        Node: { type: 'object', properties: { child: { $ref: '#/$defs/Node' } }, required: ['child'] },
      },
    });
  });

  test('stay where a definition holds itself, and mean the same with more said beside them', () => {
    const forest: JsonSchema = {
      type: 'object',
      properties: {
        tree: { $ref: '#/$defs/Tree' },
        leaf: { $ref: '#/$defs/Leaf', required: ['size'], description: 'The largest' },
      },
      $defs: {
        Leaf: { type: 'object', properties: { size: { type: 'integer' } }, required: ['colour'] },
        Tree: {
          type: 'object',
          properties: { leaf: { $ref: '#/$defs/Leaf' }, next: { $ref: '#/$defs/Tree' } },
          required: ['leaf'],
        },
      },
    };
    const inlined = inlineReferences(forest);
    expect(Object.keys(inlined['$defs'] as object)).toEqual(['Tree']);
    expect(JSON.stringify(inlined)).not.toContain('#/$defs/Leaf');
    const leaf = { colour: 'red' };
    for (const value of [
      { leaf },
      { leaf: { size: 1 } },
      { leaf: { ...leaf, size: 1 } },
      { leaf: { ...leaf, size: 'S' } },
      { tree: { leaf } },
      { tree: { leaf, next: { leaf } } },
      { tree: { leaf, next: {} } },
      { tree: { leaf: {}, next: { leaf } } },
    ])
      expect([value, accepts(inlined, value)]).toEqual([value, accepts(forest, value)]);
  });

  test('are left as they are when they would explode, or refer to something else than a definition', () => {
    const level = (next: string) => ({
      type: 'object',
      properties: Object.fromEntries([...'abcdefgh'].map((name) => [name, { $ref: next }])),
    });
    const names = [...'ABCDEFG'];
    const bomb = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: Object.fromEntries(
        names.map((name, index) => [name, level(`#/$defs/${names[index + 1] ?? 'G'}`)]),
      ),
    };
    expect(inlineReferences(bomb)).toEqual(bomb);
    const anchored = { type: 'object', properties: { a: { $ref: '#here' }, b: { $anchor: 'here' } } };
    expect(inlineReferences(anchored)).toEqual(anchored);
  });

  test('are not looked for in data', () => {
    const data = {
      type: 'object',
      properties: { a: { const: { $ref: '#/$defs/A' }, default: { $ref: '#/$defs/A' } } },
      $defs: { A: { type: 'string' } },
    };
    const { $defs: _, ...rest } = data;
    expect([data, rest]).toContainEqual(inlineReferences(data));
  });
});
