import { describe, expect, jest, test } from '@jest/globals';
import type { ServerChange, StoredSession } from '@sigil/core/backend';
import { Client } from 'pg';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { until, wait } from '../../../tests/contract/backend/waiting.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { postgresLimits } from '../src/limits.js';
import { PostgresChangeBus } from '../src/postgres-change-bus.js';
import { type PostgresConnection } from '../src/postgres-connection.js';
import { PostgresEventStore } from '../src/postgres-event-store.js';
import { PostgresLimiter } from '../src/postgres-limiter.js';
import { PostgresSessionStore } from '../src/postgres-session-store.js';
import { PostgresStateStore } from '../src/postgres-state-store.js';
import { PostgresTaskStore } from '../src/postgres-task-store.js';
import { Sweeper } from '../src/sweeper.js';
import { useDatabase } from './fixtures/database.js';

const HOUR = 3_600_000;
const sessionOf = (id: string, client?: string): StoredSession => ({
  id,
  version: 1,
  openedAt: Date.now(),
  owner: null,
  state: {},
  ...(client !== undefined && { client }),
});

(noPostgres === undefined ? describe : describe.skip)('on PostgreSQL', () => {
  jest.setTimeout(30_000);
  const { server, schema, connect, closing } = useDatabase();
  const connected = (): PostgresConnection => connect({ schema: schema() });
  /** The rows of a table, and what they are said to take. */
  const rowsOf = async (connection: PostgresConnection, table: string): Promise<number> =>
    (await connection.query(`SELECT FROM $schema.${table}`)).length;
  const usageOf = async (connection: PostgresConnection, kind: string): Promise<object> => {
    const rows = await connection.query<{ client: string; items: string }>(
      'SELECT client, items FROM $schema.usage WHERE kind = $1 ORDER BY client',
      kind,
    );
    return Object.fromEntries(rows.map(({ client, items }) => [client, Number(items)]));
  };
  const sweep = async (connection: PostgresConnection, table: string): Promise<unknown> =>
    (await connection.query<{ more: boolean }>('SELECT $schema.sweep($1) AS more', table))[0]?.more;

  describe('a session', () => {
    /** Which transaction wrote its row last. */
    const writtenBy = async (connection: PostgresConnection): Promise<unknown> =>
      (await connection.query<{ xmin: string }>('SELECT xmin FROM $schema.sessions'))[0]?.xmin;

    test('that is used again and again is read, and not written', async () => {
      const connection = connected();
      const store = new PostgresSessionStore(connection, postgresLimits({}));
      await store.create(sessionOf('a'), HOUR);
      await store.use('a', HOUR);
      const before = await writtenBy(connection);
      for (let turn = 0; turn < 20; turn += 1) expect(await store.use('a', HOUR, 1)).toBe('unchanged');
      expect(await writtenBy(connection)).toBe(before);
    });

    test('is written where less time is left than it should have, or much more', async () => {
      const connection = connected();
      const store = new PostgresSessionStore(connection, postgresLimits({}));
      await store.create(sessionOf('a'), HOUR);
      const written: unknown[] = [];
      for (const idleMs of [2 * HOUR, 2 * HOUR, HOUR, HOUR]) {
        await store.use('a', idleMs);
        written.push(await writtenBy(connection));
      }
      expect(new Set(written).size).toBe(2);
      expect(written[0]).toBe(written[1]);
      expect(written[2]).toBe(written[3]);
    });
  });

  describe('what has expired', () => {
    test('is deleted, and gives back what it took', async () => {
      const connection = connected();
      const sessions = new PostgresSessionStore(connection, postgresLimits({}));
      const states = new PostgresStateStore(connection, postgresLimits({}));
      const tasks = new PostgresTaskStore(connection, postgresLimits({}));
      for (const [at, client] of ['ada', 'ada', 'bob'].entries()) {
        await sessions.create(sessionOf(`${at}`, client), 20);
        await states.use(`${at}`, 20, client);
        await tasks.create(stored(`${at}`, { owner: client }, { ttlMs: 20 }), 0);
      }
      await sessions.create(sessionOf('left', 'bob'), HOUR);
      await states.use('left', HOUR, 'bob');
      await tasks.create(stored('left', { owner: 'bob' }), 0);
      expect(await usageOf(connection, 'tasks')).toEqual({ '': 4, '=ada': 2, '=bob': 2 });
      await wait(40);
      for (const table of ['sessions', 'states', 'tasks']) {
        expect(await sweep(connection, table)).toBe(false);
        expect(await rowsOf(connection, table)).toBe(1);
        // The row of a client that has nothing goes at the next time.
        await sweep(connection, table);
        expect(await usageOf(connection, table)).toEqual({ '': 1, '=bob': 1 });
      }
    });

    test('is deleted by one process at a time', async () => {
      const connection = connected();
      await new PostgresStateStore(connection, postgresLimits({})).use('a', 1);
      await wait(10);
      const other = new Client(server().url);
      await other.connect();
      await other.query('BEGIN');
      await other.query(`SELECT pg_advisory_xact_lock(hashtext('sigil sweep'), hashtext($1))`, [
        `${connection.schema}.states`,
      ]);
      await sweep(connection, 'states');
      expect(await rowsOf(connection, 'states')).toBe(1);
      await other.query('COMMIT');
      await other.end();
      await sweep(connection, 'states');
      expect(await rowsOf(connection, 'states')).toBe(0);
    });

    test('is looked for now and then, as long as there is something', async () => {
      jest.useFakeTimers();
      try {
        const sweeper = new Sweeper();
        let left = 3;
        let others = 0;
        sweeper.add(async () => (left -= 1) > 0);
        sweeper.add(async () => {
          throw new Error('PostgreSQL does not answer');
        });
        sweeper.add(async () => (others += 1) < 0);
        sweeper.start();
        await jest.advanceTimersByTimeAsync(30_000);
        expect([left <= 0, others >= 1]).toEqual([true, true]);
        sweeper.stop();
        const before = others;
        await jest.advanceTimersByTimeAsync(100_000);
        expect(others).toBe(before);
        expect(jest.getTimerCount()).toBe(0);
      } finally {
        jest.useRealTimers();
      }
    });
  });

  test('what is counted is what is there, whatever happens at the same time', async () => {
    const place = schema();
    const random = xorshift(1);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const ends = [1, 2, 3].map(() => connect({ schema: place }));
    const stores = ends.map((connection) => ({
      tasks: new PostgresTaskStore(
        connection,
        postgresLimits({ maxTasks: 40, maxTasksPerOwner: 12, maxTaskBytes: 100_000 }),
      ),
      states: new PostgresStateStore(connection, postgresLimits({ maxStates: 20 })),
      sessions: new PostgresSessionStore(connection, postgresLimits({ maxSessions: 20 })),
      events: new PostgresEventStore(
        connection,
        postgresLimits({ maxEventsPerStream: 5, maxEventBytesPerSession: 5_000 }),
      ),
    }));
    const text = (): string => 'x'.repeat(random() * 4_000);
    const steps = Array.from({ length: 1_500 }, (_, at) => async (): Promise<unknown> => {
      const { tasks, states, sessions, events } = pick(stores);
      const [client, earlier] = [pick(['ada', 'bob', 'eve']), `${at - Math.floor(random() * 60)}`];
      // Some outlive the test, so that the stores become full on a slow machine too.
      const lifeMs = random() < 0.15 ? 60_000 : 1 + Math.floor(random() * 60);
      const status = pick(['working', 'completed'] as const);
      switch (at % 6) {
        case 0:
          return tasks.create(
            stored(`${at}`, { owner: client, journal: text() }, { ttlMs: 10 * lifeMs, status }),
            0,
          );
        case 1: {
          if (random() < 0.4) {
            const claimed = await tasks.claim({ run: `${at}`, limit: 4, leaseMs: lifeMs });
            const runs = claimed.map(({ task: { taskId } }) => ({ taskId, run: `${at}` }));
            return tasks.renew(runs, lifeMs);
          }
          const task = await tasks.get(`${Number(earlier) - (Number(earlier) % 6)}`);
          const next = { journal: text(), version: (task?.version ?? 0) + 1 };
          return task && tasks.replace({ ...task, ...next, task: { ...task.task, status } });
        }
        case 2:
          return states.use(earlier, lifeMs, client);
        case 3:
          return sessions.create(sessionOf(`${at}`, client), lifeMs);
        case 4:
          return random() < 0.3 ? sessions.delete(earlier) : sessions.use(earlier, lifeMs);
        default:
          if (random() < 0.1) return events.forget(client);
          return events.append({ session: client, stream: pick(['a', 'b']) }, text());
      }
    });
    const failures = new Set<string>();
    const work = async (): Promise<void> => {
      for (let step = steps.shift(); step; step = steps.shift())
        await step().catch((error: unknown) => failures.add((error as Error).message));
    };
    await Promise.all(Array.from({ length: 20 }, work));
    // Those that were refused for want of room, and no others.
    expect(failures.size).toBeGreaterThan(0);
    const full =
      /^(?:A limit on stored tasks is reached: 40 tasks |More than 20 (?:states are in use|sessions are kept), )/;
    expect([...failures].filter((message) => !full.test(message))).toEqual([]);
    const [connection = connected()] = ends;
    for (const [table, client] of Object.entries({
      tasks: 'owner',
      states: 'client',
      sessions: 'client',
      events: 'session',
    })) {
      const counted = await connection.query(
        `SELECT client, items, bytes FROM $schema.usage
          WHERE kind = '${table}' AND client <> '' AND items <> 0 ORDER BY 1`,
      );
      const there = await connection.query(
        `SELECT '=' || ${client} AS client, count(*) AS items, sum(bytes) AS bytes FROM $schema.${table}
          GROUP BY 1 ORDER BY 1`,
      );
      expect([table, counted]).toEqual([table, there]);
    }
    expect(await rowsOf(connection, 'tasks')).toBeGreaterThan(0);
    expect(await rowsOf(connection, 'events')).toBeGreaterThan(0);
  });

  describe('a task', () => {
    test('that many ask for at the same time is read by few statements', async () => {
      const connection = connected();
      const store = new PostgresTaskStore(connection, postgresLimits({}));
      for (const taskId of ['a', 'b']) await store.create(stored(taskId), 0);
      const query = jest.spyOn(connection, 'query');
      const names = Array.from({ length: 600 }, (_, at) => (at < 2 ? 'ab'.charAt(at) : `none${at}`));
      const found = await Promise.all([...names, 'a'].map((taskId) => store.get(taskId)));
      expect(found.flatMap((one) => one?.task.taskId ?? [])).toEqual(['a', 'b', 'a']);
      // The first one alone, and the others 200 at a time.
      expect(query).toHaveBeenCalledTimes(4);
    });

    test('that cannot be read fails for all who ask, and is read again', async () => {
      const connection = connected();
      const store = new PostgresTaskStore(connection, postgresLimits({}));
      await store.create(stored('a'), 0);
      const query = jest.spyOn(connection, 'query').mockRejectedValueOnce(new Error('cut'));
      const outcomes = await Promise.allSettled(['a', 'a', 'a'].map((taskId) => store.get(taskId)));
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
      expect(query).toHaveBeenCalledTimes(2);
    });

    test('that is claimed or renewed is not written anew', async () => {
      const connection = connected();
      const store = new PostgresTaskStore(connection, postgresLimits({}));
      await store.create(stored('a'), 0);
      const bodyOf = () => connection.query('SELECT body, run, version FROM $schema.tasks');
      const [{ body } = {}] = (await bodyOf()) as { body?: string }[];
      await store.claim({ run: 'one', limit: 1, leaseMs: 60_000 });
      await store.renew([{ taskId: 'a', run: 'one' }], 60_000);
      expect(await bodyOf()).toEqual([{ body, run: 'one', version: 2 }]);
    });

    test('is claimed in turn by processes that claim one after the other, whoever has more', async () => {
      const place = schema();
      const stores = [1, 2, 3].map(
        () => new PostgresTaskStore(connect({ schema: place }), postgresLimits({})),
      );
      const [first] = stores;
      for (let at = 0; at < 60; at += 1)
        await first?.create(stored(`${at}`, { owner: at < 50 ? 'ada' : `o${at}` }), 0);
      const owners: unknown[] = [];
      for (let turn = 0; turn < 4; turn += 1)
        for (const [at, store] of stores.entries())
          for (const { owner } of await store.claim({ run: `${turn}${at}`, limit: 4, leaseMs: 60_000 }))
            owners.push(owner);
      expect(new Set(owners).size).toBe(11);
    });
  });

  test('the number of runs follows that of connections', () => {
    const numbers = [1, 10, 100].map(
      (maxConnections) => new PostgresTaskStore(connect({ maxConnections }), postgresLimits({})).concurrency,
    );
    expect(numbers).toEqual([2, 16, 160]);
  });

  test('events of all sessions are kept within bounds, the newest of them', async () => {
    const connection = connected();
    const store = new PostgresEventStore(connection, postgresLimits({ maxEventBytes: 50_000 }));
    const names = ['a', 'b', 'c'].map((session) => ({ session, stream: session }));
    for (let at = 0; at < 30; at += 1)
      for (const name of names) await store.append(name, `${at}${'x'.repeat(1_000)}`);
    await connection.query('SELECT $schema.sweep_events($1)', 50_000);
    const [bytes] = await connection.query<{ sum: string }>('SELECT sum(bytes) FROM $schema.events');
    expect(Number(bytes?.sum)).toBeLessThanOrEqual(50_000);
    expect(Number(bytes?.sum)).toBeGreaterThan(45_000);
    const [count] = await connection.query<{ sum: string }>(
      `SELECT sum(bytes) FROM $schema.usage WHERE kind = 'events'`,
    );
    expect(count).toEqual(bytes);
    for (const name of names) expect((await store.after(name)).events.at(-1)?.message).toMatch(/^29x/);
  });

  test('a limiter forgets the keys that are nearest to their end, beyond so many', async () => {
    const connection = connected();
    const limiter = new PostgresLimiter(connection, postgresLimits({ maxKeys: 3 }));
    for (const [at, key] of ['a', 'b', 'c', 'd', 'e'].entries())
      await limiter.take(key, { limit: 1, windowMs: HOUR * (at + 1) });
    await limiter.take('short', { limit: 1, windowMs: 1 });
    await wait(10);
    await connection.query('SELECT $schema.sweep_limits($1)', 3);
    const rows = await connection.query<{ key: string }>('SELECT key FROM $schema.limits ORDER BY key');
    expect(rows.map(({ key }) => key)).toEqual(['c', 'd', 'e']);
  });

  test('names of any length and with any character are names', async () => {
    const connection = connected();
    const sessions = new PostgresSessionStore(connection, postgresLimits({ maxSessionsPerClient: 1 }));
    const limiter = new PostgresLimiter(connection, postgresLimits({}));
    for (const name of ['\0', 'a\0', '🌍'.repeat(10_000), `${'🌍'.repeat(10_000)}a`]) {
      expect(await sessions.use(name, HOUR)).toBeUndefined();
      await sessions.create(sessionOf(name, name), HOUR);
      expect(await sessions.use(name, HOUR)).toMatchObject({ id: name });
      await expect(sessions.create(sessionOf(`${name}b`, name), HOUR)).rejects.toThrow('for one client');
      const decisions = [1, 2].map(() => limiter.take(name, { limit: 1, windowMs: HOUR }));
      expect((await Promise.all(decisions)).filter(({ allowed }) => allowed)).toHaveLength(1);
      expect(await new PostgresTaskStore(connection, postgresLimits({})).get(name)).toBeUndefined();
    }
  });

  describe('a change', () => {
    test.each([10, 6_900, 7_100, 100_000])('with an id of %d bytes is told as it was', async (length) => {
      const connection = connected();
      const [here, there] = [new PostgresChangeBus(connection), new PostgresChangeBus(connection)];
      closing(here);
      const heard: ServerChange[] = [];
      await closing(there).subscribe((change) => heard.push(change));
      const change: ServerChange = { kind: 'resource', uri: `text://${'ä'.repeat(length / 2)}` };
      await here.publish(change);
      await until(() => heard.length > 0);
      expect(heard).toEqual([change]);
    });

    test('that says something is told by the number of a row alone', async () => {
      const connection = connected();
      const bus = closing(new PostgresChangeBus(connection));
      const client = new Client(server().url);
      await client.connect();
      const payloads: unknown[] = [];
      client.on('notification', ({ payload }) => payloads.push(payload));
      await client.query(`LISTEN "${connection.schema}_changes"`);
      await bus.publish({ kind: 'message', about: 'greeting', content: { secret: 'x' } });
      await until(() => payloads.length > 0);
      await client.end();
      expect(payloads).toEqual(['#1']);
    });

    test('that is none is left alone', async () => {
      const connection = connected();
      const bus = closing(new PostgresChangeBus(connection));
      const heard: ServerChange[] = [];
      await bus.subscribe((change) => heard.push(change));
      for (const payload of ['', '{', 'null', '1', '#', '#x', '#999', '[]', '{"kind":1}'])
        await connection.query('SELECT pg_notify($1, $2)', `${connection.schema}_changes`, payload);
      await bus.publish({ kind: 'list', list: 'tools' });
      await until(() => heard.some(({ kind }) => kind === 'list'));
      expect(heard).toEqual([{ kind: 'list', list: 'tools' }]);
    });

    test('reaches no app with tables of its own', async () => {
      const [here, there] = [
        closing(new PostgresChangeBus(connected())),
        closing(new PostgresChangeBus(connected())),
      ];
      const heard: ServerChange[] = [];
      await there.subscribe((change) => heard.push(change), 'one');
      await here.publish({ kind: 'list', list: 'tools' });
      await here.publish({ kind: 'message', to: 'one', about: 'greeting', content: {} });
      await there.publish({ kind: 'list', list: 'prompts' });
      await until(() => heard.length > 0);
      await wait(50);
      expect(heard).toEqual([{ kind: 'list', list: 'prompts' }]);
    });
  });
});

/** Numbers from 0 to 1 that are the same each time. */
function xorshift(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
