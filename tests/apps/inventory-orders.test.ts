import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { App } from '@sigil/core';
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

describe('a client that subscribed', () => {
  const reserve = (quantity: number) => client.callTool('reserve_stock', { sku: 'tnt-2004', quantity });
  /** The URIs that were announced to the client so far. */
  const announced = () =>
    client.notifications
      .filter(({ method }) => method === 'notifications/resources/updated')
      .map(({ params }) => (params as { uri: string }).uri);

  test('hears of every reservation of a product, and of no failed one', async () => {
    await client.subscribe('commerce://products/TNT-2004');
    await client.subscribe('commerce://products/TNT-1002');
    await reserve(11);
    expect(announced()).toEqual([]);
    await reserve(1);
    await reserve(2);
    expect(announced()).toEqual(Array(2).fill('commerce://products/TNT-2004'));
  });

  test('hears of products that run out, and reads which these are', async () => {
    const scarce = async () => (await read('commerce://stock/low')) as unknown as { sku: string }[];
    expect((await scarce()).map(({ sku }) => sku)).not.toContain('SLP-4002');
    await client.subscribe('commerce://stock/low');
    await client.setLogLevel('warning');
    const take = (quantity: number) => client.callTool('reserve_stock', { sku: 'SLP-4002', quantity });
    await take(2);
    expect(announced()).toEqual([]);
    await take(3);
    await take(1);
    expect(announced()).toEqual(Array(2).fill('commerce://stock/low'));
    expect(await scarce()).toContainEqual({ sku: 'SLP-4002', name: 'Moos R6 Winter Mat', quantity: 7 });
    const warnings = client.notifications.filter(({ method }) => method === 'notifications/message');
    expect(warnings.map(({ params }) => params)).toMatchObject([
      { level: 'warning', logger: 'stock', data: 'Only 8 of SLP-4002 are left' },
    ]);
  });

  test('hears of what is sent back', async () => {
    await client.subscribe('commerce://orders/SO-10422/items');
    await client.callTool('return_items', {
      orderId: 'so-10422',
      sku: 'cok-5104',
      quantity: 1,
      reason: 'damaged',
    });
    expect(announced()).toEqual(['commerce://orders/SO-10422/items']);
  });
});

describe('orders', () => {
  const status = (orderId: string) => client.callTool('order_status', { orderId });
  const sendBack = (orderId: string, sku: string, quantity: number) =>
    client.callTool('return_items', { orderId, sku, quantity, reason: 'unwanted' });

  test('order_status tells how far an order is', async () => {
    expect((await status('so-10437')).structuredContent).toEqual({
      orderId: 'SO-10437',
      status: 'shipped',
      placedAt: '2026-09-21T10:05:00Z',
      pieces: 11,
      returned: 0,
      total: 2329,
      returnable: false,
    });
    const unknown = await status('SO-10438');
    expect(unknown.isError).toBe(true);
    expect(textOf(unknown)).toMatch(/^There is no order "SO-10438"\. Did you mean SO-10/);
  });

  test('return_items takes no more than was delivered', async () => {
    expect((await sendBack('SO-10421', 'tnt-1002', 3)).structuredContent).toEqual({
      returnId: 'RET-1001',
      orderId: 'SO-10421',
      sku: 'TNT-1002',
      quantity: 3,
      refund: 1047,
    });
    expect(textOf(await sendBack('SO-10421', 'TNT-1002', 2))).toBe(
      'The customer has only 1 of TNT-1002 from the order SO-10421, so nothing was registered.',
    );
    expect((await sendBack('SO-10421', 'TNT-1002', 1)).structuredContent).toMatchObject({
      returnId: 'RET-1002',
    });
    expect((await status('SO-10421')).structuredContent).toMatchObject({ returned: 4, returnable: true });
    expect((await read('commerce://orders/SO-10421/items'))['items']).toContainEqual({
      sku: 'TNT-1002',
      name: 'Fjell 2 Trekking Tent',
      quantity: 4,
      returned: 4,
      unitPrice: 349,
    });
  });

  test.each([
    ['SO-10437', 'TNT-1021', 1, 'The order SO-10437 is shipped.'],
    [
      'SO-10421',
      'COK-5001',
      1,
      'The order SO-10421 does not contain COK-5001. It contains SLP-3010, SLP-4010, TNT-1002.',
    ],
    ['SO-10421', 'TNT-1002', 5, 'The customer has only 4 of TNT-1002'],
    ['SO-10421', 'TNT-1002', 0, 'quantity'],
  ])('return_items refuses %s, %s, %i', async (orderId, sku, quantity, why) => {
    const result = await sendBack(orderId, sku, quantity);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(why);
  });
});
