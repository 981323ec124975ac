import { describe, expect, test } from '@jest/globals';
import { defineTool } from '../../src/index.js';
import { ListView } from '../../src/engine/methods/list.js';
import { appOf, type Json, openSession, textOf } from '../harness.js';

describe('a progress token', () => {
  test.each([
    ['x'.repeat(256), 1],
    [7, 1],
    ['x'.repeat(257), 0],
    [{ any: 'thing' }, 0],
  ])('is repeated when it is no longer than an id', async (progressToken, reports) => {
    const step = defineTool({
      name: 'step',
      handle: (_args, ctx) => {
        ctx.progress(1);
        return 'done';
      },
    });
    const client = await openSession(await appOf({ definitions: [step] }));
    await client.call('step', {}, { progressToken });
    expect(client.heard('notifications/progress')).toHaveLength(reports);
  });
});

describe('the pages a user was sent to', () => {
  /** A session whose user is sent to pages, and does with them what is said. */
  async function visiting(action: string) {
    const visit = defineTool({
      name: 'visit',
      handle: async (_args, ctx) =>
        (await ctx.elicitUrl('Sign in', 'https://example.com/')).elicitationId ?? 'none',
    });
    const app = await appOf({ definitions: [visit] });
    const client = await openSession(
      app,
      '2025-11-25',
      { elicitation: { url: {} } },
      { answer: () => ({ action }) },
    );
    return { app, visit: async () => String(textOf(await client.call('visit'))) };
  }

  test.each(['decline', 'cancel'])('are not remembered when the user did not go: %s', async (action) => {
    const { app, visit } = await visiting(action);
    expect(app.completeElicitation(await visit())).toBe(false);
  });

  test('are the latest 1000 of each client', async () => {
    const { app, visit } = await visiting('accept');
    const visited: string[] = [];
    for (let at = 0; at <= 1000; at += 1) visited.push(await visit());
    expect(visited.filter((id) => app.completeElicitation(id))).toEqual(visited.slice(1));
  });
});

describe('the pages of a list', () => {
  test('are kept where they follow each other from the first, and not from every place that a client makes up', () => {
    const entries = Array.from({ length: 10 }, (_, at) => [at + 1, { name: `tool${at + 1}` }] as const);
    const collection = {
      version: 1,
      after: (start: number) => entries.filter(([position]) => position > start),
      [Symbol.iterator]: () => entries.map(([, entry]) => entry).values(),
    };
    const parts = {
      collection,
      key: 'tools',
      pageSize: 2,
      describe: (entry: Json) => entry,
      shows: () => true,
    };
    const view = new ListView(parts as never, 'a revision' as never);
    const isKept = (start: number): boolean => view.page(start) === view.page(start);
    expect([4, 0, 2, 4, 6].map(isKept)).toEqual([false, true, true, true, true]);
    expect([1, 3, 5, 7, 10, 99].map(isKept)).toEqual([false, false, false, false, false, false]);
  });
});
