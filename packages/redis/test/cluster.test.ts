import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../../../tests/contract/backend/waiting.js';
import { RedisConnection } from '../src/redis-connection.js';
import { redisScript } from '../src/redis-connection.js';
import { describeStores } from './fixtures/stores.js';
import { describeWithRedis, type RedisForTests } from './fixtures/servers.js';

const config = join(tmpdir(), `redis-cluster-${process.pid}.conf`);

/** Redis 7 looks at every key that a script uses, and not at those alone that it names first, when the script begins so. */
function strict(connection: RedisConnection): RedisConnection {
  const run = connection.run.bind(connection);
  return Object.assign(connection, {
    run: (...[script, keys, args]: Parameters<typeof run>) =>
      run(redisScript(`#!lua\n${script.lua}`), keys, args),
  });
}

describeWithRedis(
  'on a node of a Redis cluster',
  (redis) => {
    beforeAll(async () => {
      const connection = new RedisConnection({ url: redis().server.url });
      await connection.send('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await until(async () => String(await connection.send('CLUSTER', 'INFO')).includes('cluster_state:ok'));
      connection.close();
    });
    afterAll(() => rm(config, { force: true }));

    const onCluster = (): RedisForTests => ({
      ...redis(),
      connect: (options) => strict(redis().connect(options)),
    });

    test('refuses a script that uses keys of several slots', async () => {
      const script = redisScript(
        "redis.call('GET', KEYS[1]) return redis.call('EXISTS', KEYS[1] .. ':other')",
      );
      const run = (key: string) => onCluster().connect().run(script, [key], []);
      await expect(run('key')).rejects.toThrow(/slot/);
      expect(await run('{key}')).toBe(0);
    });

    describeStores(onCluster);
  },
  '--cluster-enabled',
  'yes',
  '--cluster-config-file',
  config,
);
