import { describe, expect, test } from '@jest/globals';
import type { JsonSchema } from '@sigil/core/protocol';
import { checkManifest, type HostName } from '../../src/index.js';
import { HOST_RULES } from '../../src/check/host-rules.js';
import { manifestWith } from '../fixtures/manifests.js';

const HOSTS = Object.keys(HOST_RULES) as HostName[];

/** What is said of an input, with the code of the finding, for each host. */
function said(inputSchema: JsonSchema, strict = false, name = 'a'): string[] {
  const tools = [{ name, description: 'b', inputSchema }];
  const { findings } = checkManifest(manifestWith({ tools }), { budget: 1e6, hosts: HOSTS, strict });
  return findings
    .filter(({ code }) => code.startsWith('CHECK_HOST'))
    .map(({ code, what }) => `${code.slice('CHECK_HOST_'.length)} ${what}`);
}

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

describe('what hosts do not take', () => {
  test('is nothing of what is simple, strict or not', () => {
    const plain = object({
      size: { type: 'string', enum: ['S', 'L'] },
      lines: { type: 'array', items: object({ count: { type: 'integer' } }), minItems: 1 },
      either: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    });
    expect(said(plain, true)).toEqual([]);
  });

  test('is alternatives at the top', () => {
    expect(said(object({}, { anyOf: [object({})] }))).toEqual([
      'REFUSES openai refuses `anyOf`, `oneOf`, `allOf`, `enum`, `const` or `not` at the top level',
      'REFUSES anthropic refuses `anyOf`, `oneOf` or `allOf` at the top level',
    ]);
  });

  test('is a name that is long or has dots', () => {
    expect(said(object({}), false, 'shop.stock')).toEqual([
      'REFUSES openai refuses names that do not match /^[a-zA-Z0-9_-]{1,64}$/',
      'REFUSES anthropic refuses names that do not match /^[a-zA-Z0-9_-]{1,128}$/',
    ]);
    expect(said(object({}), false, '1st')).toEqual([expect.stringMatching(/^REFUSES gemini/)]);
  });

  test('is an argument with a name of other characters', () => {
    expect(said(object({ 'filter[id]': { type: 'string' }, 'a.b': { type: 'string' } }))).toEqual([
      'REFUSES gemini refuses arguments that do not match /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/: a.b, filter[id]',
      'REFUSES anthropic refuses arguments that do not match /^[a-zA-Z0-9_.-]{1,64}$/: filter[id]',
    ]);
  });

  test('is an object or array that says nothing of what is in it, and a map', () => {
    const bare = object({ list: { type: 'array' }, some: { type: 'object' } });
    expect(said(bare)).toEqual([
      'REFUSES openai refuses an array without `items`: list',
      'IGNORES openai ignores an object with members of any name: some',
    ]);
    const map = { type: 'object', properties: {}, additionalProperties: { type: 'string', not: {} } };
    expect(said(object({ map }), true)).toEqual([
      'IGNORES openai ignores an object with members of any name: map',
      'IGNORES openai ignores `not`: map.*',
      'IGNORES gemini ignores `not`: map.*',
      'NOT_STRICT anthropic refuses in strict mode an object without `additionalProperties: false`: map',
      'NOT_STRICT anthropic refuses in strict mode `not`: map.*',
    ]);
  });

  test.each<[string, JsonSchema, string[]]>([
    ['contains', { type: 'array', items: {}, contains: { const: 1 } }, ['openai', 'gemini', 'gemini']],
    ['pattern', { type: 'string', pattern: '^a' }, ['gemini']],
    ['lookaround', { type: 'string', pattern: '(?<!a)b' }, ['openai', 'gemini']],
    ['a named group', { type: 'string', pattern: '(?<name>b)' }, ['gemini']],
    ['const', { type: 'string', const: 'a' }, ['gemini']],
    ['an enum of booleans', { type: 'boolean', enum: [true] }, ['gemini']],
    ['oneOf', { oneOf: [{ type: 'string' }] }, ['openai']],
    ['allOf', { allOf: [{ type: 'string' }] }, ['openai', 'gemini']],
    ['format', { type: 'string', format: 'uri' }, ['openai']],
    ['a tuple of draft-07', { type: 'array', items: [{ type: 'string' }] }, ['anthropic']],
    ['minimum', { type: 'integer', minimum: 1 }, []],
  ])('is %s', (_, schema, hosts) => {
    const findings = said(object({ deep: object({ list: { type: 'array', items: schema } }) }));
    expect(findings.map((finding) => finding.split(' ')[1])).toEqual(hosts);
    expect(findings.every((finding) => finding.includes(': deep.list[]'))).toBe(true);
  });

  test('is in strict mode what may be left out, and what limits a value', () => {
    const count = { type: 'integer', minimum: 1 };
    const strict = said({ type: 'object', properties: { count }, additionalProperties: false }, true);
    expect(strict).toEqual([
      'NOT_STRICT openai refuses in strict mode optional arguments: count',
      'NOT_STRICT anthropic refuses in strict mode `minimum`: count',
    ]);
  });

  test('is at the place where it is: the argument, the element', () => {
    const records = {
      type: 'array',
      items: object({ id: { type: 'string' }, note: { type: 'string' } }, { required: ['id'] }),
      prefixItems: [
        { type: 'string', uniqueItems: true },
        { type: 'string', not: {} },
      ],
    };
    expect(said(object({ records }), true).filter((one) => one.includes(' openai '))).toEqual([
      'IGNORES openai ignores `prefixItems`: records',
      'IGNORES openai ignores `uniqueItems`: records[0]',
      'IGNORES openai ignores `not`: records[1]',
      'NOT_STRICT openai refuses in strict mode optional arguments: records[].note',
    ]);
  });

  test('is no argument at all where the schema says nothing of them', () => {
    const bare = { type: 'object' };
    expect(said(bare)).toContain('REFUSES openai refuses arguments without `properties`');
    expect(said(object({ bare })).filter((one) => one.startsWith('REFUSES'))).toEqual([]);
  });

  test('is in strict mode a value of any kind', () => {
    expect(said(object({ list: { type: 'array', items: {} } }), true)).toEqual([
      'NOT_STRICT openai refuses in strict mode a schema without a type: list[]',
      'NOT_STRICT anthropic refuses in strict mode a schema without a type: list[]',
    ]);
  });

  test('is a schema that contains itself: for some always, for others where it must', () => {
    const tree = (required: readonly string[]): JsonSchema => ({
      ...object({ tree: { $ref: '#/$defs/tree' } }),
      $defs: { tree: object({ left: { $ref: '#/$defs/tree' } }, { required }) },
    });
    expect(said(tree([]), true)).toEqual([
      'NOT_STRICT openai refuses in strict mode optional arguments: tree.left',
      'NOT_STRICT anthropic refuses in strict mode a schema that contains itself: tree.left',
    ]);
    expect(said(tree(['left']))).toEqual([
      'REFUSES gemini refuses a recursive `$ref` through required members only: tree.left',
    ]);
  });

  test('is a description beside a reference, for one of them', () => {
    const referring = object(
      { a: { $ref: '#/$defs/a', description: 'A' } },
      { $defs: { a: { type: 'string' } } },
    );
    expect(said(referring)).toEqual(['REFUSES gemini refuses keywords next to `$ref`: a']);
  });

  test('is told of five places', () => {
    const names = [...'abcdefg'].map((name) => [name, { type: 'string', pattern: 'x' }]);
    expect(said(object(Object.fromEntries(names) as JsonSchema))).toEqual([
      'IGNORES gemini ignores `pattern`: a, b, c, d, e and 2 more',
    ]);
  });

  test('ends where definitions meet again and again', () => {
    const level = (next: string) =>
      object(Object.fromEntries([...'abcdefgh'].map((name) => [name, { $ref: `#/$defs/${next}` }])));
    const $defs = Object.fromEntries(
      [...'ABCDEFGHIJKL'].map((name, index) => [name, level('BCDEFGHIJKLM'.charAt(index))]),
    );
    expect(said({ ...level('A'), $defs: { ...$defs, M: { type: 'string' } } })).toEqual([]);
  });
});

test('every rule says where it was read', () => {
  for (const { source } of HOSTS.flatMap((host) => HOST_RULES[host]))
    expect(new URL(source).protocol).toBe('https:');
});
