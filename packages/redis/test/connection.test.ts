import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '@redis/client';
import type { Backend, ServerChange, StoredSession } from '@sigil/core/backend';
import { freePort } from '../../../tests/e2e/processes.js';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { wait } from '../../../tests/contract/backend/waiting.js';
import { redis } from '../src/index.js';
import { buildProgram, Program, removeProgram } from './fixtures/programs.js';
import { describeWithRedis } from './fixtures/servers.js';

const SESSION: StoredSession = { id: 'a', version: 1, openedAt: Date.now(), owner: null, state: {} };

describeWithRedis('a connection to Redis', (redisForTests) => {
  const program = { path: '' };
  beforeAll(async () => {
    program.path = await buildProgram('life-process');
  });
  afterAll(() => removeProgram(program.path));

  test.each(['connected', 'not connected'])(
    'goes where a client of node-redis goes that is %s, and leaves that alone',
    async (state) => {
      const { server, after } = redisForTests();
      const client = createClient({ url: server.url, database: 3, keyPrefix: 'ignored:' });
      if (state === 'connected') await client.connect();
      const backend = redis({ client, prefix: state.replace(' ', '-') })({ name: 'test' });
      after(() => backend.close());
      await backend.sessions.create(SESSION, 60_000);
      expect(await backend.sessions.use('a', 60_000)).toEqual(SESSION);
      await backend.close();
      expect(client.isOpen).toBe(state === 'connected');
      if (!client.isOpen) await client.connect();
      after(() => client.destroy());
      expect(await client.sendCommand(['KEYS', `{${state.replace(' ', '-')}:*`])).not.toEqual([]);
    },
  );

  test.each<[string, (url: string) => readonly Backend[]]>([
    ['names', (url) => ['one app', 'an {other}: ü'].map((name) => redis({ url })({ name }))],
    ['prefixes', (url) => ['one', 'other'].map((prefix) => redis({ url, prefix })({ name: 'test' }))],
  ])('keeps apps apart by their %s', async (_, backends) => {
    const { server, after } = redisForTests();
    const [one, other] = backends(server.url);
    after(() => Promise.all([one?.close(), other?.close()]));
    const heard: ServerChange[] = [];
    await other?.bus.subscribe((change) => heard.push(change), 'node');
    await one?.sessions.create(SESSION, 60_000);
    await one?.bus.publish({ kind: 'list', list: 'tools' });
    await one?.bus.publish({ kind: 'message', to: 'node', about: 'greeting', content: {} });
    await one?.tasks.create(stored('a'), 0);
    expect(await other?.sessions.use('a', 60_000)).toBeUndefined();
    expect(await other?.tasks.claim({ run: 'one', limit: 1, leaseMs: 60_000 })).toEqual([]);
    await wait(100);
    expect(heard).toEqual([]);
  });

  test('keeps no process alive once it is closed', async () => {
    const { server, after } = redisForTests();
    const using = new Program(program.path, [server.url, 'life']);
    after(() => using.kill());
    await using.ended();
    expect(using.said).toBe('used\nclosed\n');
  });

  test('keeps no process alive once it is closed, though Redis was never there', async () => {
    const using = new Program(program.path, [`redis://127.0.0.1:${await freePort()}`, 'life']);
    redisForTests().after(() => using.kill());
    await using.ended();
    expect(using.said).toBe('failed\nclosed\n');
  });
});
