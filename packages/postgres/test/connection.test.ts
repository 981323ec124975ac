import { describe, expect, jest, test } from '@jest/globals';
import { OverloadedError } from '@sigil/core/backend';
import { Client } from 'pg';
import { stored } from '../../../tests/contract/backend/task-store.js';
import { wait } from '../../../tests/contract/backend/waiting.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { postgresLimits } from '../src/limits.js';
import { PostgresTaskStore } from '../src/postgres-task-store.js';
import { useDatabase } from './fixtures/database.js';

(noPostgres === undefined ? describe : describe.skip)(noPostgres ?? 'a connection to PostgreSQL', () => {
  jest.setTimeout(30_000);
  const { server, schema, connect } = useDatabase();

  const opened = async (timeoutMs: number) => {
    const connection = connect({ schema: schema(), timeoutMs, maxConnections: 1 });
    await connection.open();
    const sleep = (ms: number) => connection.query('SELECT pg_sleep($1)', ms / 1_000);
    return { connection, sleep };
  };
  const failuresOf = async (statements: readonly Promise<unknown>[]): Promise<unknown[]> => {
    const outcomes = await Promise.allSettled(statements);
    return outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  };

  test('does not count into the time of a statement that it waits for others', async () => {
    const { sleep } = await opened(400);
    expect(await failuresOf(Array.from({ length: 6 }, () => sleep(150)))).toEqual([]);
  });

  test('claims tasks although the claim waits longer for others than it may take', async () => {
    const { connection, sleep } = await opened(400);
    const store = new PostgresTaskStore(connection, postgresLimits({}));
    await store.create(stored('a'), 0);
    const busy = Array.from({ length: 4 }, () => sleep(150));
    expect(await store.claim({ run: 'one', limit: 1, leaseMs: 60_000 })).toHaveLength(1);
    expect(await failuresOf(busy)).toEqual([]);
  });

  test('refuses statements that have waited for ten times as long, which a run then tries again', async () => {
    const { sleep } = await opened(200);
    const failures = await failuresOf(Array.from({ length: 30 }, () => sleep(100)));
    expect(failures.length).toBeGreaterThan(5);
    expect(failures.length).toBeLessThan(29);
    for (const failure of failures) {
      expect(String(failure)).toContain('No connection to PostgreSQL was free within 2000 ms');
      // A store that has no room is not tried again.
      expect(failure).not.toBeInstanceOf(OverloadedError);
    }
  });

  test('refuses a statement at once when thousands wait', async () => {
    const { connection, sleep } = await opened(2_000);
    const slow = sleep(200);
    const waiting = Array.from({ length: 5_000 }, () => connection.query('SELECT 1'));
    await expect(connection.query('SELECT 1')).rejects.toThrow('More than 5000 statements wait');
    await slow;
    expect(await failuresOf(waiting)).toEqual([]);
  });

  test('cuts a statement that is late, and goes on', async () => {
    const { connection, sleep } = await opened(200);
    await expect(sleep(5_000)).rejects.toThrow('PostgreSQL did not answer within 200 ms');
    expect(await connection.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('lets what waits fail as well when nothing has been answered', async () => {
    const { sleep } = await opened(200);
    const began = performance.now();
    const failures = await failuresOf(Array.from({ length: 20 }, () => sleep(5_000)));
    expect(failures).toHaveLength(20);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test('keeps its connection after a statement that is refused', async () => {
    const { connection } = await opened(2_000);
    const pid = async (): Promise<unknown> => connection.query('SELECT pg_backend_pid() AS pid');
    const before = await pid();
    await expect(connection.query('SELECT 1/0')).rejects.toThrow('division by zero');
    expect(await pid()).toEqual(before);
  });

  test('renews leases and says whether it is ready while its statements wait', async () => {
    const { connection, sleep } = await opened(2_000);
    const busy = [sleep(700), sleep(100)];
    const began = performance.now();
    const runs = [{ taskId: 'a', run: 'one' }];
    expect(await new PostgresTaskStore(connection, postgresLimits({})).renew(runs, 1_000)).toEqual(runs);
    await connection.check();
    expect(performance.now() - began).toBeLessThan(500);
    await Promise.all(busy);
  });

  test('asks for nothing that a pooler refuses, and leaves no settings behind', async () => {
    const { connection } = await opened(2_000);
    const settings = async (): Promise<unknown> =>
      connection.query(
        `SELECT name, setting FROM pg_settings WHERE source IN ('client', 'session')
          AND name NOT IN ('application_name', 'client_encoding') ORDER BY name`,
      );
    expect(await settings()).toEqual([]);
    await new PostgresTaskStore(connection, postgresLimits({})).claim({ run: 'one', limit: 1, leaseMs: 1 });
    expect(await settings()).toEqual([]);
  });

  test('goes on when its connections are cut, as a pooler does that is restarted', async () => {
    const { connection } = await opened(2_000);
    const administrator = new Client(server().url);
    await administrator.connect();
    await administrator.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
    );
    await administrator.end();
    await wait(50);
    expect(await connection.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
