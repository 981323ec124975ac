import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('serves a book as JSON', async () => {
  await using server = await testApp(options);

  const result = await server.client.readResource('library://books/sourdough');

  expect(JSON.parse(textOf(result))).toMatchObject({ title: 'Bread Without Haste', copies: 3 });
});

test('has no book that is not in the catalogue', async () => {
  await using server = await testApp(options);

  await expect(server.client.readResource('library://books/gravel')).rejects.toThrow('Resource not found');
});

test('completes the ids of books', async () => {
  await using server = await testApp(options);

  const { values } = await server.client.complete(
    { type: 'ref/resource', uri: 'library://books/{id}' },
    'id',
    'ni',
  );

  expect(values).toEqual(['night-sky']);
});
