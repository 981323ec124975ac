import { expect, test } from '@jest/globals';
import { createClient } from '@redis/client';
import type { ServerChange } from '@sigil/core/backend';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { until } from '../../../tests/contract/backend/waiting.js';
import { RedisClusterServers, tell } from '../../../tests/e2e/redis-groups.js';
import { redis as backendOn } from '../src/index.js';
import { type RedisConnection, redisScript } from '../src/redis-connection.js';
import { RedisTaskStore } from '../src/redis-task-store.js';
import { describeStores } from './fixtures/stores.js';
import { describeWithRedis, type RedisForTests, type ServersForTests } from './fixtures/servers.js';
import { limits } from './fixtures/limits.js';

const start = (copies: number) => async (): Promise<ServersForTests> => {
  const cluster = await RedisClusterServers.start(copies);
  const [first, ...others] = [...cluster.masters, ...cluster.copies];
  if (!first) throw new Error('A cluster has three masters');
  // The others are found.
  const place = { cluster: { nodes: cluster.nodes.slice(0, 2) } };
  return { servers: [first, ...others], place, stop: () => cluster.stop() };
};

/** Redis 7 looks at every key that a script uses, and not at those alone that it names first, when the script begins so. */
function strict(connection: RedisConnection): RedisConnection {
  const run = connection.run.bind(connection);
  return Object.assign(connection, {
    run: (...[script, ...rest]: Parameters<typeof run>) => run(redisScript(`#!lua\n${script.lua}`), ...rest),
  });
}

describeWithRedis(
  'on a Redis cluster of three',
  (redis) => {
    const onCluster = (): RedisForTests => ({
      ...redis(),
      connect: (options) => strict(redis().connect(options)),
    });

    test('refuses a script that uses keys of several slots', async () => {
      const script = redisScript(
        "redis.call('GET', KEYS[1]) return redis.call('EXISTS', KEYS[1] .. ':other')",
      );
      const run = (key: string) => onCluster().connect().run(script, [key], []);
      await expect(run('key')).rejects.toThrow(/non local key/);
      expect(await run('{key}')).toBe(0);
    });

    test('is not opened by the address of one of its nodes', async () => {
      const backend = backendOn({ url: redis().server.url })({ name: 'test' });
      redis().after(() => backend.close());
      const silent = (): void => undefined;
      const logger = { debug: silent, info: silent, warn: silent, error: silent };
      await expect((async () => backend.open?.(logger))()).rejects.toThrow(
        "Redis is a node of a cluster: write cluster: { nodes: ['redis://…'] } in place of url",
      );
    });

    test('logs in to the nodes with the user and password of a client', async () => {
      const { servers, place, after } = redis();
      for (const server of servers)
        await tell(server, 'ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all');
      const client = createClient({ username: 'app', password: 'secret' });
      const backend = backendOn({ ...place, client })({ name: 'login' });
      after(() => backend.close());
      await backend.tasks.create(stored('a'), 0);
      expect(await backend.tasks.get('a')).toBeDefined();
      const clients = await Promise.all(servers.map((server) => tell(server, 'CLIENT', 'LIST')));
      expect(clients.join('')).toContain(' user=app ');
    });

    test('keeps what is of several apps on several nodes', async () => {
      for (const prefix of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        const connection = redis().connect({ prefix });
        await connection.open();
        await connection.check();
        const store = new RedisTaskStore(connection, limits());
        await store.create(stored('a'), 0);
        expect(await store.claim({ run: 'run', limit: 1, leaseMs: 60_000 })).toHaveLength(1);
        expect(await store.renew([{ taskId: 'a', run: 'run' }], 60_000)).toEqual([]);
      }
    });

    describeStores(onCluster);
  },
  start(0),
);

describeWithRedis(
  'on a Redis cluster whose masters have copies',
  (redis) => {
    const ofAll = Array.from({ length: 12 }, (_, at) => `app${at}`);

    test.each(['is killed', 'answers nothing'])('goes on with a copy when a master %s', async (how) => {
      const { servers, after, connect } = redis();
      const [master] = servers;
      const backends = ofAll.map((prefix) =>
        backendOn({ ...redis().place, prefix, timeoutMs: 500 })({ name: 'a' }),
      );
      after(() => Promise.all(backends.map(async (backend) => backend.close())));
      const works = async () => {
        const done = await Promise.allSettled(
          backends.map(async ({ tasks }, at) => {
            const taskId = crypto.randomUUID();
            await tasks.create(stored(taskId), 0);
            await tasks.claim({ run: 'run', limit: 1, leaseMs: 60_000, taskId });
            expect(await tasks.renew([{ taskId, run: 'run' }], 60_000)).toEqual([]);
            return at;
          }),
        );
        return done.filter(({ status }) => status === 'fulfilled').length;
      };
      expect(await works()).toBe(12);
      const heard: ServerChange[] = [];
      await backends[0]?.bus.subscribe((change) => heard.push(change));
      if (how === 'is killed') await master.stop();
      else {
        after(() => master.resume());
        master.pause();
      }
      await until(async () => (await works()) === 12, 30_000);
      await until(async () => {
        await Promise.allSettled([backends[0]?.bus.publish({ kind: 'list', list: 'tools' })]);
        return heard.some(({ kind }) => kind === 'list');
      });
      // Now it is a copy itself.
      if (how === 'is killed') await master.restart();
      else master.resume();
      await until(async () =>
        String(await connect({ url: master.url }).send('INFO', 'replication')).includes(
          'master_link_status:up',
        ),
      );
      expect(await works()).toBe(12);
    });
  },
  start(3),
);
