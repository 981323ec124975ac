import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { describe, expect, test } from '@jest/globals';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  definePrompt,
  defineResource,
  defineTool,
  ask,
  Service,
  type StandardSchema,
  Tool,
  ToolContext,
} from '../../src/index.js';
import type { JsonSchema } from '../../src/protocol.js';
import { appOf, openSession, problemsOf, statelessClient, textOf } from '../harness.js';

interface Order {
  sku: string;
  quantity: number;
  note?: string | undefined;
}

/** The same order, by three libraries. */
const SCHEMAS: readonly (readonly [string, StandardSchema<unknown, Order>])[] = [
  ['zod', z.object({ sku: z.string().min(3), quantity: z.int().min(1), note: z.string().optional() })],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        sku: v.pipe(v.string(), v.minLength(3)),
        quantity: v.pipe(v.number(), v.integer(), v.minValue(1)),
        note: v.optional(v.string()),
      }),
    ) as StandardSchema<unknown, Order>,
  ],
  ['arktype', type({ sku: 'string >= 3', quantity: 'number.integer >= 1', 'note?': 'string' })],
];

describe.each(SCHEMAS)('a schema of %s', (_name, order) => {
  const buy = defineTool({
    name: 'buy',
    input: order,
    handle: ({ sku, quantity }) => `${quantity.toFixed(0)} of ${sku.toLowerCase()}`,
  });

  test('reaches clients as the library writes it', async () => {
    const [tool] = await statelessClient(await appOf({ definitions: [buy] })).list('tools');
    expect(tool?.['inputSchema']).toEqual(order['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }));
    expect(tool?.['inputSchema']).toMatchObject({
      type: 'object',
      properties: { sku: { type: 'string', minLength: 3 }, quantity: { type: 'integer', minimum: 1 } },
    });
  });

  test('checks arguments, and types the handler', async () => {
    const client = statelessClient(await appOf({ definitions: [buy] }));
    expect(textOf(await client.call('buy', { sku: 'TEA', quantity: 2 }))).toBe('2 of tea');
    const refused = await client.call('buy', { sku: 'T', quantity: 0 });
    expect(refused).toMatchObject({ isError: true });
    const lines = String(textOf(refused)).split('\n').sort();
    expect(lines).toEqual([expect.stringMatching(/^quantity: /), expect.stringMatching(/^sku: /)]);
  });

  test('describes results', async () => {
    const given = { sku: 'TEA', quantity: 2 };
    const results: unknown[] = [given, { sku: 'TEA', quantity: 'two' }];
    const stock = defineTool({ name: 'stock', output: order, handle: () => results.shift() });
    const client = statelessClient(await appOf({ definitions: [stock] }));
    expect(await client.call('stock')).toMatchObject({ structuredContent: given });
    expect(await client.error('tools/call', { name: 'stock' })).toMatchObject({ code: -32603 });
  });

  test('serves a decorated method', async () => {
    @Service()
    class Shop {
      @Tool({ input: order, coerce: true })
      buy(given: Order, ctx: ToolContext): string {
        return `${ctx.tool}: ${String(given.quantity)}`;
      }
    }
    const client = statelessClient(await appOf({ services: [Shop] }));
    expect(textOf(await client.call('buy', { sku: 'TEA', quantity: '2' }))).toBe('buy: 2');
  });
});

test('what a schema makes of a value is what the handler gets', async () => {
  const input = z.object({
    day: z.iso.date().transform((text) => text.slice(0, 4)),
    tags: z.array(z.string()).default([]),
  });
  const year = defineTool({ name: 'year', input, handle: ({ day, tags }) => `${day} ${tags.length}` });
  const client = statelessClient(await appOf({ definitions: [year] }));
  expect(textOf(await client.call('year', { day: '2026-07-28' }))).toBe('2026 0');
});

test('a check may take its time', async () => {
  const input = z.object({
    sku: z.string().refine(async (sku) => Promise.resolve(sku === 'TEA'), 'no such product'),
  });
  const buy = defineTool({ name: 'buy', input, handle: () => 'bought' });
  const client = statelessClient(await appOf({ definitions: [buy] }));
  expect(textOf(await client.call('buy', { sku: 'TEA' }))).toBe('bought');
  expect(textOf(await client.call('buy', { sku: 'POT' }))).toBe('sku: no such product');
});

test('prompts and resources take their strings through it', async () => {
  const page = z.object({ page: z.int().min(1) });
  const definitions = [
    defineResource({
      uri: 'book://{page}',
      name: 'book',
      input: page,
      handle: (given) => `page ${given.page + 1}`,
    }),
    definePrompt({ name: 'read', input: page, handle: (given) => `Read page ${given.page + 1}` }),
  ];
  const client = statelessClient(await appOf({ definitions }));
  expect(await client.result('resources/read', { uri: 'book://7' })).toMatchObject({
    contents: [{ text: 'page 8' }],
  });
  const prompt = { name: 'read', arguments: { page: '7' } };
  expect(JSON.stringify(await client.result('prompts/get', prompt))).toContain('Read page 8');
  const error = await client.error('prompts/get', { name: 'read', arguments: { page: '0' } });
  expect(error).toMatchObject({ code: -32602, data: { issues: [{ path: 'page' }] } });
});

test('a form may be one, and its answer has its type', async () => {
  const form = z.object({ name: z.string().min(2) });
  const tool = defineTool({
    name: 'ask',
    handle: async (_args, ctx) => {
      const { content } = await ctx.elicit('Who?', form);
      const { again } = await ctx.ask({ again: ask.form('Really?', form) });
      const typed: string | undefined = again.content?.name;
      return `${content?.name.toUpperCase()} ${typed}`;
    },
  });
  const app = await appOf({ definitions: [tool] });
  const client = await openSession(
    app,
    '2025-11-25',
    { elicitation: {} },
    {
      answer: () => ({ action: 'accept', content: { name: 'Ada' } }),
    },
  );
  expect(textOf(await client.call('ask'))).toBe('ADA Ada');
});

test.each([
  ['z.object() drops', z.object({ a: z.string() }), 'a'],
  ['z.looseObject() keeps', z.looseObject({ a: z.string() }), 'a,b'],
  ['z.strictObject() refuses', z.strictObject({ a: z.string() }), 'Unrecognized key: "b"'],
] as const)('%s undeclared arguments, whatever the app says', async (_name, input, answer) => {
  const tool = defineTool({ name: 'a', input, handle: (given) => Object.keys(given).join() });
  for (const unknownProperties of ['reject', 'strip', 'keep'] as const) {
    const client = await openSession(await appOf({ definitions: [tool], unknownProperties }));
    expect(textOf(await client.call('a', { a: '', b: '' }))).toContain(answer);
  }
});

test('dates and unions serve in the forms that messages about them show', async () => {
  const choice = z.discriminatedUnion('k', [
    z.object({ k: z.literal('a') }),
    z.object({ k: z.literal('b') }),
  ]);
  const day = z.iso.datetime().transform((text) => new Date(text));
  const tool = defineTool({
    name: 'a',
    input: z.object({ choice, day }),
    output: z.object({ day: z.iso.datetime() }),
    handle: ({ choice, day }) => ({ day: new Date(day.getTime() + choice.k.length - 1).toISOString() }),
  });
  const client = await openSession(await appOf({ definitions: [tool] }));
  const given = { choice: { k: 'a' }, day: '1970-01-01T00:00:00Z' };
  expect(await client.call('a', given)).toMatchObject({
    structuredContent: { day: '1970-01-01T00:00:00.000Z' },
  });
});

describe('a schema that cannot serve keeps the app from starting', () => {
  test.each<readonly [string, StandardSchema | JsonSchema, string]>([
    [
      'that does not write itself as JSON Schema',
      v.object({ a: v.string() }),
      'cannot be converted to JSON Schema',
    ],
    ['of what JSON cannot carry', z.object({ a: z.bigint() }), 'has no JSON Schema'],
    ['of no object', z.string(), 'the zod schema does not describe an object'],
    ['of a date', z.object({ a: z.coerce.date() }), 'Date cannot be represented in JSON Schema'],
    [
      'of a union',
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
      'the zod schema does not describe an object',
    ],
  ])('one %s', async (_name, input, what) => {
    const problems = await problemsOf({ definitions: [defineTool({ name: 'a', input, handle: () => 1 })] });
    expect(problems).toMatchObject([{ code: 'SIGIL_INVALID_SCHEMA', where: "defineTool('a')" }]);
    expect(problems[0]?.what).toContain(what);
  });
});
