import { expect, test } from '@jest/globals';
import { connect, type ConnectOptions } from '@sigil/testing';
import { createServer } from '../src/app.js';

const clients: [string, ConnectOptions][] = [
  ['as a task', { tasks: true }],
  ['for a client of 2026-07-28 without tasks', { revision: '2026-07-28' }],
  ['for a client of 2025-11-25', { revision: '2025-11-25' }],
];

test.each(clients)('counts the copies on every shelf %s', async (_, options) => {
  await using app = await createServer();
  await using client = await connect(app, options);

  const result = await client.callTool('take_stock');

  expect(result.structuredContent).toEqual({
    shelves: [
      { subject: 'astronomy', copies: 3 },
      { subject: 'cooking', copies: 4 },
      { subject: 'nature', copies: 2 },
    ],
    total: 9,
  });
});

test('leaves out what is on loan', async () => {
  await using app = await createServer();
  await using client = await connect(app);
  const reader = { name: 'Ada', email: 'ada@example.com' };
  await client.callTool('lend_books', { reader, items: [{ bookId: 'night-sky' }] });

  const result = await client.callTool('take_stock');

  expect(result.structuredContent).toMatchObject({ total: 8 });
});

test('reports progress shelf by shelf', async () => {
  const messages: (string | undefined)[] = [];
  await using app = await createServer();
  await using client = await connect(app);

  await client.callTool('take_stock', {}, { onProgress: ({ message }) => messages.push(message) });

  expect(messages).toEqual(['Counted astronomy', 'Counted cooking', 'Counted nature']);
});
