import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsEmail, ValidateNested } from 'class-validator';
import { defineTool, type ClientProfile, type JsonSchema } from '../../src/index.js';
import { shapeSchema } from '../../src/schema/index.js';
import { inlineReferences } from '../../src/schema/json-schema/shape-schema.js';
import { appOf, type Json, openSession, problemsOf, statelessClient } from '../harness.js';
import { META } from '../../src/transport/index.js';

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
    const shaped = shapeSchema(order, { inlineReferences: true });
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
    const shaped = shapeSchema(order, { inlineReferences: true });
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

  test('end where a definition holds itself, and allow more there', () => {
    const tree: JsonSchema = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: { type: 'object', properties: { child: { $ref: '#/$defs/Node' } }, required: ['child'] },
      },
    };
    const shaped = shapeSchema(tree, { inlineReferences: true });
    expect(shaped).toEqual({
      type: 'object',
      properties: {
        root: { type: 'object', properties: { child: { type: 'object' } }, required: ['child'] },
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
    const inlined = inlineReferences(forest, 'keep');
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
    expect(shapeSchema(bomb, { inlineReferences: true })).toEqual(bomb);
    const anchored = { type: 'object', properties: { a: { $ref: '#here' }, b: { $anchor: 'here' } } };
    expect(shapeSchema(anchored, { inlineReferences: true })).toEqual(anchored);
  });

  test('are not looked for in data', () => {
    const data = {
      type: 'object',
      properties: { a: { const: { $ref: '#/$defs/A' }, default: { format: 'x' } } },
    };
    expect(shapeSchema(data, { formats: [] })).toEqual(data);
  });
});

describe('"or null"', () => {
  const alternatives: JsonSchema = {
    anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }],
    title: 'Note',
  };
  const listed: JsonSchema = { type: ['string', 'null'], minLength: 1, title: 'Note' };
  const named: JsonSchema = { type: ['string', 'null'], enum: ['a', null] };

  test.each<[NonNullable<ClientProfile['nulls']>, JsonSchema, JsonSchema]>([
    ['type-list', alternatives, { type: ['string', 'null'], minLength: 1, title: 'Note' }],
    ['type-list', listed, listed],
    ['type-list', named, named],
    ['any-of', listed, alternatives],
    ['any-of', alternatives, alternatives],
    ['any-of', named, { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }],
    ['nullable', alternatives, { type: 'string', minLength: 1, title: 'Note', nullable: true }],
    ['omit', listed, { type: 'string', minLength: 1, title: 'Note' }],
    [
      'type-list',
      { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] },
      { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] },
    ],
  ])('is written as %s', (nulls, schema, wanted) => {
    const within = (one: JsonSchema): JsonSchema => ({ type: 'object', properties: { note: one } });
    expect(shapeSchema(within(schema), { nulls })).toEqual(within(wanted));
    const isComparable = nulls !== 'omit' && nulls !== 'nullable' && !JSON.stringify(schema).includes('$ref');
    for (const value of isComparable ? ['a', '', null, 1, undefined] : []) {
      expect(accepts(shapeSchema(within(schema), { nulls }), { note: value })).toBe(
        accepts(within(schema), { note: value }),
      );
    }
  });
});

class Stop {
  @IsString() city!: string;
  @IsEmail() @IsOptional() host?: string;
}

class Trip {
  @ValidateNested() @Type(() => Stop) first!: Stop;
  @IsOptional() @ValidateNested() @Type(() => Trip) then?: Trip;
  @IsInt() days!: number;
}

describe('the profile of a client', () => {
  const trip = defineTool({ name: 'plan', input: Trip, handle: ({ days }) => `${days}` });
  const picky: ClientProfile = { clients: ['picky', /^old-/g], inlineReferences: true, formats: [] };

  const named = (client: ReturnType<typeof statelessClient>, name: string) => {
    client.envelope = { ...client.envelope, [META.clientInfo]: { name, version: '1' } };
    return client;
  };

  test('shapes the tools for that client, and for no other', async () => {
    const app = await appOf({ definitions: [trip], clientProfiles: [picky] });
    const seen = async (name: string): Promise<string> =>
      JSON.stringify(await named(statelessClient(app), name).list('tools'));
    for (const name of ['picky', 'old-one', 'old-one', 'old-two'])
      expect(await seen(name)).not.toMatch(/\$ref|format/);
    for (const name of ['other', 'very old-one', '__proto__'])
      expect(await seen(name)).toMatch(/format.*\$ref/);
  });

  test('is chosen by what a session said of itself', async () => {
    const app = await appOf({ definitions: [trip], clientProfiles: [{ ...picky, clients: ['tester'] }] });
    const client = await openSession(app);
    expect(JSON.stringify(await client.list('tools'))).not.toContain('$ref');
  });

  test('changes nothing of what is enforced', async () => {
    const app = await appOf({ definitions: [trip], clientProfiles: [picky] });
    const client = named(statelessClient(app), 'picky');
    expect(await client.call('plan', { first: { city: 'Oslo', host: 'nobody' }, days: 1 })).toMatchObject({
      isError: true,
    });
  });

  test('keeps caches from mixing clients up, unless it is for all of them', async () => {
    const scopeWith = async (clientProfiles: readonly ClientProfile[]): Promise<unknown> => {
      const app = await appOf({ definitions: [trip], clientProfiles });
      return (await statelessClient(app).result('tools/list'))['cacheScope'];
    };
    expect(await scopeWith([])).toBe('public');
    expect(await scopeWith([{ inlineReferences: true }])).toBe('public');
    expect(await scopeWith([picky])).toBe('private');
  });

  test('shapes output schemas, too', async () => {
    const stop = defineTool({ name: 'stop', output: [Stop], handle: () => [] });
    const app = await appOf({
      definitions: [stop],
      clientProfiles: [{ inlineReferences: true, omit: ['format'] }],
    });
    const [tool] = await statelessClient(app).list('tools');
    expect(JSON.stringify((tool as Json)['outputSchema'])).not.toMatch(/\$ref|format/);
  });

  test('keeps the app from starting when it is nonsense', async () => {
    const clientProfiles = [{ nulls: 'never' }, { clients: 'picky' }, 'inline'] as unknown as ClientProfile[];
    const problems = await problemsOf({ definitions: [trip], clientProfiles });
    expect(problems.map(({ code, where }) => `${code} ${where}`)).toEqual([
      'SIGIL_INVALID_OPTIONS createApp({ clientProfiles[0].nulls })',
      'SIGIL_INVALID_OPTIONS createApp({ clientProfiles[1].clients })',
      'SIGIL_INVALID_OPTIONS createApp({ clientProfiles[2] })',
    ]);
  });
});
