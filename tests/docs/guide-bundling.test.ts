import { expect, test } from '@jest/globals';
import { describePage, textOf } from './guide-page.js';

describePage('bundling', ({ connect }) => {
  test('shows a property that is never sent', async () => {
    const client = await connect('users.ts');
    expect(textOf(await client.callTool({ name: 'first_user', arguments: {} }))).toBe('{"name":"Ada"}');
  });
});
