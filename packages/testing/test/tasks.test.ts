import { describe, expect, jest, test } from '@jest/globals';
import { createApp, defineTool, ProtocolError, TaskSupport } from '@sigil/core';
import { connect } from '../src/index.js';

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** The signals of the endless tasks that have begun. */
const begun: AbortSignal[] = [];
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits until an endless task has begun. */
async function next(): Promise<AbortSignal> {
  const signal = begun.pop();
  if (signal) return signal;
  await turn();
  return next();
}

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
      handle: (_args, { signal }) => {
        begun.push(signal);
        return new Promise(() => undefined);
      },
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
    const minute = 60_000;
    const call = client.callTool('endless', {}, { timeoutMs: minute });
    let failed: unknown;
    call.catch((error: unknown) => (failed = error));
    const signal = await next();
    // Each look at the clock is a minute later than the one before: too late for the task, in time for each request.
    const { now } = Date;
    let ahead = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + (ahead += minute + 1));
    try {
      while (failed === undefined) await turn();
    } finally {
      clock.mockRestore();
    }
    expect(failed).toMatchObject({ message: expect.stringMatching(/has not ended within 60000 ms$/) });
    while (!signal.aborted) await turn();
  });

  test('cancels a task when its signal aborts', async () => {
    await using client = await connect(app, { tasks: true });
    const reason = new Error('no longer wanted');
    const stopped = new AbortController();
    const call = client.callTool('endless', {}, { signal: stopped.signal });
    const failed = expect(call).rejects.toBe(reason);
    const signal = await next();
    stopped.abort(reason);
    await failed;
    while (!signal.aborted) await turn();
  });
});

test('a client that declares the extension by itself gets the handle', async () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  await using client = await connect(app, { capabilities: { extensions } });
  expect(await client.callTool('endless')).toMatchObject({ resultType: 'task', status: 'working' });
});
