import { describe, expect, test } from '@jest/globals';
import { createApp, defineTool, ProtocolError, TaskSupport } from '@sigil/core';
import { connect } from '../src/index.js';

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

const app = await createApp({
  name: 'jobs',
  version: '1.0.0',
  definitions: [
    defineTool({
      name: 'greet',
      metadata: TaskSupport.entry('required'),
      handle: async (_args, ctx) => {
        const first = await ctx.elicit('Who?', form);
        const second = await ctx.elicit('Who else?', form);
        return [first, second].map(({ content }) => String(content?.['name'])).join(' and ');
      },
    }),
    defineTool({
      name: 'broken',
      metadata: TaskSupport.entry('required'),
      handle: () => {
        throw new ProtocolError(-32603, 'Out of order');
      },
    }),
    defineTool({
      name: 'endless',
      metadata: TaskSupport.entry('required'),
      handle: () => new Promise(() => undefined),
    }),
  ],
});

describe('a client that follows tasks', () => {
  test('gives the result of a call that became one, and answers what it asks', async () => {
    const asked: string[] = [];
    await using client = await connect(app, {
      tasks: true,
      onElicit: ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { name: message === 'Who?' ? 'Ann' : 'Ben' } };
      },
    });
    expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'Ann and Ben' }] });
    expect(asked).toEqual(['Who?', 'Who else?']);
  });

  test('rejects with the error of a task that failed', async () => {
    await using client = await connect(app, { tasks: true });
    await expect(client.callTool('broken')).rejects.toEqual(new ProtocolError(-32603, 'Out of order'));
  });

  test('gives up a task that takes too long, and cancels it', async () => {
    await using client = await connect(app, { tasks: true });
    await expect(client.callTool('endless', {}, { timeoutMs: 50 })).rejects.toThrow(
      'has not ended within 50 ms',
    );
  });

  test('cancels a task when its signal aborts', async () => {
    await using client = await connect(app, { tasks: true });
    const reason = new Error('no longer wanted');
    const stopped = new AbortController();
    setTimeout(() => stopped.abort(reason), 30);
    await expect(client.callTool('endless', {}, { signal: stopped.signal })).rejects.toBe(reason);
  });
});

test('a client that declares the extension by itself gets the handle', async () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  await using client = await connect(app, { capabilities: { extensions } });
  expect(await client.callTool('endless')).toMatchObject({ resultType: 'task', status: 'working' });
});
