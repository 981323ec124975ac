import { expect, test } from '@jest/globals';
import { connect, textOf } from '@sigil/testing';
import { createServer } from '../src/app.js';

test('finds books by words of title and author', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.callTool('search_books', { words: 'stars berg' });

  expect(result.structuredContent).toMatchObject({ books: [{ id: 'red-dwarfs', author: 'Tomas Berg' }] });
});

test('returns no more books than asked for', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.callTool('search_books', { words: 'stars', limit: 1 });

  expect(result.structuredContent).toMatchObject({ books: [{ id: 'night-sky' }] });
});

test('says which argument is wrong', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.callTool('search_books', { words: 'stars', limit: 100 });

  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('limit');
});
