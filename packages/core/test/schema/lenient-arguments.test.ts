import { describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import {
  Arg,
  type AppOptions,
  defineTool,
  Service,
  Tool,
  type ToolFunctionOptions,
} from '../../src/index.js';
import type { JsonSchema } from '../../src/protocol.js';
import { appOf, type Json, problemsOf, statelessClient, textOf } from '../harness.js';

class Item {
  @IsString()
  sku!: string;

  @IsInt()
  quantity!: number;
}

class Order {
  @ValidateNested()
  @Type(() => Item)
  item!: Item;

  @ValidateNested({ each: true })
  @Type(() => Item)
  @IsOptional()
  more?: Item[];

  @IsBoolean()
  @IsOptional()
  gift?: boolean;

  @IsObject()
  @IsOptional()
  notes?: object;
}

/** Calls a tool that says what it received. */
async function received(
  options: Partial<ToolFunctionOptions<typeof Order>>,
  args: Json,
  app: Partial<AppOptions> = {},
): Promise<Json> {
  const echo = defineTool({
    name: 'echo',
    input: Order,
    ...options,
    handle: (given) => JSON.stringify(given),
  });
  return statelessClient(await appOf({ definitions: [echo], ...app })).call('echo', args);
}

async function schemaOf(options: Partial<ToolFunctionOptions<typeof Order>>): Promise<JsonSchema> {
  const echo = defineTool({ name: 'echo', input: Order, ...options, handle: () => 1 });
  const [tool] = await statelessClient(await appOf({ definitions: [echo] })).list('tools');
  return tool?.['inputSchema'] as JsonSchema;
}

const item = { sku: 'TEA', quantity: 2 };

describe('a tool that coerces', () => {
  test('takes strings for numbers and booleans, however deep they are', async () => {
    const args = { item: { sku: 'TEA', quantity: '2' }, more: [{ sku: 'POT', quantity: '1' }], gift: 'true' };
    const result = await received({ coerce: true }, args);
    expect(JSON.parse(String(textOf(result)))).toEqual({
      item,
      more: [{ sku: 'POT', quantity: 1 }],
      gift: true,
    });
  });

  test('takes objects and lists written as JSON in a string', async () => {
    const args = {
      item: JSON.stringify({ sku: 'TEA', quantity: '2' }),
      more: '[{"sku":"POT","quantity":1}]',
    };
    const result = await received({ coerce: true }, args);
    expect(JSON.parse(String(textOf(result)))).toEqual({ item, more: [{ sku: 'POT', quantity: 1 }] });
  });

  test.each(['2.5', '2x', '', ' 2', '0x2', '99999999999999999999', '1e999', 'null'])(
    'refuses %j for an integer: something would be lost',
    async (quantity) => {
      const result = await received({ coerce: true }, { item: { sku: 'TEA', quantity } });
      expect(result).toMatchObject({ isError: true });
      expect(textOf(result)).toContain('item.quantity');
    },
  );

  test('leaves strings alone where strings are wanted', async () => {
    const result = await received({ coerce: true }, { item: { sku: '42', quantity: 1 } });
    expect(JSON.parse(String(textOf(result)))).toEqual({ item: { sku: '42', quantity: 1 } });
  });

  test('is what the app makes of all its tools, unless one says otherwise', async () => {
    const args = { item: { sku: 'TEA', quantity: '2' } };
    expect(await received({}, args)).toMatchObject({ isError: true });
    expect(await received({}, args, { coerce: true })).not.toHaveProperty('isError');
    expect(await received({ coerce: false }, args, { coerce: true })).toMatchObject({ isError: true });
  });

  test('is not exhausted by what is deeper than a value may be', async () => {
    const tree: JsonSchema = {
      type: 'object',
      properties: { child: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } } } },
    };
    const deep = '{"child":'.repeat(5000) + '{}' + '}'.repeat(5000);
    const walk = defineTool({ name: 'walk', input: tree, coerce: true, handle: () => 'walked' });
    const client = statelessClient(await appOf({ definitions: [walk] }));
    const result = await client.call('walk', { child: deep });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain('at most 64 levels');
  });
});

describe('arguments that nobody declared', () => {
  const args = { item: { ...item, colour: 'red' }, more: [{ ...item, size: 3 }], note: 'x', __proto__: null };

  test('are rejected with a hint', async () => {
    const result = await received({}, { item, gif: true });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toBe('gif: unknown property. Did you mean "gift"?');
    expect(await schemaOf({})).toMatchObject({ additionalProperties: false });
  });

  test('are stripped where the tool says so, at every depth', async () => {
    const notes = { by: 'Ann' };
    const result = await received({ unknownProperties: 'strip' }, { ...args, notes });
    expect(JSON.parse(String(textOf(result)))).toEqual({ item, more: [item], notes });
    expect(JSON.stringify(await schemaOf({ unknownProperties: 'strip' }))).not.toContain(
      'additionalProperties',
    );
  });

  test('are kept where the tool says so, at every depth', async () => {
    const result = await received({ unknownProperties: 'keep' }, args);
    expect(JSON.parse(String(textOf(result)))).toEqual({
      item: { ...item, colour: 'red' },
      more: [{ ...item, size: 3 }],
      note: 'x',
    });
  });

  test('never reach a prototype', async () => {
    const hostile = JSON.parse(
      '{"item":{"sku":"a","quantity":1,"__proto__":{"polluted":1}},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as Json;
    for (const unknownProperties of ['strip', 'keep'] as const) {
      const seen: unknown[] = [];
      const look = defineTool({
        name: 'look',
        input: Order,
        unknownProperties,
        handle: (given) => seen.push(given, given.item),
      });
      await statelessClient(await appOf({ definitions: [look] })).call('look', hostile);
      expect(seen).toEqual([expect.any(Order), expect.any(Item)]);
      for (const one of seen) expect((one as Json)['polluted']).toBeUndefined();
      expect(({} as Json)['polluted']).toBeUndefined();
    }
  });

  test('are no trouble to tools of single arguments, or of none', async () => {
    @Service()
    class Tools {
      @Tool()
      add(@Arg('a') a: number): number {
        return a + 1;
      }

      @Tool()
      nothing(): string {
        return 'nothing';
      }
    }
    for (const unknownProperties of ['strip', 'keep'] as const) {
      const client = statelessClient(await appOf({ services: [Tools], unknownProperties }));
      expect(textOf(await client.call('add', { a: 1, b: 2 }))).toBe('2');
      expect(textOf(await client.call('nothing', { b: 2 }))).toBe('nothing');
    }
  });

  test('are a matter of the schema where it was written by hand', async () => {
    const input: JsonSchema = { type: 'object', properties: { a: {} }, additionalProperties: false };
    const strict = defineTool({ name: 'strict', input, unknownProperties: 'keep', handle: () => 1 });
    const client = statelessClient(await appOf({ definitions: [strict] }));
    expect(await client.call('strict', { b: 1 })).toMatchObject({ isError: true });
  });
});

test('nonsense about arguments keeps the app from starting', async () => {
  const tool = defineTool({ name: 'a', unknownProperties: 'drop' as 'strip', handle: () => 1 });
  const problems = await problemsOf({ definitions: [tool], unknownProperties: 'any' as 'keep' });
  expect(problems.map(({ code, where }) => `${code} ${where}`)).toEqual([
    'SIGIL_INVALID_OPTIONS createApp({ unknownProperties })',
    "SIGIL_INVALID_OPTIONS defineTool('a'), unknownProperties",
  ]);
});
