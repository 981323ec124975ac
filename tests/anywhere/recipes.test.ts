import { resolve } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { describePage, textOf } from '../docs/guide-page.js';

// Compiles and starts a database, on machines that others use.
jest.setTimeout(60_000);

describePage(
  'databases',
  ({ connect }) => {
    test('shows tools that read and write rows, each in a transaction', async () => {
      const client = await connect('shop.ts');
      const list = async () => (await client.callTool({ name: 'list' })).structuredContent;
      const reserve = (quantity: number) =>
        client.callTool({ name: 'reserve', arguments: { sku: 'TEA-001', quantity } });
      expect(await reserve(5)).toMatchObject({ structuredContent: { sku: 'TEA-001', quantity: 7 } });
      const tooMany = await reserve(8);
      expect([tooMany.isError, textOf(tooMany)]).toEqual([true, 'There are not 8 of TEA-001 in stock']);
      expect(JSON.stringify(await list())).toContain('{"sku":"TEA-001","quantity":7}');
    });

    test.each(['typeorm.ts', 'knex.ts'])('%s shows tools that set and list rows', async (program) => {
      const client = await connect(program);
      const set = (sku: string, quantity: number) =>
        client.callTool({ name: 'set', arguments: { sku, quantity } });
      for (const quantity of [5, 7]) expect((await set('TEA-001', quantity)).isError).not.toBe(true);
      await set('CUP-002', 1);
      expect(JSON.stringify((await client.callTool({ name: 'list' })).structuredContent)).toContain(
        '[{"sku":"CUP-002","quantity":1},{"sku":"TEA-001","quantity":7}]',
      );
    });
  },
  'recipes',
  resolve('tests/anywhere'),
);
