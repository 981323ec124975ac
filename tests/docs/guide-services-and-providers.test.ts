import { expect, test } from '@jest/globals';
import { describePage, textOf } from './guide-page.js';

describePage('services-and-providers', ({ connect, print }) => {
  test('shows services of an app and of a request, a factory, and what begins before the first call', async () => {
    const client = await connect('shop.ts');
    const ordered = await client.callTool({ name: 'order', arguments: { what: 'Tea' } });
    expect(textOf(ordered)).toBe('Order 2');
    const { contents } = await client.readResource({ uri: 'orders://all' });
    expect(contents).toMatchObject([{ text: 'a first order\nTea for nobody (reader)' }]);
  });

  test('shows a provider that is disposed of when the app ends', async () => {
    // Standard input has ended, so the server does.
    expect(await print('shop.ts')).toContain('The database is closed');
  });
});
