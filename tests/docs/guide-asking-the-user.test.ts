import { describe, expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import { testApp, textOf as textOfResult } from '@sigil/testing';
import { describePage, type Reader, textOf } from './guide-page.js';

const MODES: readonly (readonly [string, Reader])[] = [
  ['2025-11-25', { mode: 'legacy' }],
  ['2026-07-28', { mode: { pin: '2026-07-28' } }],
];

describePage('asking-the-user', ({ connect }) => {
  test.each(MODES)('shows a handler that asks, and makes its side effect once, in %s', async (_, mode) => {
    const answers = [{ action: 'accept', content: { day: 'Friday' } }, { action: 'decline' }];
    const asked: string[] = [];
    const answer = (message: string) => {
      asked.push(message);
      return answers.shift() ?? {};
    };
    const client = await connect('booking.ts', { ...mode, answer });
    const book = async () => textOf(await client.callTool({ name: 'book_table', arguments: { guests: 2 } }));
    expect(await book()).toBe('Table 1 is booked for 2 on Friday');
    expect(await book()).toBe('Nothing was booked');
    expect(asked).toEqual(['Table 1 is free. Which day?', 'Table 2 is free. Which day?']);
  });

  test.each(MODES)('shows a handler that asks several things at once in %s', async (_, mode) => {
    const answer = () => ({ action: 'accept', content: { name: 'Ada' } });
    const client = await connect('trip.ts', { ...mode, answer, roots: ['file:///work'] });
    expect(textOf(await client.callTool({ name: 'plan_trip' }))).toBe('Ada keeps the plan in file:///work');
  });

  test.each(MODES)('shows a handler that asks until it is content in %s', async (_, mode) => {
    const answers = [false, true, false, false];
    const answer = () => ({ action: 'accept', content: { sure: answers.shift() ?? false } });
    const client = await connect('cleanup.ts', { ...mode, answer });
    const remove = async (id: string) =>
      textOf(await client.callTool({ name: 'delete_record', arguments: { id } }));
    expect(await remove('a')).toBe('Deleted a');
    expect(await remove('b')).toBe('Kept b');
  });
});

describe('what the page says of waiting', () => {
  const form = { type: 'object', properties: { sure: { type: 'boolean' } } };

  test.each(['2025-11-25', '2026-07-28'] as const)(
    'holds in %s: time spent waiting for the client does not count into timeoutMs',
    async (revision) => {
      const ask = defineTool({
        name: 'ask',
        timeoutMs: 1_000,
        handle: async (_args, ctx) => (await ctx.elicit('Sure?', form)).action,
      });
      const onElicit = async () => {
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return { action: 'accept' as const, content: { sure: true } };
      };
      await using server = await testApp({ definitions: [ask], client: { revision, onElicit } });
      expect(textOfResult(await server.client.callTool('ask'))).toBe('accept');
    },
  );

  test('holds for a client that comes after the state has expired', async () => {
    const ask = defineTool({
      name: 'ask',
      handle: async (_args, ctx) => (await ctx.elicit('Sure?', form)).action,
    });
    const onElicit = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { action: 'accept' as const, content: {} };
    };
    await using server = await testApp({ definitions: [ask], state: { ttlMs: 20 }, client: { onElicit } });
    await expect(server.client.callTool('ask')).rejects.toMatchObject({
      code: -32602,
      message: '"requestState" is refused: it has expired',
    });
  });

  test('holds for a client that refuses to answer, in a session', async () => {
    const ask = defineTool({
      name: 'ask',
      handle: async (_args, ctx) => (await ctx.elicit('Sure?', form)).action,
    });
    const client = { revision: '2025-11-25', capabilities: { elicitation: { form: {} } } } as const;
    await using server = await testApp({ definitions: [ask], client });
    expect(await server.client.callTool('ask')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('The client refused') }],
    });
  });

  test('holds for an answer that is late, in a session', async () => {
    const ask = defineTool({
      name: 'ask',
      handle: async (_args, ctx) => {
        const failed = await ctx.elicit('Sure?', form, { timeoutMs: 50 }).catch((error: unknown) => error);
        return String((failed as { reason?: unknown }).reason);
      },
    });
    const onElicit = () => new Promise<never>(() => undefined);
    const client = { revision: '2025-11-25', onElicit } as const;
    await using server = await testApp({ definitions: [ask], client });
    expect(textOfResult(await server.client.callTool('ask'))).toBe('late');
  });
});
