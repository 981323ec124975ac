import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';

import { EventReader } from './event-reader.js';
import { LegacySession, textOf } from './legacy-session.js';
import { post } from './modern-http.js';
import { Nodes, noNodes } from './nodes.js';
import type { ProxyName } from './proxies.js';
import { until } from './processes.js';
import type { StoreName } from './stores.js';

type Json = Record<string, unknown>;
const TASKS = 'io.modelcontextprotocol/tasks';
const WATCHED = 'test://watched-resource';
const KNOWS_TASKS = { extensions: { [TASKS]: {} }, elicitation: { form: {} } };

// A killed node takes its time to start again.
jest.setTimeout(30_000);

const PLACES: readonly (readonly [StoreName, ProxyName])[] = [
  ['redis', 'haproxy'],
  ['redis cluster', 'nginx'],
  ['redis sentinel', 'haproxy'],
  ['postgres', 'nginx'],
  ['pgbouncer by session', 'haproxy'],
  ['pgbouncer by transaction', 'nginx'],
];

for (const [store, proxy] of PLACES) {
  const why = noNodes(store, proxy);
  const name = `three nodes on ${store} behind ${proxy}`;
  if (why === undefined) describe(name, () => threeNodes(store, proxy));
  else describe.skip(`${name} (${why})`, () => test('is skipped', () => undefined));
}

function threeNodes(store: StoreName, proxy: ProxyName): void {
  let nodes: Nodes;
  const at = (node: number): string => nodes.addressOf(node);
  beforeAll(async () => {
    nodes = await Nodes.start(store, proxy);
  }, 60_000);
  afterAll(() => nodes.stop(), 20_000);

  describe('a session', () => {
    test('is served by every node, and by none once any has ended it', async () => {
      const session = await LegacySession.open(at(0));
      for (const node of [1, 2, 0])
        expect(await session.call(at(node), 'test_simple_text')).toEqual(expect.any(String));
      expect(await session.end(at(1))).toBe(204);
      for (const node of [0, 1, 2]) expect(await session.call(at(node), 'test_simple_text')).toBe(404);
    });

    test('has its question answered at another node than the one that asks', async () => {
      const session = await LegacySession.open(at(0), { sampling: {} });
      const asking = await session.post(at(0), {
        id: 7,
        method: 'tools/call',
        params: { name: 'test_sampling', arguments: { prompt: 'Which?' } },
      });
      const events = new EventReader(asking);
      const question = await events.find(({ method }) => method === 'sampling/createMessage');
      const result = { role: 'assistant', model: 'test', content: { type: 'text', text: 'That one' } };
      const answered = await session.post(at(2), { id: question['id'], result });
      expect(answered.status).toBe(202);
      expect(textOf(await events.find(({ id }) => id === 7))).toContain('That one');
    });

    test('has a call cancelled at another node than the one that runs it', async () => {
      const session = await LegacySession.open(at(0));
      const label = `cancelled ${store}`;
      const calling = session.post(at(0), {
        id: 9,
        method: 'tools/call',
        params: { name: 'wait_until_cancelled', arguments: { label } },
      });
      const state = () => session.call(at(0), 'state_of_wait', { label });
      await until(async () => (await state()) === 'waiting');
      await session.post(at(1), { method: 'notifications/cancelled', params: { requestId: 9 } });
      await until(async () => (await state()) === 'cancelled');
      await (await calling).body?.cancel();
    });

    test('hears on one node of a resource it subscribed to on another, when it changes on the third', async () => {
      const session = await LegacySession.open(at(0));
      const events = await session.listen(at(1));
      await session.post(at(0), { id: 2, method: 'resources/subscribe', params: { uri: WATCHED } });
      await session.call(at(2), 'touch_watched_resource');
      const { params } = await events.find(({ method }) => method === 'notifications/resources/updated');
      expect(params).toEqual({ uri: WATCHED });
      await events.leave();
    });

    test('gets on another node what it missed of its stream', async () => {
      const session = await LegacySession.open(at(0));
      await session.post(at(0), { id: 2, method: 'resources/subscribe', params: { uri: WATCHED } });
      const events = await session.listen(at(1));
      const isUpdate = ({ method }: Json): boolean => method === 'notifications/resources/updated';
      await session.call(at(2), 'touch_watched_resource');
      await events.find(isUpdate);
      await events.leave();
      await session.call(at(2), 'touch_watched_resource');
      const resumed = await session.listen(at(2), events.lastId);
      await resumed.find(isUpdate);
      // And goes on there.
      await session.call(at(0), 'touch_watched_resource');
      await resumed.find(isUpdate);
      await resumed.leave();
    });

    test('gets on another node the result of a call whose connection it lost', async () => {
      const session = await LegacySession.open(at(0));
      const calling = await session.post(at(0), {
        id: 11,
        method: 'tools/call',
        params: { name: 'test_reconnection', arguments: {} },
      });
      const first = new EventReader(calling);
      await first.next();
      const resumed = await session.listen(at(1), first.lastId);
      expect(textOf(await resumed.find(({ id }) => id === 11))).toContain('come back');
    });
  });

  describe('a client of 2026-07-28', () => {
    test('hears on one node of what changes on another', async () => {
      const events = new EventReader(await listen(at(0), { resourceSubscriptions: [WATCHED] }));
      await events.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
      await post(at(2), 'tools/call', { name: 'touch_watched_resource', arguments: {} });
      await events.find(({ method }) => method === 'notifications/resources/updated');
      await events.leave();
    });

    test('goes through the rounds of a call on whatever nodes they reach, and brings a state back once', async () => {
      const call = { name: 'confirm_delete', arguments: { filename: 'a.txt' } };
      const asked = await post(at(0), 'tools/call', call, { elicitation: { form: {} } });
      const answer = { action: 'accept', content: { confirm: true } };
      const [key = ''] = Object.keys(asked['inputRequests'] as Json);
      const again = { ...call, requestState: asked['requestState'], inputResponses: { [key]: answer } };
      const done = await post(at(1), 'tools/call', again, { elicitation: { form: {} } });
      expect(textOf({ result: done })).toBe('Deleted a.txt');
      await expect(post(at(2), 'tools/call', again, { elicitation: { form: {} } })).rejects.toThrow(
        /used already/,
      );
    });

    test('finds a task on every node, answers it on another, and cancels one anywhere', async () => {
      const call = { name: 'confirm_delete', arguments: { filename: 'b.txt' } };
      const { taskId } = await post(at(0), 'tools/call', call, KNOWS_TASKS);
      const get = (node: number, id: unknown = taskId) =>
        post(at(node), 'tasks/get', { taskId: id }, KNOWS_TASKS);
      await until(async () => (await get(1))['status'] === 'input_required');
      const { inputRequests } = await get(2);
      const [key = ''] = Object.keys(inputRequests as Json);
      const inputResponses = { [key]: { action: 'accept', content: { confirm: true } } };
      await post(at(2), 'tasks/update', { taskId, inputResponses }, KNOWS_TASKS);
      await until(async () => (await get(0))['status'] === 'completed');
      expect(textOf({ result: (await get(1))['result'] })).toBe('Deleted b.txt');

      const slow = { name: 'slow_compute', arguments: { seconds: 60 } };
      const { taskId: second } = await post(at(1), 'tools/call', slow, KNOWS_TASKS);
      await post(at(2), 'tasks/cancel', { taskId: second }, KNOWS_TASKS);
      expect(await get(0, second)).toMatchObject({ status: 'cancelled' });
    });
  });

  describe('a node that is killed', () => {
    test('loses no session, and its call ends with an error where the client comes back for it', async () => {
      const session = await LegacySession.open(at(0));
      const label = `killed ${store}`;
      const calling = await session.post(at(0), {
        id: 13,
        method: 'tools/call',
        params: { name: 'wait_until_cancelled', arguments: { label } },
      });
      const lost = new EventReader(calling);
      await lost.next();
      await nodes.killNode(0);
      await lost.next().catch(() => undefined);
      const resumed = await session.listen(at(1), lost.lastId);
      expect(await resumed.find(({ id }) => id === 13)).toMatchObject({ error: { code: -32603 } });
      expect(await session.call(at(2), 'test_simple_text')).toEqual(expect.any(String));
      await nodes.startNode(0);
      expect(await session.call(at(0), 'test_simple_text')).toEqual(expect.any(String));
    });
  });
}

/** Opens a subscription of 2026-07-28. */
async function listen(address: string, notifications: Json): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications, _meta },
    }),
  });
}
