import { expect, test } from '@jest/globals';
import type { StoredSession } from '@sigil/core/backend';
import { RedisSessionStore } from '../src/redis-session-store.js';
import { describeWithRedis } from './fixtures/servers.js';
import { limits } from './fixtures/limits.js';

const IDLE_MS = 60_000;

/** What the engine writes down of a client that says much of itself. */
const STATE: StoredSession['state'] = {
  protocolVersion: '2025-11-25',
  clientInfo: {
    name: 'an-ordinary-client',
    title: 'An Ordinary Client',
    version: '12.34.56',
    websiteUrl: 'https://client.example/about',
  },
  capabilities: { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: {}, url: {} } },
  logLevel: 'warning',
  subscriptions: ['commerce://products/1234', 'commerce://products/5678'],
};

describeWithRedis('RedisSessionStore', (redis) => {
  test('takes 1 KB for an idle session at most, its part of the index included', async () => {
    const connection = redis().connect();
    const store = new RedisSessionStore(connection, limits());
    const memory = async (...command: string[]): Promise<number> =>
      Number(await connection.send('MEMORY', ...command));
    const used = async () =>
      Number(/used_memory:(\d+)/.exec(String(await connection.send('INFO', 'memory')))?.[1]);
    const ids = Array.from({ length: 2_000 }, () => crypto.randomUUID());
    await store.create({ id: 'first', version: 1, openedAt: Date.now(), owner: null, state: STATE }, IDLE_MS);
    const before = await used();
    for (const [index, id] of ids.entries()) {
      const client = `principal https://issuer.example auth0|${1_000_000 + (index % 100)}`;
      await store.create(
        { id, version: 1, openedAt: Date.now(), owner: client, client, state: STATE },
        IDLE_MS,
      );
    }
    const each = ((await used()) - before) / ids.length;
    const base = `{${connection.prefix}:sessions}`;
    const index = (await memory('USAGE', `${base}:index`, 'SAMPLES', '0')) / ids.length;
    const key = await memory('USAGE', `${base}/${ids[0] ?? ''}`);
    expect(JSON.stringify(STATE).length).toBeGreaterThan(350);
    expect(key + index).toBeLessThan(1_024);
    expect(each).toBeLessThan(1_024);
  });

  test('takes one round trip to use a session, whether it has changed or not', async () => {
    const connection = redis().connect();
    const observer = redis().connect();
    const store = new RedisSessionStore(connection, limits());
    await store.create({ id: 'a', version: 1, openedAt: Date.now(), owner: null, state: {} }, IDLE_MS);
    await store.use('a', IDLE_MS);
    await connection.check();
    /** How many commands clients have sent, and how often the server has read from them. */
    const counts = async () => {
      const stats = String(await observer.send('INFO', 'everything'));
      const count = (name: string) =>
        Number(new RegExp(`^${name}:(?:calls=)?(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
      return {
        reads: count('total_reads_processed'),
        scripts: count('cmdstat_evalsha'),
        evals: count('cmdstat_eval'),
      };
    };
    const before = await counts();
    for (const known of [undefined, 1, 2, 1]) await store.use('a', IDLE_MS, known);
    const after = await counts();
    // The second look is one read more.
    expect(after.reads - before.reads).toBe(4 + 1);
    expect(after.scripts - before.scripts).toBe(4);
    expect(after.evals - before.evals).toBe(0);
  });

  test('forgets in the index what has expired in the meantime, a part of it with each new session', async () => {
    const connection = redis().connect();
    const store = new RedisSessionStore(connection, limits());
    const sessionOf = (id: string): StoredSession => ({
      id,
      version: 1,
      openedAt: Date.now(),
      owner: null,
      client: 'one',
      state: {},
    });
    for (let index = 0; index < 150; index++) await store.create(sessionOf(`short ${index}`), 1_000);
    await store.create(sessionOf('used'), 1_000);
    await store.use('used', IDLE_MS);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const kept = async () => [
      await connection.send('ZCARD', `{${connection.prefix}:sessions}:index`),
      await connection.send('HGET', `{${connection.prefix}:sessions}:clients`, '"one"'),
    ];
    expect(await kept()).toEqual([151, '151']);
    await store.create(sessionOf('next'), IDLE_MS);
    expect(await kept()).toEqual([52, '52']);
    await store.create(sessionOf('last'), IDLE_MS);
    expect(await kept()).toEqual([3, '3']);
  });
});
