import { describe, expect, test } from '@jest/globals';
import type { ManifestParts, ManifestTool } from '@sigil/core/manifest';
import fc from 'fast-check';
import { type ManifestChange, diffManifests } from '../../src/index.js';
import { manifestWith } from '../fixtures/manifests.js';
import { schemas } from '../fixtures/schemas.js';

const string = { type: 'string' };
const sku = { type: 'object', properties: { sku: string }, required: ['sku'] };
const tool = (more: Partial<ManifestTool> = {}): ManifestTool => ({
  name: 'stock',
  inputSchema: sku,
  ...more,
});

/** What changed between two manifests, one line a change. */
const lines = (before: Partial<ManifestParts>, after: Partial<ManifestParts>): string[] =>
  diffManifests(manifestWith(before), manifestWith(after)).map(({ level, where, path, what }) =>
    [level, where, path, what].filter(Boolean).join(' | '),
  );
const toolLines = (before: Partial<ManifestTool>, after: Partial<ManifestTool>): string[] =>
  lines({ tools: [tool(before)] }, { tools: [tool(after)] });

describe('the difference between two manifests', () => {
  test.each<[string, Partial<ManifestParts>]>([
    ['tool stock', { tools: [tool()] }],
    ['resource shop://all', { resources: [{ name: 'all', uri: 'shop://all' }] }],
    ['template shop://{sku}', { resourceTemplates: [{ name: 'one', uriTemplate: 'shop://{sku}' }] }],
    ['prompt advise', { prompts: [{ name: 'advise' }] }],
  ])('has a %s that is added or removed', (where, parts) => {
    const kind = where.split(' ')[0] ?? '';
    expect(lines({}, parts)).toEqual([`additive | ${where} | ${kind} added`]);
    expect(lines(parts, {})).toEqual([`breaking | ${where} | ${kind} removed`]);
  });

  test('takes inputs to be contravariant and outputs covariant', () => {
    const limit = (maximum: number) => ({ type: 'object', properties: { n: { maximum } } });
    expect(toolLines({ inputSchema: limit(9) }, { inputSchema: limit(8) })).toEqual([
      'breaking | tool stock | input.n | maximum 9 → maximum 8',
    ]);
    expect(toolLines({ inputSchema: limit(8) }, { inputSchema: limit(9) })).toEqual([
      'additive | tool stock | input.n | maximum 8 → maximum 9',
    ]);
    expect(toolLines({ outputSchema: limit(8) }, { outputSchema: limit(9) })).toEqual([
      'breaking | tool stock | output.n | maximum 8 → maximum 9',
    ]);
    expect(toolLines({ outputSchema: limit(9) }, { outputSchema: limit(8) })).toEqual([
      'additive | tool stock | output.n | maximum 9 → maximum 8',
    ]);
  });

  test.each<[string, object, object]>([
    ['minLength', { minLength: 1 }, { minLength: 2 }],
    ['a first minLength', {}, { minLength: 1 }],
    ['maxLength', { maxLength: 2 }, { maxLength: 1 }],
    ['a first maxLength', {}, { maxLength: 0 }],
    ['minItems', { minItems: 1 }, { minItems: 2 }],
    ['a first minItems', {}, { minItems: 1 }],
    ['maxItems', { maxItems: 2 }, { maxItems: 1 }],
    ['a first maxItems', {}, { maxItems: 0 }],
    ['minProperties', { minProperties: 1 }, { minProperties: 2 }],
    ['a first minProperties', {}, { minProperties: 1 }],
    ['maxProperties', { maxProperties: 2 }, { maxProperties: 1 }],
    ['a first maxProperties', {}, { maxProperties: 0 }],
    ['minContains', { contains: {}, minContains: 2 }, { contains: {}, minContains: 3 }],
    ['a first minContains', { contains: {} }, { contains: {}, minContains: 2 }],
    ['a lost minContains of none', { contains: {}, minContains: 0 }, { contains: {} }],
    ['maxContains', { contains: {}, maxContains: 2 }, { contains: {}, maxContains: 1 }],
    ['a first maxContains', { contains: {} }, { contains: {}, maxContains: 5 }],
    ['minimum', { minimum: 1 }, { minimum: 1.5 }],
    ['a first minimum', {}, { minimum: 0 }],
    ['maximum', { maximum: -1 }, { maximum: -2 }],
    ['a first maximum', {}, { maximum: 0 }],
    ['exclusiveMinimum', { exclusiveMinimum: 1 }, { exclusiveMinimum: 2 }],
    ['a first exclusiveMinimum', {}, { exclusiveMinimum: 0 }],
    ['exclusiveMaximum', { exclusiveMaximum: 2 }, { exclusiveMaximum: 1 }],
    ['a first exclusiveMaximum', {}, { exclusiveMaximum: 0 }],
    ['an exclusive minimum of the same number', { minimum: 1 }, { minimum: 1, exclusiveMinimum: 1 }],
    ['an exclusive maximum of the same number', { maximum: 1 }, { exclusiveMaximum: 1 }],
    ['a minimum above an exclusive one', { exclusiveMinimum: 1 }, { exclusiveMinimum: 1, minimum: 2 }],
    ['a maximum below an exclusive one', { exclusiveMaximum: 2 }, { exclusiveMaximum: 2, maximum: 1 }],
    ['multipleOf', { multipleOf: 2 }, { multipleOf: 4 }],
    ['a first multipleOf', {}, { multipleOf: 2 }],
    ['another multipleOf', { multipleOf: 2 }, { multipleOf: 3 }],
    ['a first pattern', {}, { pattern: '^a' }],
    ['another pattern', { pattern: '^b' }, { pattern: '^a' }],
    ['a first format', {}, { format: 'email' }],
    ['another format', { format: 'uri' }, { format: 'email' }],
    ['a first contentEncoding', {}, { contentEncoding: 'base64' }],
    ['a first contentMediaType', {}, { contentMediaType: 'image/png' }],
    ['uniqueItems', {}, { uniqueItems: true }],
    ['a value fewer', { enum: ['a', 'b'] }, { enum: ['a'] }],
    ['a constant', { enum: ['a', 'b'] }, { const: 'b' }],
    ['a first list of values', {}, { enum: ['a'] }],
    ['a type fewer', { type: ['string', 'null'] }, { type: 'string' }],
    ['whole numbers', { type: 'number' }, { type: 'integer' }],
    ['a first type', {}, { type: 'string' }],
    ['items', { items: { type: ['string', 'null'] } }, { items: { type: 'string' } }],
    ['first items', {}, { items: { type: 'string' } }],
    ['a first item', { prefixItems: [{}] }, { prefixItems: [{ type: 'string' }] }],
    ['no further items', { prefixItems: [{}] }, { prefixItems: [{}], items: false }],
    ['what must be contained', {}, { contains: { const: 1 } }],
    ['a property that is required', { properties: { a: {} } }, { properties: { a: {} }, required: ['a'] }],
    ['a property within', { properties: { a: {} } }, { properties: { a: { type: 'string' } } }],
    ['no other properties', {}, { additionalProperties: false }],
    ['other properties of a type', {}, { additionalProperties: { type: 'string' } }],
    ['no unevaluated properties', {}, { unevaluatedProperties: false }],
    ['names of properties', {}, { propertyNames: { maxLength: 3 } }],
    ['a pattern of properties', {}, { patternProperties: { '^x': { type: 'string' } } }],
    ['what a property brings with it', {}, { dependentSchemas: { a: { required: ['b'] } } }],
    ['a branch fewer', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }] }],
    ['a branch fewer of which one holds', { oneOf: [{ const: 1 }, { const: 2 }] }, { oneOf: [{ const: 1 }] }],
    ['first branches', {}, { anyOf: [{ type: 'string' }] }],
    ['one more of all', { allOf: [{ minimum: 1 }] }, { allOf: [{ minimum: 1 }, { maximum: 9 }] }],
    ['something excluded', {}, { not: { const: 1 } }],
    ['a condition', {}, { if: { const: 1 }, then: { type: 'number' } }],
  ])('has a tighter input as breaking: %s', (_, before, after) => {
    const holding = (value: object) => ({ inputSchema: { type: 'object', properties: { value } } });
    const levels = lines({ tools: [tool(holding(before))] }, { tools: [tool(holding(after))] }).map(
      (line) => line.split(' | ')[0],
    );
    expect(levels).toContain('breaking');
    // The other way round it breaks those who read it.
    const shown = (value: object) => ({ outputSchema: { type: 'object', properties: { value } } });
    expect(toolLines(shown(after), shown(before)).map((line) => line.split(' | ')[0])).toContain('breaking');
  });

  test('counts required properties: new ones break senders, lost ones break readers', () => {
    const both = { type: 'object', properties: { sku: string, store: string }, required: ['sku', 'store'] };
    const optional = { ...both, required: ['sku'] };
    expect(toolLines({}, { inputSchema: both })).toEqual([
      'breaking | tool stock | input.store | required property added',
    ]);
    expect(toolLines({}, { inputSchema: optional })).toEqual([
      'additive | tool stock | input.store | property added',
    ]);
    expect(toolLines({ inputSchema: optional }, {})).toEqual([
      'breaking | tool stock | input.store | property removed',
    ]);
    expect(toolLines({ outputSchema: both }, { outputSchema: optional })).toEqual([
      'breaking | tool stock | output.store | no longer required',
    ]);
    expect(toolLines({ outputSchema: sku }, { outputSchema: both })).toEqual([
      'additive | tool stock | output.store | required property added',
    ]);
  });

  test('has an output schema that comes or goes', () => {
    expect(toolLines({}, { outputSchema: sku })).toEqual(['additive | tool stock | output | schema added']);
    expect(toolLines({ outputSchema: sku }, {})).toEqual(['breaking | tool stock | output | schema removed']);
  });

  test('has words as words', () => {
    const words = {
      type: 'object',
      properties: { sku: { ...string, description: 'A code' } },
      required: ['sku'],
    };
    expect(toolLines({}, { title: 'Stock', inputSchema: words })).toEqual([
      'wording | tool stock | title | none → "Stock"',
      'wording | tool stock | input.sku | description none → "A code"',
    ]);
    expect(lines({ instructions: 'Ask' }, { server: { name: 'shop', version: '2.0.0' } })).toEqual([
      'wording | server | version | "1.0.0" → "2.0.0"',
      'wording | server | instructions | "Ask" → none',
    ]);
  });

  test.each<[string, Partial<ManifestTool>, Partial<ManifestTool>]>([
    ['a hint that it is safe', { annotations: { readOnlyHint: true } }, {}],
    [
      'a hint that it does no harm',
      { annotations: { destructiveHint: false } },
      { annotations: { destructiveHint: true } },
    ],
    ['access for everybody', { guarded: false }, { guarded: true }],
    ['access without a scope', { guarded: false }, { guarded: false, scopes: ['stock:read'] }],
    ['calls without a task', { task: 'optional' }, { task: 'required' }],
  ])('has a tool that loses %s as breaking, and one that wins it as additive', (_, before, after) => {
    expect(toolLines(before, after).map((line) => line.split(' | ')[0])).toEqual(['breaking']);
    expect(toolLines(after, before).map((line) => line.split(' | ')[0])).toEqual(['additive']);
  });

  test('says nothing of guards where one of the manifests does not', () => {
    expect(toolLines({ guarded: true }, {})).toEqual([]);
    expect(toolLines({}, { guarded: true })).toEqual([]);
  });

  test('has a hint that is merely spelt out as words', () => {
    expect(toolLines({}, { annotations: { readOnlyHint: false, destructiveHint: true } })).toEqual([
      'wording | tool stock | annotations.readOnlyHint | none → false',
      'wording | tool stock | annotations.destructiveHint | none → true',
    ]);
  });

  test('looks at the arguments and completions of prompts, in whatever order', () => {
    const [topic, tone] = [{ name: 'topic', required: true }, { name: 'tone' }];
    const prompt = (list: { name: string }[], completes: string[] = []) => ({
      prompts: [{ name: 'advise', arguments: list, completes }],
    });
    expect(lines(prompt([topic, tone]), prompt([tone, topic]))).toEqual([]);
    expect(lines(prompt([topic]), prompt([topic, tone]))).toEqual([
      'additive | prompt advise | arguments.tone | property added',
    ]);
    expect(lines(prompt([tone]), prompt([topic, tone]))).toEqual([
      'breaking | prompt advise | arguments.topic | required property added',
    ]);
    expect(lines(prompt([tone], ['tone']), prompt([tone]))).toEqual([
      'breaking | prompt advise | completes | no longer tone',
    ]);
  });

  test('looks at the values that an argument of a prompt takes, as the texts that clients send', () => {
    const ofSigil = (tone: object) => ({
      prompts: [
        {
          name: 'advise',
          arguments: [{ name: 'tone', required: false }],
          inputSchema: { type: 'object', properties: { tone }, additionalProperties: false } as const,
        },
      ],
    });
    const listed = (tone: object) => ({
      prompts: [{ name: 'advise', arguments: [{ name: 'tone', ...tone }] }],
    });
    const [text, number] = [{ type: 'string' }, { type: 'number' }];
    const [both, one] = [
      { type: 'string', enum: ['kind', 'rude'] },
      { type: 'string', enum: ['kind'] },
    ];
    const tone = (line: string) => [line.replace(' | ', ' | prompt advise | arguments.tone | ')];
    expect(lines(ofSigil(text), ofSigil(both))).toEqual(tone('breaking | only "kind", "rude"'));
    expect(lines(ofSigil(both), ofSigil(one))).toEqual(tone('breaking | no longer "rude"'));
    expect(lines(ofSigil(one), ofSigil(both))).toEqual(tone('additive | also "rude"'));
    // Every number is a text, too.
    expect(lines(ofSigil(number), ofSigil(text))).toEqual(tone('additive | type number → any'));
    expect(lines(ofSigil(text), ofSigil(number))).toEqual(tone('breaking | type any → number'));
    // Lists do not have the values, except those of some other servers.
    expect(lines(listed({ enum: both.enum }), ofSigil(one))).toEqual(tone('breaking | no longer "rude"'));
    for (const schema of [text, number, both]) {
      expect(lines(listed({}), ofSigil(schema))).toEqual([]);
      expect(lines(ofSigil(schema), listed({}))).toEqual([]);
    }
  });

  test('looks at the type of resources', () => {
    const resource = (more: object) => ({ resources: [{ name: 'all', uri: 'shop://all', ...more }] });
    expect(lines(resource({ mimeType: 'text/plain' }), resource({ mimeType: 'text/html', size: 9 }))).toEqual(
      [
        'breaking | resource shop://all | mimeType | "text/plain" → "text/html"',
        'wording | resource shop://all | size | none → 9',
      ],
    );
    expect(lines(resource({}), resource({ mimeType: 'text/html' }))).toEqual([
      'additive | resource shop://all | mimeType | none → "text/html"',
    ]);
  });

  test('looks at capabilities, extensions among them', () => {
    const none = { capabilities: { resources: { subscribe: false } } };
    const all = { capabilities: { resources: { subscribe: true }, extensions: { 'x/y': {} } } };
    expect(lines(none, all)).toEqual([
      'additive | capabilities | extensions | added',
      'additive | capabilities | resources.subscribe | added',
    ]);
    expect(lines(all, none)).toEqual([
      'breaking | capabilities | extensions | removed',
      'breaking | capabilities | resources.subscribe | removed',
    ]);
  });

  test('looks at members that it knows nothing of', () => {
    const novel = (value?: string) => (value === undefined ? {} : { novel: value }) as Partial<ManifestTool>;
    expect(toolLines(novel(), novel('a'))).toEqual(['additive | tool stock | novel | none → "a"']);
    expect(toolLines(novel('a'), novel('b'))).toEqual(['breaking | tool stock | novel | "a" → "b"']);
    expect(toolLines({}, { hiddenFromSessions: true })).toEqual([
      'breaking | tool stock | hiddenFromSessions | false → true',
    ]);
  });

  test('says nothing of an execution that spells out its default', () => {
    const execution = (taskSupport: string) => ({ execution: { taskSupport } }) as Partial<ManifestTool>;
    expect(toolLines(execution('forbidden'), {})).toEqual([]);
    expect(toolLines({}, execution('forbidden'))).toEqual([]);
    expect(toolLines(execution('optional'), execution('forbidden'))).toEqual([
      'breaking | tool stock | execution | {"taskSupport":"optional"} → none',
    ]);
  });

  test('puts the gravest first', () => {
    const after = { tools: [tool({ name: 'new' })], instructions: 'x' };
    const levels = diffManifests(manifestWith({ tools: [tool()] }), manifestWith(after)).map(
      ({ level }) => level,
    );
    expect(levels).toEqual(['breaking', 'additive', 'wording']);
  });

  const tools = fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c'))
    .chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc.record({ name: fc.constant(name), inputSchema: schemas, outputSchema: schemas }),
        ),
      ),
    );
  const manifests = tools.map((list) => manifestWith({ tools: list }));
  const places = (changes: ManifestChange[], wanted: string) =>
    changes.filter(({ what }) => what === wanted).map(({ where }) => where);

  test('is empty between a manifest and itself', () => {
    fc.assert(
      fc.property(manifests, (manifest) =>
        expect(diffManifests(manifest, structuredClone(manifest))).toEqual([]),
      ),
    );
  });

  test('has added what the way back has removed', () => {
    fc.assert(
      fc.property(manifests, manifests, (one, other) => {
        const [there, back] = [diffManifests(one, other), diffManifests(other, one)];
        expect(places(back, 'tool removed')).toEqual(places(there, 'tool added'));
        expect(places(back, 'tool added')).toEqual(places(there, 'tool removed'));
        expect(back).toHaveLength(there.length);
      }),
    );
  });
});
