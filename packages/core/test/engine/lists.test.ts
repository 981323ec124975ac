import { describe, expect, test } from '@jest/globals';
import { type App, definePrompt, defineResource, defineTool } from '../../src/index.js';
import {
  appOf,
  type Client,
  clientOf,
  type Json,
  openSession,
  settled,
  statelessClient,
} from '../harness.js';

const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
const method = (kind: (typeof KINDS)[number]): string =>
  kind === 'resourceTemplates' ? 'resources/templates/list' : `${kind}/list`;

function appWith(count: number, pageSize?: number): Promise<App> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const definitions = numbers.flatMap((number) => [
    defineTool({ name: `t${number}`, handle: () => number }),
    definePrompt({ name: `p${number}`, handle: () => 'x' }),
    defineResource({ uri: `r://${number}`, name: `r${number}`, handle: () => 'x' }),
    defineResource({ uri: `r${number}://{id}`, name: `x${number}`, handle: () => 'x' }),
  ]);
  return appOf({ definitions, ...(pageSize === undefined ? {} : { pageSize }) });
}

const names = (page: Json, kind: string): unknown[] => (page[kind] as Json[]).map(({ name }) => name);
const toolsPage = (client: Client, cursor?: unknown): Promise<Json> =>
  client.result('tools/list', cursor === undefined ? {} : { cursor });

describe('a list', () => {
  test.each(KINDS)('of %s fits on one page unless a size is given', async (kind) => {
    const page = await (await openSession(await appWith(5))).result(method(kind));
    expect(page[kind]).toHaveLength(5);
    expect(page).not.toHaveProperty('nextCursor');
  });

  test.each(KINDS)('of %s comes in pages, in the same order each time [checklist 35]', async (kind) => {
    const client = await openSession(await appWith(5, 2));
    const first = await client.list(kind);
    expect(first).toHaveLength(5);
    expect(await client.list(kind)).toEqual(first);
    expect(await (await openSession(await appWith(5))).list(kind)).toEqual(first);
  });

  test('ends with a full page when nothing follows', async () => {
    const client = await openSession(await appWith(4, 2));
    const first = await toolsPage(client);
    const second = await toolsPage(client, first['nextCursor']);
    expect(names(second, 'tools')).toEqual(['t3', 't4']);
    expect(second).not.toHaveProperty('nextCursor');
  });

  test('skips and repeats nothing when entries are removed between pages', async () => {
    const app = await appWith(6, 2);
    const client = await openSession(app);
    const first = await toolsPage(client);
    app.tools.remove('t1');
    app.tools.remove('t2');
    app.tools.remove('t4');
    const second = await toolsPage(client, first['nextCursor']);
    expect(names(second, 'tools')).toEqual(['t3', 't5']);
    expect(names(await toolsPage(client, second['nextCursor']), 'tools')).toEqual(['t6']);
  });

  test('shows entries added between pages', async () => {
    const app = await appWith(3, 2);
    const client = await openSession(app);
    const first = await toolsPage(client);
    app.tools.add(defineTool({ name: 'late', handle: () => 1 }));
    expect(names(await toolsPage(client, first['nextCursor']), 'tools')).toEqual(['t3', 'late']);
  });

  test.each(KINDS)('of %s refuses a cursor that is not its own with -32602 [checklist 36]', async (kind) => {
    const client = await openSession(await appWith(3, 2));
    for (const cursor of [
      'nonsense',
      '',
      7,
      null,
      {},
      btoa('after:x'),
      btoa('after:-1'),
      btoa('after:1e3'),
      '%%%',
    ]) {
      expect([cursor, await client.error(method(kind), { cursor })]).toEqual([
        cursor,
        expect.objectContaining({ code: -32602 }),
      ]);
    }
  });

  test('says on all its pages for whom it may be kept [checklist 36] [checklist 39]', async () => {
    const app = await appOf({
      pageSize: 1,
      cache: { ttlMs: 60_000, cacheScope: 'public' },
      definitions: [
        defineTool({ name: 'open', handle: () => 1 }),
        defineTool({ name: 'guarded', handle: () => 1, guards: [() => true] }),
        definePrompt({ name: 'open', handle: () => 'x' }),
      ],
    });
    const client = statelessClient(app);
    const first = await toolsPage(client);
    const second = await toolsPage(client, first['nextCursor']);
    for (const page of [first, second]) expect(page).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
    expect(await client.result('prompts/list')).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
  });

  test('fills its pages with what the caller may see', async () => {
    const definitions = Array.from({ length: 9 }, (_, index) =>
      defineTool({ name: `t${index}`, handle: () => 1, guards: [() => index % 2 === 0] }),
    );
    const client = await openSession(await appOf({ definitions, pageSize: 2 }));
    const first = await toolsPage(client);
    expect(names(first, 'tools')).toEqual(['t0', 't2']);
    const second = await toolsPage(client, first['nextCursor']);
    expect(names(second, 'tools')).toEqual(['t4', 't6']);
    const third = await toolsPage(client, second['nextCursor']);
    expect(names(third, 'tools')).toEqual(['t8']);
    expect(third).not.toHaveProperty('nextCursor');
  });
});

describe('a change while the app is up', () => {
  test.each([
    ['tools', 'notifications/tools/list_changed'],
    ['prompts', 'notifications/prompts/list_changed'],
    ['resources', 'notifications/resources/list_changed'],
  ] as const)('of %s is told once, however many there are at once', async (kind, notification) => {
    const app = await appWith(3);
    const client = await openSession(app);
    for (const key of app[kind].keys()) app[kind].remove(key);
    if (kind === 'tools') for (const name of ['a', 'b']) app.tools.add(defineTool({ name, handle: () => 1 }));
    await settled();
    expect(client.messages.filter(({ method: sent }) => sent !== undefined)).toEqual([
      { jsonrpc: '2.0', method: notification },
    ]);
  });

  test('is told to every session, and to no stateless client', async () => {
    const app = await appWith(3);
    const sessions = [await openSession(app), await openSession(app, '2024-11-05')];
    const modern = statelessClient(app);
    await modern.list('tools');
    app.tools.remove('t1');
    await settled();
    for (const client of sessions) expect(client.heard('notifications/tools/list_changed')).toHaveLength(1);
    expect(modern.heard('notifications/tools/list_changed')).toEqual([]);
  });

  test('is not told to a session that has ended', async () => {
    const app = await appWith(2);
    const client = await openSession(app);
    await client.close();
    app.tools.remove('t1');
    await settled();
    expect(client.heard('notifications/tools/list_changed')).toEqual([]);
  });

  test('shows in the next list of every revision', async () => {
    const app = await appWith(2);
    for (const version of ['2025-06-18', '2026-07-28']) {
      const client = await clientOf(app, version);
      await client.list('tools');
      app.tools.add(defineTool({ name: `new-${version}`, handle: () => 1 }));
      expect((await client.list('tools')).map(({ name }) => name)).toContain(`new-${version}`);
    }
  });

  test('that removes the last entry leaves an empty list, not a missing method', async () => {
    const app = await appWith(1);
    const client = await openSession(app);
    app.tools.remove('t1');
    app.prompts.remove('p1');
    app.resources.remove('r://1');
    app.resources.remove('r1://{id}');
    expect(await client.result('tools/list')).toEqual({ tools: [] });
    expect(await client.result('prompts/list')).toEqual({ prompts: [] });
    expect(await client.result('resources/list')).toEqual({ resources: [] });
    expect(await client.result('resources/templates/list')).toEqual({ resourceTemplates: [] });
  });
});
