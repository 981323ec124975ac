import { expect, test } from '@jest/globals';
import { describePage, textOf } from './guide-page.js';

describePage('handlers', ({ connect }) => {
  test('shows tools that take a DTO, single values and nothing', async () => {
    const client = await connect('library.ts');
    const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
    const found = await call('find_books', { title: 'Disp' });
    const books = [{ isbn: '1', title: 'The Dispossessed', copies: 2 }];
    expect(found.structuredContent).toEqual({ result: books });
    const modern = await connect('library.ts', { mode: { pin: '2026-07-28' } });
    const again = await modern.callTool({ name: 'find_books', arguments: { title: 'Disp' } });
    expect(again.structuredContent).toEqual(books);
    const logged: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params.data));
    await client.setLoggingLevel('info');
    expect(textOf(await call('print_labels', { isbns: ['1'] }))).toBe('1 labels printed');
    await new Promise(setImmediate);
    expect(logged).toEqual([{ isbn: '1' }]);
    expect(textOf(await call('print_labels', { isbns: ['1'], copies: 3 }))).toBe('3 labels printed');
    expect(await call('print_labels', { isbns: ['2'] })).toMatchObject({
      isError: true,
      content: [{ text: 'There is no book 2' }],
    });
    expect((await call('cover')).content).toMatchObject([{ type: 'text' }, { type: 'image' }]);
  });

  test.each(['legacy', { pin: '2026-07-28' }] as const)(
    'says truly what becomes of progress that an official client reads together with the result: %j',
    async (mode) => {
      const client = await connect('library.ts', { mode });
      const told: unknown[] = [];
      client.onerror = ({ message }) => void told.push(message);
      const print = { name: 'print_labels', arguments: { isbns: ['1'] } };
      await client.callTool(print, { onprogress: (progress) => void told.push(progress) });
      await new Promise(setImmediate);
      expect(told).toEqual([expect.stringContaining('progress notification for an unknown token')]);
    },
  );

  test('says truly what becomes of wrong arguments', async () => {
    const client = await connect('library.ts');
    const wrong = await client.callTool({ name: 'find_books', arguments: { title: 7, sort: 'size' } });
    expect(wrong.isError).toBe(true);
    const review = client.getPrompt({ name: 'review', arguments: { title: 'Emma', stars: 'many' } });
    await expect(review).rejects.toMatchObject({ code: -32602 });
  });

  test('shows a resource, a prompt whose strings are converted, and its completion', async () => {
    const client = await connect('library.ts');
    const { contents } = await client.readResource({ uri: 'books://1' });
    expect(contents).toMatchObject([
      { mimeType: 'application/json', text: expect.stringContaining('Dispossessed') },
    ]);
    await expect(client.readResource({ uri: 'books://2' })).rejects.toThrow('Resource not found');
    const { messages } = await client.getPrompt({ name: 'review', arguments: { title: 'Emma', stars: '5' } });
    expect(messages).toMatchObject([
      { role: 'user', content: { text: 'Write a review of Emma with 5 stars' } },
    ]);
    const ref = { type: 'ref/prompt' as const, name: 'review' };
    const { completion } = await client.complete({ ref, argument: { name: 'title', value: 'The' } });
    expect(completion.values).toEqual(['The Dispossessed']);
  });

  test.each(['legacy', { pin: '2026-07-28' }] as const)(
    'shows resources of a template in lists: %j',
    async (mode) => {
      const client = await connect('catalogue.ts', { mode });
      const first = await client.request({ method: 'resources/list' });
      expect(first).toMatchObject({
        resources: [
          { uri: 'commerce://products/CUP', name: 'Product CUP', mimeType: 'application/json' },
          { uri: 'commerce://products/PEN', name: 'Product PEN' },
        ],
        nextCursor: expect.any(String),
      });
      const { resources } = await client.listResources({ cursor: String(first.nextCursor) });
      expect(resources).toMatchObject([{ uri: 'commerce://products/TEA%201', name: 'Product TEA 1' }]);
    },
  );

  test('shows all that functions define, every kind of content, and lists in pages', async () => {
    const client = await connect('museum.ts');
    const { content } = await client.callTool({ name: 'exhibit', arguments: {} });
    expect(content.map(({ type }) => type)).toEqual([
      'text',
      'image',
      'audio',
      'resource',
      'resource',
      'resource_link',
    ]);
    const { contents } = await client.readResource({ uri: 'museum://rooms/tower' });
    expect(contents).toMatchObject([{ text: 'The tower, from above' }]);
    const { messages } = await client.getPrompt({ name: 'tour', arguments: { first: 'hall' } });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'tour' },
      argument: { name: 'last', value: '' },
      context: { arguments: { first: 'hall' } },
    });
    expect(completion.values).toEqual(['garden', 'tower']);
    const page = await client.request({ method: 'tools/list' });
    expect(page).toMatchObject({ tools: [{ name: 'exhibit' }], nextCursor: expect.any(String) });
    const refused = await client.callTool({ name: 'describe', arguments: { room: 'hall' } }).catch(String);
    expect(refused).toContain('has no model to offer');
  });

  test('shows a tool that is added to a running app', async () => {
    const client = await connect('shout.ts');
    expect(textOf(await client.callTool({ name: 'shout', arguments: { what: 'tea' } }))).toBe('TEA');
  });
});
