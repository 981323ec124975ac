import { expect, test } from '@jest/globals';
import { type ConnectOptions, testApp } from '@sigil/testing';
import { options } from '../../src/app.js';

const clients: [string, ConnectOptions][] = [
  ['as a task', { tasks: true }],
  ['for a client of 2026-07-28 without tasks', { revision: '2026-07-28' }],
  ['for a client of 2025-11-25', { revision: '2025-11-25' }],
];

test.each(clients)('counts the copies on every shelf %s', async (_, client) => {
  await using server = await testApp({ ...options, client });

  const result = await server.client.callTool('take_stock');

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
  await using server = await testApp(options);
  const reader = { name: 'Ada', email: 'ada@example.com' };
  await server.client.callTool('lend_books', { reader, items: [{ bookId: 'night-sky' }] });

  const result = await server.client.callTool('take_stock');

  expect(result.structuredContent).toMatchObject({ total: 8 });
});

test('reports progress shelf by shelf', async () => {
  const messages: (string | undefined)[] = [];
  await using server = await testApp(options);

  await server.client.callTool('take_stock', {}, { onProgress: ({ message }) => messages.push(message) });

  expect(messages).toEqual(['Counted astronomy', 'Counted cooking', 'Counted nature']);
});
