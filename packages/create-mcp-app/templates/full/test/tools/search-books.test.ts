import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('finds books by words of title and author', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('search_books', { words: 'stars berg' });

  expect(result.structuredContent).toMatchObject({ books: [{ id: 'red-dwarfs', author: 'Tomas Berg' }] });
});

test('returns no more books than asked for', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('search_books', { words: 'stars', limit: 1 });

  expect(result.structuredContent).toMatchObject({ books: [{ id: 'night-sky' }] });
});

test('says which argument is wrong', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('search_books', { words: 'stars', limit: 100 });

  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('limit');
});
