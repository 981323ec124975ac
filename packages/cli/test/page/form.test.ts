import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addedField,
  emptyField,
  type Field,
  filledField,
  followedField,
  pathsOf,
  readForm,
} from '../../page/src/form/field.js';
import { SchemaDocument, shapeOf } from '../../page/src/form/schema.js';
import { violationsOf } from '../../page/src/form/validate.js';
import { spec } from './json-schemas.js';

/** What the form of a schema sends when it is filled with a value. */
function sent(schema: unknown, value: unknown): unknown {
  const document = new SchemaDocument(schema);
  const field = filledField(schema, value, document);
  const { value: read, problems } = readForm(field, schema, document);
  expect(problems).toEqual([]);
  return read;
}

/** What the form of a schema sends untouched. */
function untouched(schema: unknown): unknown {
  const document = new SchemaDocument(schema);
  return readForm(emptyField(schema, document), schema, document).value;
}

test('a form filled with a value sends exactly that value', () => {
  const cases = spec.chain(({ schema, values }) => values.map((value) => ({ schema, value })));
  fc.assert(
    fc.property(cases, ({ schema, value }) => {
      expect(sent(schema, value)).toEqual(value);
    }),
    { numRuns: 400 },
  );
});

test('a form filled through references sends exactly the value', () => {
  const cases = spec.chain(({ schema, values }) => values.map((value) => ({ schema, value })));
  fc.assert(
    fc.property(cases, ({ schema, value }) => {
      const outer = {
        type: 'object',
        properties: {
          it: { $ref: '#/$defs/it' },
          list: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/it' }] } },
        },
        $defs: { it: schema },
      };
      expect(sent(outer, { it: value, list: [value] })).toEqual({ it: value, list: [value] });
    }),
    { numRuns: 100 },
  );
});

describe('an untouched form', () => {
  test('leaves optional properties out and sends defaults', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        note: { type: 'string' },
        times: { type: 'integer', default: 2 },
        strict: { type: 'boolean' },
        lines: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
        },
        kind: { const: 'order' },
      },
      required: ['name', 'lines', 'kind'],
    };
    expect(untouched(schema)).toEqual({ name: '', times: 2, lines: [{ sku: '' }], kind: 'order' });
  });

  test('has an end where a schema contains itself', () => {
    const node = { type: 'object', properties: { next: { $ref: '#' }, value: { type: 'string' } } };
    expect(untouched({ ...node, required: ['value'] })).toEqual({ value: '' });
    expect(() => untouched({ ...node, required: ['next'] })).not.toThrow();
  });
});

test('a recursive schema takes a tree', () => {
  const schema = {
    $defs: {
      tree: {
        type: 'object',
        properties: {
          label: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/tree' } },
        },
      },
    },
    $ref: '#/$defs/tree',
  };
  const tree = {
    label: 'root',
    children: [{ label: 'leaf', children: [] }, { children: [{ label: 'deep' }] }],
  };
  expect(sent(schema, tree)).toEqual(tree);
});

test('a union is told apart by its constants', () => {
  const way = (kind: string) => ({
    type: 'object',
    properties: { kind: { const: kind } },
    required: ['kind'],
  });
  const schema = { oneOf: [way('circle'), way('square')] };
  const shape = shapeOf(schema, new SchemaDocument(schema));
  expect(shape).toMatchObject({
    kind: 'union',
    options: [{ title: 'kind: circle' }, { title: 'kind: square' }],
  });
  expect(filledField(schema, { kind: 'square' }, new SchemaDocument(schema))).toMatchObject({ option: 1 });
});

test('titles of choices come from const, enumNames, or the value', () => {
  const titles = (schema: object): unknown => {
    const shape = shapeOf(schema, new SchemaDocument(schema));
    return shape.kind === 'choice' ? shape.choices.map(({ title }) => title) : shape.kind;
  };
  expect(titles({ type: 'string', oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] })).toEqual([
    'First',
    'b',
  ]);
  expect(titles({ enum: ['a', 'b'], enumNames: ['Alpha'] })).toEqual(['Alpha', 'b']);
  expect(titles({ enum: ['', ' x', 1, null] })).toEqual(['""', '" x"', '1', 'null']);
});

test('conditions beside properties are no choice', () => {
  const schema = {
    type: 'object',
    properties: { phone: { type: 'string' }, email: { type: 'string' } },
    anyOf: [{ required: ['phone'] }, { required: ['email'] }],
  };
  expect(shapeOf(schema, new SchemaDocument(schema))).toMatchObject({
    kind: 'object',
    properties: [{ name: 'phone' }, { name: 'email' }],
  });
});

test('a text that is no number or JSON is sent as it stands, and named', () => {
  const schema = { type: 'object', properties: { count: { type: 'integer' }, any: {} } };
  const field: Field = {
    kind: 'object',
    members: [
      { name: 'count', field: { kind: 'number', text: 'many' } },
      { name: 'any', field: { kind: 'json', text: '{' } },
    ],
    extras: [],
  };
  const { value, problems } = readForm(field, schema, new SchemaDocument(schema));
  expect(value).toEqual({ count: 'many', any: '{' });
  expect(problems).toMatchObject([
    { path: '/count', message: "'many' is not a number" },
    { path: '/any', message: expect.stringContaining('not JSON') },
  ]);
});

test('an empty text of a format is missing where it is required', () => {
  const date = { type: 'string', format: 'date' };
  const schema = {
    type: 'object',
    properties: { from: date, note: { type: 'string' }, word: { type: 'string', format: 'password' } },
    required: ['from', 'note', 'word'],
  };
  const document = new SchemaDocument(schema);
  expect(readForm(emptyField(schema, document), schema, document).problems).toEqual([
    { path: '/from', message: 'is required' },
  ]);
});

test('a list that is added has its first item', () => {
  const added = (schema: object): unknown => {
    const document = new SchemaDocument(schema);
    return readForm(addedField(schema, document), schema, document).value;
  };
  expect(added({ type: 'array', items: { type: 'string' } })).toEqual(['']);
  expect(added({ type: 'array', minItems: 2, items: { type: 'string' } })).toEqual(['', '']);
  expect(added({ type: 'object', properties: {} })).toEqual({});
});

test.each([
  [
    'number',
    '9007199254740993',
    '9007199254740993 cannot be an exact JavaScript number: it would become 9007199254740992',
  ],
  ['number', '1e-400', '1e-400 cannot be an exact JavaScript number: it would become 0'],
  ['number', 'Infinity', "'Infinity' is not a number"],
  ['json', '{"i":1e400}', '1e400 cannot be an exact JavaScript number: it would become Infinity'],
] as const)('a %s that would become another one is a problem: %s', (kind, text, message) => {
  const { value, problems } = readForm({ kind, text }, {}, new SchemaDocument({}));
  expect(problems).toEqual([{ path: '', message }]);
  expect(value).toBe(text);
});

describe('the form of a schema that changes', () => {
  const object = (properties: object, required: readonly string[] = []) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  /** What a form sends that was filled with a value, or not touched, before its schema changed. */
  const followed = (before: object, now: object, value?: unknown): unknown => {
    const [from, to] = [new SchemaDocument(before), new SchemaDocument(now)];
    const field = value === undefined ? emptyField(before, from) : filledField(before, value, from);
    const placed = { schema: now, document: to };
    const next = followedField(field, { schema: before, document: from }, placed);
    expect(JSON.stringify(next)).not.toContain('"kind":"json"');
    return readForm(next, now, to).value;
  };
  const text = { type: 'string' };

  test('keeps what stands in fields that are still there', () => {
    const lines = (inner: object) => ({ type: 'array', items: object(inner) });
    const before = object({ name: text, size: { type: 'integer' }, lines: lines({ sku: text, note: text }) });
    const now = object({ lines: lines({ sku: text }), name: text, age: { type: 'integer', default: 3 } });
    expect(followed(before, now, { name: 'Ada', size: 1, lines: [{ sku: 'a', note: 'b' }] })).toEqual({
      name: 'Ada',
      age: 3,
      lines: [{ sku: 'a' }],
    });
  });

  test('is as a new one when it is untouched', () => {
    const before = object({ name: text, size: { type: 'integer', default: 1 } }, ['name']);
    const now = object({ name: text, size: { type: 'integer', default: 2 }, kind: text }, ['kind']);
    expect(followed(before, now)).toEqual({ size: 2, kind: '' });
  });

  test('leaves out a value that no longer fits', () => {
    const before = object({ size: text, color: { enum: ['red', 'blue'] } });
    const now = object({ size: { type: 'integer' }, color: { enum: ['green', 'red'] } });
    expect(followed(before, now, { size: 'many', color: 'red' })).toEqual({ color: 'red' });
    expect(followed(before, now, { size: 'many', color: 'blue' })).toEqual({});
  });
});

test('violations say where', () => {
  const schema = {
    type: 'object',
    properties: {
      lines: {
        type: 'array',
        items: { type: 'object', properties: { quantity: { type: 'integer', maximum: 99 } } },
      },
    },
    required: ['name'],
  };
  const found = violationsOf(schema, { lines: [{ quantity: 100 }] }, new SchemaDocument(schema));
  expect(found).toEqual([
    { path: '/name', message: 'is required' },
    { path: '/lines/0/quantity', message: 'must be at most 99' },
  ]);
});

test.each<[object, unknown, string, string]>([
  [{ type: 'integer' }, 'a', '', 'must be an integer'],
  [{ type: ['number', 'null'] }, 'a', '', 'must be a number or null'],
  [{ additionalProperties: false }, { size: 1 }, '/size', 'is unknown: the schema does not have it'],
  [{ enum: ['a', 1] }, 'b', '', 'must be one of "a",1'],
  [{ exclusiveMinimum: -1.5 }, -2, '', 'must be more than -1.5'],
  [{ minLength: 3 }, 'a', '', 'must have at least 3 characters'],
  [{ maxItems: 1 }, [1, 2], '', 'must have at most 1 items'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, '', 'fits none of the options of the schema'],
  [
    { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
    'a',
    '',
    'must have at least 2 characters',
  ],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, '/b', 'is required together with a'],
])('%j says of %j what is wrong, once and at its place', (schema, value, path, message) => {
  expect(violationsOf(schema, value, new SchemaDocument(schema))).toEqual([{ path, message }]);
});

test('problems can stand at every field, but not at the whole form', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } },
  };
  const field = filledField(schema, { lines: [1] }, new SchemaDocument(schema));
  expect(pathsOf(field)).toEqual(['/name', '/lines', '/lines/0']);
});

test('patterns that could run for hours are left to the server', () => {
  const slow = '^(a+)+$';
  const schema = {
    type: 'object',
    properties: { slow: { type: 'string', pattern: slow }, fast: { type: 'string', pattern: '^a+$' } },
    patternProperties: { [slow]: { type: 'integer' } },
    additionalProperties: false,
  };
  const document = new SchemaDocument(schema);
  const text = `${'a'.repeat(40)}!`;
  expect(violationsOf(schema, { slow: text, fast: text, [text]: 1 }, document)).toEqual([
    { path: '/fast', message: 'does not match the pattern' },
  ]);
  expect(violationsOf(schema.properties.slow, text, document)).toEqual([]);
  expect(sent(schema, { [text]: 1 })).toEqual({ [text]: 1 });
});
