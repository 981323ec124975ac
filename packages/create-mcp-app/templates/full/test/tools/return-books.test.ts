import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

const request = { reader: { name: 'Ada', email: 'ada@example.com' }, items: [{ bookId: 'red-dwarfs' }] };

// Up to 2025-11-25, the question is a request to the client. From 2026-07-28 on, the client repeats the call with the answer.
test.each(['2025-11-25', '2026-07-28'] as const)('asks for the condition, in %s', async (revision) => {
  const questions: string[] = [];
  await using server = await testApp({
    ...options,
    client: {
      revision,
      onElicit: ({ message }) => {
        questions.push(message);
        return { action: 'accept', content: { condition: 'worn', note: 'coffee on page 12' } };
      },
    },
  });
  await server.client.callTool('lend_books', request);

  const result = await server.client.callTool('return_books', { loanId: 'L-1' });
  const again = await server.client.callTool('lend_books', request);

  expect(textOf(result)).toBe('Loan L-1 is closed; condition: worn (coffee on page 12)');
  expect(questions).toEqual(['In what condition are Small Stars, Long Lives?']);
  expect(again.structuredContent).toMatchObject({ id: 'L-2' });
});

test('keeps the loan open when the user declines', async () => {
  await using server = await testApp({ ...options, client: { onElicit: () => ({ action: 'decline' }) } });
  await server.client.callTool('lend_books', request);

  const result = await server.client.callTool('return_books', { loanId: 'L-1' });
  const again = await server.client.callTool('lend_books', request);

  expect(textOf(result)).toBe('Loan L-1 stays open');
  expect(again.isError).toBe(true);
});

test('knows no loan that was never made', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('return_books', { loanId: 'L-9' });

  expect(textOf(result)).toBe('There is no open loan L-9');
});
