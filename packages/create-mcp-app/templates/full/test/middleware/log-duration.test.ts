import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('tells how long each round of a call took that asks the user', async () => {
  await using server = await testApp({
    ...options,
    client: { onElicit: () => ({ action: 'accept', content: { condition: 'good' } }) },
  });
  const reader = { name: 'Ada', email: 'ada@example.com' };
  await server.client.callTool('lend_books', { reader, items: [{ bookId: 'red-dwarfs' }] });

  const result = await server.client.callTool('return_books', { loanId: 'L-1' }, { logLevel: 'debug' });

  expect(textOf(result)).toBe('Loan L-1 is closed; condition: good');
  // From 2026-07-28 on, the handler runs twice: first up to the question, then again with the answer.
  expect(server.client.notifications.map(({ params }) => params?.['logger'])).toEqual([
    'duration',
    'duration',
  ]);
});

test('tells a client that asks for it how long a call took', async () => {
  await using server = await testApp(options);

  await server.client.callTool('search_books', { words: 'stars' }, { logLevel: 'debug' });

  expect(server.client.notifications).toMatchObject([
    { method: 'notifications/message', params: { logger: 'duration', data: { ms: expect.any(Number) } } },
  ]);
});
