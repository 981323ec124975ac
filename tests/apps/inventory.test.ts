import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { App } from '@sigil/core';
import { PROTOCOL_VERSIONS } from '@sigil/core/protocol';
import { connect, type TestClient, textOf } from '@sigil/testing';
import { createInventory } from '../../apps/inventory/dist/create-inventory.js';
import { FileDatabase } from '../../apps/inventory/dist/database/file-database.js';

let app: App;
let client: TestClient;

beforeEach(async () => {
  app = await createInventory(() => FileDatabase.open());
  client = await connect(app);
});

afterEach(async () => {
  await client.close();
  await app.close();
});

/** The JSON of a resource. */
const read = async (uri: string): Promise<Record<string, unknown>> =>
  JSON.parse(textOf(await client.readResource(uri))) as Record<string, unknown>;

describe('check_inventory', () => {
  test('tells the stock of every warehouse', async () => {
    const { structuredContent } = await client.callTool('check_inventory', { sku: 'TNT-1002' });
    expect(structuredContent).toEqual({
      sku: 'TNT-1002',
      quantity: 25,
      warehouses: [
        { code: 'GDN-03', quantity: 0 },
        { code: 'LEJ-02', quantity: 7 },
        { code: 'RTM-01', quantity: 18 },
      ],
    });
  });

  test('looks in one warehouse when told to, and does not mind lower case', async () => {
    const { structuredContent } = await client.callTool('check_inventory', {
      sku: 'tnt-1002',
      warehouse: 'rtm-01',
    });
    expect(structuredContent).toEqual({
      sku: 'TNT-1002',
      quantity: 18,
      warehouses: [{ code: 'RTM-01', quantity: 18 }],
    });
  });

  test('suggests SKUs that are written like an unknown one', async () => {
    const result = await client.callTool('check_inventory', { sku: 'TNT-1004' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      'There is no product with the SKU "TNT-1004". Did you mean TNT-1002 (Fjell 2 Trekking Tent), ' +
        'TNT-1003 (Fjell 3 Trekking Tent), TNT-2004 (Biwak Solo Shelter)?',
    );
    expect(textOf(await client.callTool('check_inventory', { sku: 'bicycle' }))).toContain(
      'commerce://catalog/categories',
    );
  });

  test('names the warehouses when asked for one there is not', async () => {
    const result = await client.callTool('check_inventory', { sku: 'TNT-1002', warehouse: 'ROM-01' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('The warehouses are GDN-03, LEJ-02, RTM-01.');
  });

  test('refuses arguments that do not fit its schema', async () => {
    expect(await client.callTool('check_inventory', { sku: 7 })).toMatchObject({ isError: true });
    expect(await client.callTool('check_inventory')).toMatchObject({ isError: true });
  });
});

describe('reserve_stock', () => {
  const reserve = (quantity: number, more = {}) =>
    client.callTool('reserve_stock', { sku: 'TNT-1002', quantity, ...more });

  test('takes pieces off the stock and says what is left', async () => {
    const { structuredContent } = await reserve(5);
    expect(structuredContent).toEqual({
      reservationId: 'RSV-1001',
      sku: 'TNT-1002',
      quantity: 5,
      taken: [{ code: 'RTM-01', quantity: 5 }],
      left: 20,
    });
    expect(await read('commerce://products/TNT-1002')).toMatchObject({ quantity: 20 });
  });

  test('shares the pieces among warehouses when one has too few', async () => {
    const { structuredContent } = await reserve(20);
    expect(structuredContent).toMatchObject({
      taken: [
        { code: 'RTM-01', quantity: 18 },
        { code: 'LEJ-02', quantity: 2 },
      ],
      left: 5,
    });
  });

  test('reserves all or nothing', async () => {
    const tooMany = await reserve(26);
    expect(tooMany.isError).toBe(true);
    expect(textOf(tooMany)).toBe(
      'There are fewer than 26 pieces of TNT-1002, so nothing was reserved: GDN-03 has 0, LEJ-02 has 7, RTM-01 has 18.',
    );
    expect(await reserve(8, { warehouse: 'LEJ-02' })).toMatchObject({ isError: true });
    expect((await reserve(25)).structuredContent).toMatchObject({ reservationId: 'RSV-1001', left: 0 });
  });

  test('never sells a piece twice to calls that overlap', async () => {
    const results = await Promise.all(Array.from({ length: 30 }, () => reserve(1)));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(25);
    const ids = results.flatMap(({ structuredContent }) =>
      structuredContent ? [(structuredContent as { reservationId: string }).reservationId] : [],
    );
    expect(new Set(ids).size).toBe(25);
  });

  test.each([0, -1, 1.5, 10_001])('refuses a quantity of %p', async (quantity) => {
    expect(await reserve(quantity)).toMatchObject({ isError: true });
  });
});

describe('product_translation', () => {
  test('gives the texts of a product and the language', async () => {
    const text = textOf(
      await client.getPrompt('product_translation', { sku: 'lgt-6015', language: 'German' }),
    );
    expect(text).toContain('to German');
    expect(text).toContain('Name: Kerze Mini Lantern\nDescription: Pocket lantern with a candle mode');
  });

  test('refuses unknown products', async () => {
    const unknown = client.getPrompt('product_translation', { sku: 'LGT-6016', language: 'German' });
    await expect(unknown).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('LGT-6015 (Kerze Mini Lantern)'),
    });
  });

  test('completes SKUs and languages', async () => {
    const ref = { type: 'ref/prompt', name: 'product_translation' } as const;
    expect((await client.complete(ref, 'language', 'g')).values).toEqual(['German']);
    expect((await client.complete(ref, 'sku', 'run-7')).values).toHaveLength(4);
  });
});

describe('resources', () => {
  test('list the categories', async () => {
    expect(await read('commerce://catalog/categories')).toMatchObject([
      { id: 'cooking', products: 7 },
      { id: 'lighting', products: 6 },
      { id: 'running-shoes', products: 4 },
      { id: 'sleeping', products: 7 },
      { id: 'tents', products: 6 },
    ]);
  });

  test('show products with their price in euros', async () => {
    expect(await read('commerce://products/LGT-6015')).toEqual({
      sku: 'LGT-6015',
      name: 'Kerze Mini Lantern',
      category: 'lighting',
      description: 'Pocket lantern with a candle mode, runs thirty hours on one charge.',
      weightGrams: 48,
      quantity: 168,
      price: 19,
      currency: 'EUR',
    });
  });

  test('show the items of orders with their total', async () => {
    expect(await read('commerce://orders/SO-10422/items')).toMatchObject({
      orderId: 'SO-10422',
      customer: 'Marit Solheim',
      status: 'delivered',
      items: [
        { sku: 'COK-5104', quantity: 1, unitPrice: 34 },
        { sku: 'TNT-1010', quantity: 1, unitPrice: 469 },
      ],
      total: 503,
      currency: 'EUR',
    });
  });

  test.each(['commerce://products/NONE-1', 'commerce://orders/SO-1/items', 'commerce://nothing'])(
    'are not found at %s',
    async (uri) => {
      await expect(client.readResource(uri)).rejects.toMatchObject({
        message: 'Resource not found',
        data: { uri },
      });
    },
  );

  test('complete SKUs and order ids', async () => {
    const sku = { type: 'ref/resource', uri: 'commerce://products/{sku}' } as const;
    expect((await client.complete(sku, 'sku', 'slp-4')).values).toEqual(['SLP-4001', 'SLP-4002', 'SLP-4010']);
    const order = { type: 'ref/resource', uri: 'commerce://orders/{orderId}/items' } as const;
    expect((await client.complete(order, 'orderId', 'SO-104')).values).toContain('SO-10421');
  });
});

describe('product_recommendation', () => {
  test('builds its messages from what is in stock within the budget', async () => {
    const result = await client.getPrompt('product_recommendation', {
      category: 'lighting',
      budget: '42.50',
    });
    const text = textOf(result);
    expect(result.messages).toHaveLength(2);
    expect(text.match(/LGT-\d+/g)).toEqual(['LGT-6015', 'LGT-6101', 'LGT-6010']);
    expect(text).toContain('for at most EUR 42.50 a piece');
  });

  test('leaves out what is sold out, and needs no budget', async () => {
    const text = textOf(await client.getPrompt('product_recommendation', { category: 'lighting' }));
    expect(text).toContain('LGT-6002');
    expect(text).not.toContain('LGT-6105');
  });

  test.each([
    ['running shoes', '50-100', ['RUN-7001', 'RUN-7010'], 'for EUR 50.00 to EUR 100.00 a piece'],
    ['Running shoe', '100 - 50', ['RUN-7001', 'RUN-7010'], 'for EUR 50.00 to EUR 100.00 a piece'],
    ['Trail running shoes', '49', ['RUN-7015'], 'for at most EUR 49.00 a piece'],
    ['Tent', '300-400.50', ['TNT-1002'], 'for EUR 300.00 to EUR 400.50 a piece'],
    ['SLEEPING', '39-39', ['SLP-4010'], 'for EUR 39.00 to EUR 39.00 a piece'],
  ])('takes the category %j and the budget %j', async (category, budget, skus, within) => {
    const text = textOf(await client.getPrompt('product_recommendation', { category, budget }));
    expect(text.match(/[A-Z]{3}-\d+/g)).toEqual(skus);
    expect(text).toContain(within);
  });

  test('refuses unknown categories and budgets that are no numbers', async () => {
    const bikes = client.getPrompt('product_recommendation', { category: 'bikes' });
    await expect(bikes).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('cooking, lighting'),
    });
    for (const budget of ['cheap', '-5', '50-', '1-2-3']) {
      const wrong = client.getPrompt('product_recommendation', { category: 'tents', budget });
      await expect(wrong).rejects.toMatchObject({ code: -32602 });
    }
    const blank = client.getPrompt('product_recommendation', { category: '!' });
    await expect(blank).rejects.toMatchObject({ code: -32602 });
  });

  test('completes categories', async () => {
    const ref = { type: 'ref/prompt', name: 'product_recommendation' } as const;
    expect((await client.complete(ref, 'category', 't')).values).toEqual(['tents']);
  });
});

describe('what a model sees', () => {
  test('describes every tool and every property', async () => {
    const tools = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ?? false])).toEqual([
      ['check_inventory', true],
      ['reserve_stock', false],
      ['order_status', true],
      ['return_items', false],
    ]);
    for (const tool of tools) {
      expect(tool.description).toBeTruthy();
      expect(tool.outputSchema).toBeDefined();
      for (const schema of [tool.inputSchema, tool.outputSchema]) {
        for (const property of Object.values(
          schema?.['properties'] as Record<string, { description?: string }>,
        )) {
          expect(property.description).toBeTruthy();
        }
      }
    }
  });

  test('describes prompts and resources', async () => {
    const described = [
      ...(await client.listPrompts()),
      ...(await client.listResources()),
      ...(await client.listResourceTemplates()),
    ];
    expect(described).toHaveLength(6);
    for (const { description } of described) expect(description).toBeTruthy();
    expect((await client.listPrompts())[0]?.arguments).toMatchObject([
      { name: 'category', required: true, description: expect.any(String) },
      { name: 'budget', description: expect.any(String) },
    ]);
  });
});

test.each(PROTOCOL_VERSIONS)('a client of %s can check and reserve', async (revision) => {
  await using own = await connect(app, { revision });
  expect(textOf(await own.callTool('check_inventory', { sku: 'COK-5001' }))).toContain('"quantity":105');
  expect(textOf(await own.callTool('reserve_stock', { sku: 'COK-5001', quantity: 5 }))).toContain(
    '"left":100',
  );
});

test('each server has a database of its own', async () => {
  await client.callTool('reserve_stock', { sku: 'TNT-1010', quantity: 7 });
  await using other = await createInventory(() => FileDatabase.open());
  await using visitor = await connect(other);
  expect(textOf(await visitor.callTool('check_inventory', { sku: 'TNT-1010' }))).toContain('"quantity":7');
});

test('closing a server closes its database', async () => {
  const dispose = jest.spyOn(FileDatabase.prototype, Symbol.dispose);
  const other = await createInventory(() => FileDatabase.open());
  await other.close();
  expect(dispose).toHaveBeenCalledTimes(1);
  dispose.mockRestore();
});
