import { describe, expect, test } from '@jest/globals';
import type { Logger } from '@sigil/core';
import { type Backend, OverloadedError, ReadOnlyError, type ServerChange } from '@sigil/core/backend';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { until, wait } from '../../../tests/contract/backend/waiting.js';
import { tell } from '../../../tests/e2e/redis-groups.js';
import { Redis } from '../../../tests/e2e/redis.js';
import { TcpProxy } from '../../../tests/e2e/tcp-proxy.js';
import { redis, type RedisOptions } from '../src/index.js';
import { RedisTaskStore } from '../src/redis-task-store.js';
import { describeWithRedis } from './fixtures/servers.js';
import { limits } from './fixtures/limits.js';

const STREAM = { session: 'a', stream: 'a1' };
const sessionOf = (id: string, text = '') => ({
  id,
  version: 1,
  openedAt: 1_763_629_964_031,
  owner: null,
  client: 'one',
  state: { text },
});

/** One command of each part. */
const COMMANDS: Readonly<Record<string, (backend: Backend) => unknown>> = {
  check: ({ check }) => check(),
  'sessions.create': ({ sessions }) => sessions.create(sessionOf(crypto.randomUUID()), 60_000),
  'sessions.use': ({ sessions }) => sessions.use('a', 60_000),
  'sessions.delete': ({ sessions }) => sessions.delete('a'),
  'events.append': ({ events }) => events.append(STREAM, 'message'),
  'events.after': ({ events }) => events.after(STREAM),
  'events.forget': ({ events }) => events.forget('a'),
  'states.use': ({ states }) => states.use(crypto.randomUUID(), 60_000),
  'tasks.create': ({ tasks }) => tasks.create(stored(crypto.randomUUID()), 0),
  'tasks.get': ({ tasks }) => tasks.get('a'),
  'tasks.claim': ({ tasks }) => tasks.claim({ run: crypto.randomUUID(), limit: 1, leaseMs: 60_000 }),
  'tasks.renew': ({ tasks }) => tasks.renew([{ taskId: 'a', run: 'a' }], 60_000),
  'tasks.list': ({ tasks }) => tasks.list(10),
  'bus.publish': ({ bus }) => bus.publish({ kind: 'all' }),
  'limiter.take': ({ limiter }) => limiter.take('a', { limit: 1_000, windowMs: 1_000 }),
};

interface Logged {
  readonly level: string;
  readonly message: string;
}

/** A logger that keeps what it is told, but for details. */
function keepingLogger(): { logger: Logger; logged: Logged[] } {
  const logged: Logged[] = [];
  const at = (level: string) => (details: object | string, message?: string) =>
    void logged.push({ level, message: message ?? (details as string) });
  return {
    logged,
    logger: { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') },
  };
}

describeWithRedis('a backend on Redis', (redisForTests) => {
  const open = async (options: Partial<RedisOptions> = {}) => {
    const { server, after } = redisForTests();
    const backend = redis({ url: server.url, prefix: crypto.randomUUID(), ...options })({ name: 'test' });
    after(() => backend.close());
    const { logger, logged } = keepingLogger();
    await backend.open?.(logger);
    return { backend, logged, logger };
  };
  const reaches = async (backend: Backend): Promise<boolean> => {
    try {
      await backend.check();
      // On a connection of its own.
      await COMMANDS['tasks.renew']?.(backend);
      return true;
    } catch {
      return false;
    }
  };
  /** How each command fails, and after how many milliseconds. */
  const failures = (backend: Backend) =>
    Promise.all(
      Object.entries(COMMANDS).map(async ([name, run]) => {
        const began = performance.now();
        try {
          await run(backend);
          return { name, failed: 'not at all', ms: 0 };
        } catch (error) {
          return { name, failed: String(error), ms: performance.now() - began };
        }
      }),
    );
  const allWork = async (backend: Backend) => {
    for (const run of Object.values(COMMANDS)) await run(backend);
  };

  describe('that is stopped', () => {
    test('fails at once, tells so once, and goes on when Redis is back, though that has lost everything', async () => {
      const { server } = redisForTests();
      const { backend, logged } = await open();
      await allWork(backend);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change));
      await server.stop();
      await until(async () => !(await reaches(backend)));
      for (const { name, failed, ms } of await failures(backend))
        expect([name, failed, ms < 500]).toEqual([name, 'Error: Redis cannot be reached', true]);
      await wait(300);
      expect(logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
      heard.length = 0;
      await server.restart();
      await until(() => reaches(backend));
      await allWork(backend);
      await until(() => heard.some(({ kind }) => kind === 'all'));
      await backend.bus.publish({ kind: 'list', list: 'tools' });
      await until(() => heard.some(({ kind }) => kind === 'list'));
      expect(logged.map(({ level, message }) => `${level}: ${message}`)).toEqual([
        'warn: Redis cannot be reached; further attempts follow',
        'info: Redis can be reached again',
      ]);
    });

    test('tells so once where it comes and goes', async () => {
      const { server } = redisForTests();
      const { backend, logged } = await open();
      await until(() => reaches(backend));
      for (const turn of [1, 2]) {
        await server.stop();
        await until(async () => !(await reaches(backend)));
        await server.restart();
        await until(() => reaches(backend));
        expect([turn, logged.map(({ level }) => level)]).toEqual([turn, ['warn', 'info']]);
      }
    });

    test('fails what was under way', async () => {
      const { server } = redisForTests();
      const { backend } = await open();
      await allWork(backend);
      server.pause();
      const failing = failures(backend);
      await server.restart();
      for (const { name, failed } of await failing)
        expect([name, failed]).toEqual([name, 'Error: The connection to Redis was lost']);
      await until(() => reaches(backend));
    });

    test('is opened all the same and listened to, and all of it begins once Redis is there', async () => {
      const { server } = redisForTests();
      await server.stop();
      const began = performance.now();
      const { backend, logged } = await open();
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(logged).toEqual([
        { level: 'warn', message: 'Redis cannot be reached; further attempts follow' },
      ]);
      const heard: ServerChange[] = [];
      await backend.bus.subscribe((change) => heard.push(change), 'here');
      await server.restart();
      await until(() => reaches(backend));
      await until(() => heard.some(({ kind }) => kind === 'all'));
      await backend.bus.publish({ kind: 'message', to: 'here', about: 'greeting', content: {} });
      await until(() => heard.some(({ kind }) => kind === 'message'));
    });

    test('closes', async () => {
      const { server } = redisForTests();
      await server.stop();
      const { backend } = await open({ timeoutMs: 300 });
      await backend.close();
      await backend.close();
      await expect((async () => backend.check())()).rejects.toThrow('Redis cannot be reached');
      await server.restart();
    });
  });

  describe('that is slow', () => {
    test('fails what is late alone, and keeps the connection as long as anything is answered', async () => {
      const connection = redisForTests().connect({ timeoutMs: 500 });
      const store = new RedisTaskStore(connection, limits());
      await store.create(stored('a'), 0);
      await store.claim({ run: 'run', limit: 1, leaseMs: 60_000 });
      await store.renew([{ taskId: 'a', run: 'run' }], 60_000);
      const id = await connection.send('CLIENT', 'ID');
      // All that is sent behind it waits for it.
      const slow = expect(connection.send('BLPOP', 'nothing', '0.8')).rejects.toThrow(
        'Redis did not answer within 500 ms',
      );
      const began = performance.now();
      expect(await store.renew([{ taskId: 'a', run: 'run' }], 60_000)).toEqual([]);
      expect(performance.now() - began).toBeLessThan(400);
      await wait(400);
      const behind = connection.send('PING');
      await slow;
      expect(await behind).toBe('PONG');
      expect(await connection.send('CLIENT', 'ID')).toBe(id);
    });

    test('fails after its time, then at once, and goes on when Redis does', async () => {
      const { server, after } = redisForTests();
      const { backend } = await open({ timeoutMs: 400 });
      after(() => server.resume());
      await allWork(backend);
      server.pause();
      const began = performance.now();
      const slow = await failures(backend);
      expect(performance.now() - began).toBeGreaterThan(390);
      const late = slow.filter(({ failed }) => failed === 'Error: Redis did not answer within 400 ms');
      expect(late.length).toBeGreaterThan(0);
      for (const { failed } of slow)
        expect(failed).toMatch(/did not answer within 400 ms|connection to Redis was lost/);
      // Nothing is answered for as long again.
      await wait(500);
      for (const { name, failed, ms } of await failures(backend))
        expect([name, failed, ms < 300]).toEqual([name, 'Error: Redis cannot be reached', true]);
      // Longer than an attempt to connect may take.
      await wait(900);
      server.resume();
      await until(() => reaches(backend));
      await allWork(backend);
    });
  });

  test('is not ready while its Redis is a copy of another one, which can only be read', async () => {
    const { server, after } = redisForTests();
    const copy = await Redis.start('--replicaof', '127.0.0.1', String(server.port));
    after(() => copy.stop());
    const { backend, logged } = await open({ url: copy.url });
    await expect((async () => backend.check())()).rejects.toThrow(ReadOnlyError);
    expect(logged).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/^Redis is a replica and refuses writes, so/),
      },
    ]);
    const { connect } = redisForTests();
    await connect({ url: copy.url }).send('REPLICAOF', 'NO', 'ONE');
    await backend.check();
  });

  test('leaves a Redis that has become a copy of another one, once its address leads there', async () => {
    const { server, after } = redisForTests();
    const successor = await Redis.start();
    after(() => successor.stop());
    const { proxy, address } = await TcpProxy.before(server.url);
    after(() => proxy.close());
    const { backend } = await open({ url: address });
    await allWork(backend);
    await tell(server, 'REPLICAOF', '127.0.0.1', String(successor.port));
    after(() => tell(server, 'REPLICAOF', 'NO', 'ONE'));
    await expect((async () => backend.check())()).rejects.toThrow(ReadOnlyError);
    // Its connections are kept.
    proxy.leadTo(successor.url);
    await until(() => reaches(backend));
    await allWork(backend);
  });

  test('says once that Redis deletes what is needed', async () => {
    const { connect, after } = redisForTests();
    const administrator = connect();
    const setPolicy = (policy: string) => administrator.send('CONFIG', 'SET', 'maxmemory-policy', policy);
    after(() => setPolicy('noeviction'));
    await setPolicy('allkeys-lru');
    const { logged } = await open();
    await wait(200);
    expect(logged).toEqual([
      { level: 'warn', message: expect.stringContaining('set its maxmemory-policy to noeviction') },
    ]);
  });

  describe('that refuses for good', () => {
    const refused = async (url: string, message: RegExp): Promise<void> => {
      const { logger, logged } = keepingLogger();
      const wrong = redis({ url })({ name: 'test' });
      const began = performance.now();
      await expect((async () => wrong.open?.(logger))()).rejects.toThrow(message);
      expect(performance.now() - began).toBeLessThan(3_000);
      // Nothing is tried again.
      expect(logged).toEqual([]);
      await wrong.close();
    };

    test('is not opened with a wrong password', async () => {
      const { server, connect, after } = redisForTests();
      const administrator = connect();
      await administrator.send('CONFIG', 'SET', 'requirepass', 'right');
      after(() => administrator.send('CONFIG', 'SET', 'requirepass', ''));
      await refused(server.url.replace('//', '//:wrong@'), /^Redis refuses the connection: WRONGPASS/);
      const { backend } = await open({ url: server.url.replace('//', '//:right@') });
      await allWork(backend);
    });

    test('is not opened with the number of a database that it does not have', async () => {
      const { server } = redisForTests();
      await refused(`${server.url}/99`, /^Redis refuses the connection: ERR DB index is out of range/);
    });
  });

  test('that is full refuses what is new as overloaded, and goes on with what there is', async () => {
    const { connect, after } = redisForTests();
    const administrator = connect();
    const setMemory = (bytes: string) => administrator.send('CONFIG', 'SET', 'maxmemory', bytes);
    after(() => setMemory('0'));
    const { backend } = await open();
    await allWork(backend);
    await backend.sessions.create(sessionOf('a'), 60_000);
    await backend.events.append(STREAM, 'kept');
    await backend.tasks.create(stored('full'), 0);
    expect(await backend.tasks.claim({ run: 'run', limit: 1, leaseMs: 60_000, taskId: 'full' })).toHaveLength(
      1,
    );
    await setMemory('1');
    for (const name of ['sessions.create', 'events.append', 'states.use', 'tasks.create'])
      await expect((async () => COMMANDS[name]?.(backend))()).rejects.toThrow(OverloadedError);
    expect(await backend.sessions.use('a', 60_000)).toEqual(sessionOf('a'));
    expect((await backend.events.after(STREAM)).events.at(-1)).toMatchObject({ message: 'kept' });
    await backend.bus.publish({ kind: 'all' });
    // Tasks that run go on to their end.
    expect(await backend.tasks.renew([{ taskId: 'full', run: 'run' }], 60_000)).toEqual([]);
    expect(await backend.tasks.replace(stored('full', { version: 3 }, { status: 'completed' }), null)).toBe(
      true,
    );
    // Who is asked whether requests are to be sent here says no.
    await expect((async () => backend.check())()).rejects.toThrow(OverloadedError);
    expect(await backend.sessions.delete('a')).toBe(true);
    await setMemory('0');
    await allWork(backend);
  });
});
