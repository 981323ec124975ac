import { expect, test } from '@jest/globals';
import { describePage, textOf } from './guide-page.js';

describePage('bundling', ({ connect }) => {
  test('shows a property that is never sent', async () => {
    const client = await connect('users.ts');
    expect(textOf(await client.callTool({ name: 'first_user', arguments: {} }))).toBe('{"name":"Ada"}');
  });

  test('shows handlers that need no types at run time', async () => {
    const client = await connect('untyped.ts');
    const call = async (name: string, given: Readonly<Record<string, unknown>> = {}) =>
      textOf(await client.callTool({ name, arguments: given }));
    expect(await call('greet', { times: 2 })).toBe('Hello, guest! Hello, guest! ');
    expect(await call('who_asks')).toBe('guest');
    expect(await call('add', { a: 1, b: 2 })).toBe('3');
  });

  test('shows a service for standard decorators', async () => {
    const client = await connect('standard.ts');
    const given = { sku: 'lamp', pieces: 2 };
    expect(textOf(await client.callTool({ name: 'order', arguments: given }))).toBe('2 × lamp for guest');
  });
});
