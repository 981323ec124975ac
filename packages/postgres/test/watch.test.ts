import { describe, expect, jest, test } from '@jest/globals';
import type { Gauge, StoreEvent } from '@sigil/core';
import { until } from '../../../tests/contract/backend/waiting.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import type { PostgresConnection } from '../src/postgres-connection.js';
import { useDatabase } from './fixtures/database.js';

(noPostgres === undefined ? describe : describe.skip)('a connection to PostgreSQL that is watched', () => {
  jest.setTimeout(30_000);
  const { schema, connect } = useDatabase();

  function watched(connection: PostgresConnection, isActive = true) {
    const events: StoreEvent[] = [];
    const gauges: Gauge[] = [];
    connection.watch(
      {
        isActive,
        storeAsked: (event) => void events.push(event),
        addGauge: (gauge) => void gauges.push(gauge),
      },
      () => 0,
    );
    const valueOf = async (wanted: string) =>
      (await gauges.find(({ name }) => name === wanted)?.read())?.[0]?.value;
    return { events, valueOf };
  }

  test('tells how long each statement waits, and how many wait', async () => {
    const connection = connect({ schema: schema(), maxConnections: 1, timeoutMs: 20_000 });
    await connection.query('SELECT 1');
    const { events, valueOf } = watched(connection);
    const asked = [1, 2, 3].map(() => connection.query('SELECT pg_sleep(0.1)'));
    await until(async () => (await valueOf('sigil.store.waiting')) === 2);
    await Promise.all(asked);
    expect(await valueOf('sigil.store.waiting')).toBe(0);
    expect(events).toHaveLength(3);
    for (const event of events)
      expect(event).toMatchObject({ part: 'connections', operation: 'wait', error: undefined });
    const [first = 0, second = 0, third = 0] = events.map(({ ms }) => ms);
    expect(second).toBeGreaterThan(first + 80);
    expect(third).toBeGreaterThan(second + 80);
  });

  test('tells nothing of its statements while there is no watcher', async () => {
    const connection = connect({ schema: schema() });
    const { events } = watched(connection, false);
    await connection.query('SELECT 1');
    expect(events).toEqual([]);
  });

  test('counts connections that are made again, and not the first ones', async () => {
    const connection = connect({ schema: schema() });
    const { valueOf } = watched(connection);
    await connection.query('SELECT 1');
    expect(await valueOf('sigil.store.reconnects')).toBe(0);
    const [{ pid = 0 } = {}] = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await connection.queryUrgent('SELECT pg_terminate_backend($1)', pid);
    await until(async () => {
      await connection.query('SELECT 1').catch(() => undefined);
      return (await valueOf('sigil.store.reconnects')) === 1;
    });
    await connection.query('SELECT 1');
    expect(await valueOf('sigil.store.reconnects')).toBe(1);
  });
});
