import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('greets by name', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('greet', { name: 'Ada' });

  expect(textOf(result)).toBe('Hello, Ada!');
});

test('refuses an empty name', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('greet', { name: '' });

  expect(result.isError).toBe(true);
});
