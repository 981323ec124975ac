import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventReader } from './event-reader.js';
import { LegacySession } from './legacy-session.js';
import { post } from './modern-http.js';
import { Nodes, noNodes } from './nodes.js';
import type { ProxyName } from './proxies.js';
import { isAlive, until } from './processes.js';
import type { StoreName } from './stores.js';

const CHAOS = fileURLToPath(new URL('../chaos/run.mjs', import.meta.url));
const run = promisify(execFile);
const KNOWS_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

const PLACES: readonly (readonly [StoreName, ProxyName])[] = [
  ['redis', 'nginx'],
  ['redis cluster', 'haproxy'],
  ['redis sentinel', 'nginx'],
  ['postgres', 'haproxy'],
  ['pgbouncer by session', 'nginx'],
  ['pgbouncer by transaction', 'haproxy'],
];

for (const [store, proxy] of PLACES) {
  const why = noNodes(store, proxy);
  const name = `failures of nodes on ${store} behind ${proxy}`;
  if (why === undefined) describe(name, () => failures(store, proxy));
  else describe.skip(`${name} (${why})`, () => test('is skipped', () => undefined));
}

function failures(store: StoreName, proxy: ProxyName): void {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await Nodes.start(store, proxy);
  }, 60_000);
  afterAll(() => nodes.stop(), 20_000);
  const stateless = (address: string) =>
    post(address, 'tools/call', { name: 'test_simple_text', arguments: {} });
  const readiness = async (at: number): Promise<number> => {
    const response = await fetch(new URL('/readyz', nodes.addressOf(at)));
    await response.body?.cancel();
    return response.status;
  };

  test('a store that is down stops sessions, and neither stateless calls nor any process', async () => {
    const at = nodes.addressOf(0);
    const session = await LegacySession.open(at);
    const heard = await session.listen(nodes.addressOf(1));
    expect(await readiness(0)).toBe(200);
    await nodes.store.halt();
    await until(async () => (await readiness(0)) === 503);
    for (let call = 0; call < 5; call += 1) expect(await stateless(at)).toHaveProperty('content');
    // The others cannot hear of it now.
    await post(at, 'tools/call', { name: 'touch_watched_resource', arguments: {} });
    const refused = await session.post(at, {
      id: 1,
      method: 'tools/call',
      params: { name: 'test_simple_text' },
    });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
    await refused.body?.cancel();

    await nodes.store.restart();
    // Each comes back in its own time.
    for (const node of [0, 1, 2]) await until(async () => (await readiness(node)) === 200);
    // What was kept in memory alone is gone: clients open a new session then, as the specification has it.
    const { isDurable } = nodes.store;
    const expected = isDurable ? expect.any(String) : 404;
    await until(async () => (await session.call(at, 'test_simple_text')) !== 503);
    expect(await session.call(at, 'test_simple_text')).toEqual(expected);
    if (isDurable)
      // Changes were missed: the client is told that anything may have changed.
      expect(await heard.find(({ method }) => method === 'notifications/tools/list_changed')).toBeDefined();
    await heard.leave();
    const renewed = await LegacySession.open(at);
    expect(await renewed.call(nodes.addressOf(2), 'test_simple_text')).toEqual(expect.any(String));
    expect(nodes.processes.every(({ pid }) => isAlive(pid))).toBe(true);
  });

  test('a store that does not answer is waited for no longer than its time', async () => {
    const at = nodes.addressOf(0);
    const session = await LegacySession.open(at);
    await nodes.store.pause();
    try {
      const began = performance.now();
      expect(await session.call(at, 'test_simple_text')).toBe(503);
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(await stateless(at)).toHaveProperty('content');
    } finally {
      await nodes.store.resume();
    }
    await until(async () => typeof (await session.call(at, 'test_simple_text')) === 'string');
    // A load balancer takes its time to see it.
    await until(async () => typeof (await session.call(nodes.address, 'test_simple_text')) === 'string');
  });

  test('a rolling restart under load loses no call', async () => {
    const outcome = { answered: 0, lost: [] as string[] };
    let isOver = false;
    const session = await LegacySession.open(nodes.address);
    const load = Array.from({ length: 8 }, async (_each, at) => {
      while (!isOver) {
        try {
          if (at % 2 === 0) await stateless(nodes.address);
          else {
            const text = await session.call(nodes.address, 'test_simple_text');
            if (typeof text !== 'string') throw new Error(`a session call was answered with ${text}`);
          }
          outcome.answered += 1;
        } catch (error) {
          outcome.lost.push(String(error));
        }
      }
    });
    for (const at of [0, 1, 2]) {
      await nodes.endNode(at);
      await nodes.restartNode(at);
    }
    isOver = true;
    await Promise.all(load);
    expect(outcome.lost).toEqual([]);
    expect(outcome.answered).toBeGreaterThan(20);
  }, 60_000);

  test('tasks go on when nodes are killed and paused at random, and nothing is recorded twice', async () => {
    const args = [CHAOS, '--tasks', '40', '--every', '700', '--seed', '14', '--json'];
    const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...nodes.store.env } });
    const { resumedMsMost, ...report } = JSON.parse(stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      completed: 40,
      lost: [],
      failed: [],
      stuck: [],
      recordedTwice: 0,
      zombieWrites: 0,
    });
    expect(Number(resumedMsMost)).toBeLessThan(10_000);
  }, 120_000);

  // The last one: the group of servers is another one after it.
  if (store === 'redis sentinel')
    test('a master that is killed stops sessions and tasks no longer than until its copy has its place', async () => {
      const session = await LegacySession.open(nodes.address);
      const heard = await session.listen(nodes.addressOf(1));
      const compute = { name: 'slow_compute', arguments: { seconds: 8 } };
      const { taskId } = await post(nodes.addressOf(0), 'tools/call', compute, KNOWS_TASKS);
      const answers = new Set<unknown>();
      const restarted = { isOver: false };
      const calling = (async () => {
        while (!restarted.isOver) {
          const answer = await session.call(nodes.address, 'test_simple_text');
          answers.add(typeof answer === 'string' ? 'answered' : answer);
          expect(await stateless(nodes.address)).toHaveProperty('content');
        }
      })();
      await nodes.store.failOver?.();
      for (const node of [0, 1, 2]) await until(async () => (await readiness(node)) === 200);
      restarted.isOver = true;
      await calling;
      expect([...answers].filter((answer) => answer !== 503)).toEqual(['answered']);
      for (const node of [0, 1, 2])
        expect(await session.call(nodes.addressOf(node), 'test_simple_text')).toEqual(expect.any(String));
      expect(await heard.find(({ method }) => method === 'notifications/tools/list_changed')).toBeDefined();
      await heard.leave();
      const status = async () =>
        (await post(nodes.addressOf(2), 'tasks/get', { taskId }, KNOWS_TASKS))['status'];
      await until(async () => (await status()) === 'completed');
      expect(nodes.processes.every(({ pid }) => isAlive(pid))).toBe(true);
    }, 60_000);
}

test('a subscription of 2026-07-28 is told that anything may have changed once the bus is back', async () => {
  if (noNodes('redis', 'nginx') !== undefined) return;
  const nodes = await Nodes.start('redis', 'nginx', { count: 1 });
  try {
    const events = new EventReader(await listenForTools(nodes.addressOf(0)));
    await events.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    await nodes.store.halt();
    await nodes.store.restart();
    expect(await events.find(({ method }) => method === 'notifications/tools/list_changed')).toBeDefined();
    await events.leave();
  } finally {
    await nodes.stop();
  }
}, 60_000);

function listenForTools(address: string): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  };
  const params = { notifications: { toolsListChanged: true }, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
  return fetch(address, { method: 'POST', headers, body });
}
