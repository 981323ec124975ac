import { expect, test } from '@jest/globals';
import { connect, textOf } from '@sigil/testing';
import { createServer } from '../src/app.js';

test('greets by name', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.callTool('greet', { name: 'Ada' });

  expect(textOf(result)).toBe('Hello, Ada!');
});

test('refuses an empty name', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.callTool('greet', { name: '' });

  expect(result.isError).toBe(true);
});
