import { expect, test } from '@jest/globals';
import { createClient } from '@redis/client';
import type { Backend, ServerChange } from '@sigil/core/backend';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { until } from '../../../tests/contract/backend/waiting.js';
import { isCopied, RedisSentinelServers, tell } from '../../../tests/e2e/redis-groups.js';
import { freePort } from '../../../tests/e2e/processes.js';
import type { Redis } from '../../../tests/e2e/redis.js';
import { redis as backendOn, type RedisOptions } from '../src/index.js';
import { describeStores } from './fixtures/stores.js';
import { describeWithRedis, type RedisForTests, type ServersForTests } from './fixtures/servers.js';

async function start(): Promise<ServersForTests> {
  const servers = await RedisSentinelServers.start();
  const { master, copy, sentinel, name } = servers;
  // The first Sentinel is not there.
  const nodes = [`redis://127.0.0.1:${await freePort()}`, sentinel.url];
  const place = { sentinel: { name, nodes } };
  return { servers: [master, copy, sentinel], place, stop: () => servers.stop() };
}

const silent = (): void => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

const open = ({ after }: RedisForTests, options: RedisOptions): Backend => {
  const backend = backendOn(options)({ name: 'test' });
  after(() => backend.close());
  return backend;
};

describeWithRedis('on a Redis with Sentinels', (redis) => describeStores(redis), start);

describeWithRedis(
  'a backend on a Redis with Sentinels',
  (redis) => {
    const worksOn = async ({ tasks }: Backend): Promise<string | undefined> => {
      const taskId = crypto.randomUUID();
      try {
        await tasks.create(stored(taskId), 0);
        await tasks.claim({ run: 'run', limit: 1, leaseMs: 60_000, taskId });
        await tasks.renew([{ taskId, run: 'run' }], 60_000);
        return taskId;
      } catch {
        return undefined;
      }
    };
    const goesOn = async (backend: Backend): Promise<string> => {
      const done: string[] = [];
      await until(async () => {
        const taskId = await worksOn(backend);
        if (taskId !== undefined) done.push(taskId);
        return done.length > 0;
      }, 40_000);
      return done[0] ?? '';
    };
    const has = async (server: Redis, taskId: string): Promise<boolean> =>
      (await tell(server, 'EXISTS', `{sigil:test:tasks}/${taskId}`)) === 1;
    /** The master, as the Sentinel has it. */
    const masterPort = async (): Promise<string> => {
      const [, , sentinel] = redis().servers;
      if (!sentinel) throw new Error('There is no Sentinel');
      const address = await tell(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster');
      return String((address as readonly unknown[])[1]);
    };

    test('logs in to the master with the user and password of a client', async () => {
      const { servers, place } = redis();
      const [master, copy] = servers;
      for (const server of [master, copy])
        if (server) await tell(server, 'ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all');
      const client = createClient({ username: 'app', password: 'secret' });
      const backend = open(redis(), { ...place, client });
      await backend.open?.(SILENT);
      await goesOn(backend);
      expect(await tell(master, 'CLIENT', 'LIST')).toContain(' user=app ');
    });

    test('follows a master that hands over to its copy', async () => {
      const { servers, place } = redis();
      const [, copy, sentinel] = servers;
      if (!copy || !sentinel) throw new Error('There is no Sentinel');
      const backend = open(redis(), place);
      await backend.open?.(SILENT);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change));
      const before = await goesOn(backend);
      await until(() => has(copy, before));
      await tell(sentinel, 'SENTINEL', 'FAILOVER', 'mymaster');
      await until(async () => (await masterPort()) === String(copy.port));
      const began = performance.now();
      await until(async () => {
        const taskId = await worksOn(backend);
        return taskId !== undefined && (await has(copy, taskId));
      });
      // The old master takes what is written for ten seconds more, and loses it then.
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(await backend.tasks.get(before)).toBeDefined();
      await until(() => heard.some(({ kind }) => kind === 'all'));
    });

    test('goes on with a copy when its master is killed', async () => {
      const { servers, place } = redis();
      const backend = open(redis(), { ...place, timeoutMs: 500 });
      await backend.open?.(SILENT);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change));
      const before = await goesOn(backend);
      const port = await masterPort();
      const master = servers.find((server) => String(server.port) === port);
      const copy = servers.find((server) => server !== master);
      if (!master || !copy) throw new Error('There is no master');
      await until(() => isCopied(copy));
      await until(() => has(copy, before));
      await master.stop();
      await goesOn(backend);
      expect(await masterPort()).not.toBe(port);
      expect(await backend.tasks.get(before)).toBeDefined();
      await until(() => heard.some(({ kind }) => kind === 'all'));
      await master.restart();
    });

    test.each<[string, (nodes: readonly string[], server: string) => RedisOptions, RegExp]>([
      [
        'the name of no master',
        (nodes) => ({ sentinel: { name: 'other', nodes } }),
        /The Sentinels know no master 'other'/,
      ],
      [
        'a Redis in place of a Sentinel',
        (_, url) => ({ sentinel: { name: 'mymaster', nodes: [url] } }),
        /Redis refuses the connection: ERR unknown command 'SENTINEL'/,
      ],
      [
        'a Sentinel in place of a Redis',
        (nodes) => ({ url: nodes[0] ?? '' }),
        /The server is a Sentinel: write sentinel/,
      ],
      [
        'a Redis in place of a cluster',
        (_, url) => ({ cluster: { nodes: [url] } }),
        /Redis is not a cluster: use url instead of cluster/,
      ],
    ])('is not opened with %s', async (_, options, message) => {
      const [master, , sentinel] = redis().servers;
      const backend = open(redis(), options([sentinel?.url ?? ''], master.url));
      await expect((async () => backend.open?.(SILENT))()).rejects.toThrow(message);
    });
  },
  start,
);
