import { describe, expect, test } from '@jest/globals';
import type { StoredTask, TaskClaim } from '@sigil/core/backend';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { until } from '../../../tests/contract/backend/waiting.js';
import { RedisTaskStore } from '../src/redis-task-store.js';
import { describeWithRedis } from './fixtures/servers.js';
import { limits } from './fixtures/limits.js';

const claim = (rest: Partial<TaskClaim>): TaskClaim => ({ run: 'run', limit: 1, leaseMs: 60_000, ...rest });
const idsOf = (tasks: readonly StoredTask[]): string[] => tasks.map(({ task }) => task.taskId);

describeWithRedis('RedisTaskStore', (redis) => {
  const open = () => {
    const connection = redis().connect();
    const keys = async () => {
      const found = (await connection.send('KEYS', `*${connection.prefix}:tasks*`)) as readonly string[];
      return found.map((key) => key.slice(key.indexOf('}') + 1)).sort();
    };
    return { connection, keys, store: new RedisTaskStore(connection, limits()) };
  };

  test('takes one round trip for each thing it does, whatever is claimed and renewed at once', async () => {
    const { connection, store } = open();
    const observer = redis().connect();
    const all = async () => {
      for (let at = 0; at < 16; at += 1) await store.create(stored(`t${at}`, { owner: `o${at % 5}` }), 0);
      const claimed = await store.claim(claim({ limit: 16 }));
      expect(
        await store.renew(
          claimed.map(({ task: { taskId } }) => ({ taskId, run: 'run' })),
          1,
        ),
      ).toEqual([]);
      await store.replace(stored('t0', { version: 3 }, { status: 'completed' }), null);
      await store.get('t0');
      await store.list(16);
      return claimed.length;
    };
    await all();
    await connection.send('FLUSHDB');
    const reads = async () =>
      Number(/total_reads_processed:(\d+)/.exec(String(await observer.send('INFO', 'stats')))?.[1]);
    const before = await reads();
    expect(await all()).toBe(16);
    // The second look is one read more.
    expect((await reads()) - before).toBe(16 + 5 + 1);
  });

  test('finds what can be claimed behind any number of tasks that cannot', async () => {
    const { store } = open();
    for (let at = 0; at < 3_000; at += 1)
      await store.create(stored(`slow${at}`, { owner: `o${at % 1_500}`, tool: 'slow' }), 0);
    await store.create(stored('fast', { owner: 'o7', tool: 'fast' }), 0);
    expect(idsOf(await store.claim(claim({ excludeTools: ['slow'] })))).toEqual(['fast']);
    const excludeOwners = Array.from({ length: 64 }, (_, at) => `o${at}`);
    expect(idsOf(await store.claim(claim({ excludeOwners })))).toEqual(['slow64']);
  });

  test('gives an owner of several tools one turn', async () => {
    const { store } = open();
    for (const tool of ['x', 'y', 'z'])
      for (const at of [0, 1]) await store.create(stored(`${tool}${at}`, { owner: 'ada', tool }), 0);
    for (const at of [0, 1, 2]) await store.create(stored(`bob${at}`, { owner: 'bob', tool: 'y' }), 0);
    const owners = (await store.claim(claim({ limit: 9 }))).map(({ owner }) => owner);
    expect(owners).toEqual(['ada', 'bob', 'ada', 'bob', 'ada', 'bob', 'ada', 'ada', 'ada']);
  });

  test('takes the turns of owners whose leases were renewed for what they are', async () => {
    const { store } = open();
    const runs = Array.from({ length: 50 }, (_, at) => ({ taskId: `t${at}`, run: 'run' }));
    for (const { taskId } of runs) await store.create(stored(taskId, { owner: taskId }), 0);
    await store.claim(claim({ limit: 50, leaseMs: 1 }));
    await store.renew(runs, 60_000);
    await store.create(stored('next', { owner: 'ada' }), 0);
    expect(idsOf(await store.claim(claim({ limit: 5 })))).toEqual(['next']);
  });

  describe('leaves nothing behind', () => {
    test('of tasks that have expired', async () => {
      const { store, keys } = open();
      for (const owner of ['ada', 'bob', null])
        for (const tool of ['x', 'y']) {
          const rest = { owner, tool };
          await store.create(stored(`${owner}${tool}`, rest, { ttlMs: 50 }), 0);
          await store.create(stored(`${owner}${tool} done`, rest, { ttlMs: 50, status: 'failed' }), null);
        }
      await store.claim(claim({ limit: 2 }));
      await until(async () => (await store.list(10)).tasks.length === 0);
      expect(await keys()).toEqual([':totals']);
      await store.create(stored('a', {}, { ttlMs: 1 }), null);
      await until(async () => (await store.claim(claim({}))).length === 0);
    });

    test('among what can be claimed, of tasks that have ended', async () => {
      const { store, keys } = open();
      await store.create(stored('a', { owner: 'ada' }), 0);
      await store.claim(claim({}));
      await store.replace(stored('a', { owner: 'ada', version: 3 }, { status: 'completed' }), null);
      expect(await keys()).toEqual(['/a', ':finished:"ada"', ':info', ':order', ':totals']);
    });
  });

  test('takes up a task that had ended, when it is begun again', async () => {
    const { store, keys } = open();
    await store.create(stored('a', {}, { status: 'failed' }), null);
    expect(await keys()).toContain(':finished:');
    await store.replace(stored('a', { version: 2 }), 0);
    expect(await keys()).not.toContain(':finished:');
    expect(idsOf(await store.claim(claim({})))).toEqual(['a']);
  });
});
