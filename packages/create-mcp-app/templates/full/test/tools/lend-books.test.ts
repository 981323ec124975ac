import { expect, test } from '@jest/globals';
import { provide } from '@sigil/core';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';
import { Clock } from '../../src/services/clock.js';

const reader = { name: 'Ada', email: 'ada@example.com' };

test('lends books and says when they are due', async () => {
  const clock = provide(Clock, { now: () => new Date('2026-02-20') });
  await using server = await testApp({ ...options, override: [clock] });
  const items = [{ bookId: 'night-sky' }, { bookId: 'ferments', days: 7 }];

  const result = await server.client.callTool('lend_books', { reader, items });

  expect(result.structuredContent).toEqual({
    id: 'L-1',
    reader: 'Ada',
    books: [
      { bookId: 'night-sky', title: 'A Year of Stars', due: '2026-03-06' },
      { bookId: 'ferments', title: 'Salt and Time', due: '2026-02-27' },
    ],
  });
});

test('lends all of the books or none', async () => {
  await using server = await testApp(options);
  const twice = [{ bookId: 'tide-pools' }, { bookId: 'red-dwarfs' }, { bookId: 'red-dwarfs' }];

  const refused = await server.client.callTool('lend_books', { reader, items: twice });
  const lent = await server.client.callTool('lend_books', { reader, items: twice.slice(0, 2) });

  expect(textOf(refused)).toBe('No copy of "Small Stars, Long Lives" is left');
  expect(lent.structuredContent).toMatchObject({ id: 'L-1' });
});

test('sends the model to the catalogue when there is no such book', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('lend_books', { reader, items: [{ bookId: 'gravel' }] });

  expect(textOf(result)).toBe('There is no book "gravel"; search_books finds ids');
});

test.each([
  [
    'an e-mail address that is none',
    { reader: { name: 'Ada', email: 'ada' }, items: [{ bookId: 'night-sky' }] },
  ],
  ['no books', { reader, items: [] }],
  ['a loan of a year', { reader, items: [{ bookId: 'night-sky', days: 365 }] }],
])('refuses %s', async (_, request) => {
  await using server = await testApp(options);

  const result = await server.client.callTool('lend_books', request);

  expect(result.isError).toBe(true);
});
