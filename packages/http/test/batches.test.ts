import { expect, test } from '@jest/globals';
import { EventReader } from './fixtures/events.js';
import { call, envelope, type Message, MODERN, post, request, textOf } from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const answers = async (response: Response): Promise<Message[]> => (await response.json()) as Message[];
const notification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };

describeBridges('batches', (bench) => {
  test.each(['2024-11-05', '2025-03-26'])(
    'are answered with one array in %s [checklist 16]',
    async (version) => {
      const session = await openSession(bench(), version);
      const response = await session.post([
        call('echo', { text: 'one' }, 1),
        notification,
        call('echo', { text: 'two' }, 'b'),
        request('no/such', {}, 3),
      ]);
      expect(response.status).toBe(200);
      const byId = new Map((await answers(response)).map((message) => [message.id, message]));
      expect(byId.size).toBe(3);
      expect(textOf(byId.get(1))).toBe('one');
      expect(textOf(byId.get('b'))).toBe('two');
      expect(byId.get(3)?.error?.code).toBe(-32601);
    },
  );

  test('equal ids in one get an answer each [checklist 25]', async () => {
    const session = await openSession(bench(), '2025-03-26');
    const got = await answers(await session.post(['a', 'b'].map((text) => call('echo', { text }, 1))));
    expect(got.map(textOf).sort()).toEqual(['a', 'b']);
  });

  test('whatever in one is no message is refused beside the answers', async () => {
    const session = await openSession(bench(), '2025-03-26');
    const got = await answers(await session.post([5, call('echo', { text: 'a' }, 1), {}]));
    expect(got.map(({ id, error }) => [id, error?.code])).toEqual(
      expect.arrayContaining([
        [null, -32600],
        [1, undefined],
      ]),
    );
    expect(got).toHaveLength(3);
  });

  test('one of nothing but notifications and responses is answered with 202 [checklist 16]', async () => {
    const session = await openSession(bench(), '2025-03-26');
    const response = await session.post([notification, { jsonrpc: '2.0', id: 9, result: {} }, notification]);
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });

  test('progress of one comes first, on a stream [checklist 21]', async () => {
    const session = await openSession(bench(), '2025-03-26');
    const response = await session.post([
      call('count', {}, 1, { progressToken: 1 }),
      call('echo', { text: 'a' }, 2),
    ]);
    const events = await new EventReader(response).rest();
    expect(events).toHaveLength(4);
    expect(events[3]).toHaveLength(2);
  });

  test.each([
    ['an empty one', []],
    ['one of things that are no messages', [1, 'two']],
  ])('%s is refused where it was sent, not on another stream [checklist 16]', async (_what, batch) => {
    const session = await openSession(bench(), '2025-03-26');
    const events = new EventReader(await session.listen());
    const response = await within(session.post(batch));
    expect([200, 400]).toContain(response.status);
    expect(await response.text()).toContain('-32600');
    await session.end();
    expect(await within(events.rest())).toEqual([]);
  });

  test.each(['2025-06-18', '2025-11-25'])(
    'are refused in %s, whatever is in them [checklist 16]',
    async (version) => {
      const session = await openSession(bench(), version);
      const events = new EventReader(await session.listen());
      for (const batch of [[request('ping')], [notification], []]) {
        const response = await session.post(batch);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
      }
      await session.end();
      expect(await within(events.rest())).toEqual([]);
    },
  );

  test('are refused in the modern era [checklist 16]', async () => {
    const message = request('tools/list', { _meta: envelope() });
    const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' };
    const response = await post(bench(), [message], headers);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32600 } });
  });

  test('initialize may not be in one', async () => {
    const response = await post(bench(), [initialize('2025-03-26')]);
    expect(response.status).toBe(400);
    expect(response.headers.get('mcp-session-id')).toBeNull();
  });
});
