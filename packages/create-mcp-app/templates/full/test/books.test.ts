import { expect, test } from '@jest/globals';
import { connect, textOf } from '@sigil/testing';
import { createServer } from '../src/app.js';

test('serves a book as JSON', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.readResource('library://books/sourdough');

  expect(JSON.parse(textOf(result))).toMatchObject({ title: 'Bread Without Haste', copies: 3 });
});

test('has no book that is not in the catalogue', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  await expect(client.readResource('library://books/gravel')).rejects.toThrow('Resource not found');
});

test('completes the ids of books', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const { values } = await client.complete({ type: 'ref/resource', uri: 'library://books/{id}' }, 'id', 'ni');

  expect(values).toEqual(['night-sky']);
});
