import { describe, expect, jest, test } from '@jest/globals';
import { Client, Pool } from 'pg';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { migrate, migrationSql, postgres } from '../src/index.js';
import { type PostgresConnection } from '../src/postgres-connection.js';
import { postgresLimits } from '../src/limits.js';
import { PostgresStateStore } from '../src/postgres-state-store.js';
import { useDatabase } from './fixtures/database.js';

(noPostgres === undefined ? describe : describe.skip)('migrate()', () => {
  jest.setTimeout(30_000);
  const { server, schema, connect, closing } = useDatabase();

  /** Does something as another user, or as the one who owns everything. */
  const asUser = async <T>(use: (client: Client) => Promise<T>, url = server().url): Promise<T> => {
    const client = new Client(url);
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  };
  const tablesOf = async (name: string): Promise<string[]> =>
    asUser(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1`,
        [name],
      );
      return rows.map((row) => row.name);
    });
  const use = async (connection: PostgresConnection): Promise<void> => {
    expect(
      await new PostgresStateStore(connection, postgresLimits({})).use(crypto.randomUUID(), 60_000),
    ).toBe('first');
  };

  test('makes the tables of all parts', async () => {
    const place = schema();
    await migrate(server().url, { schema: place });
    expect(await tablesOf(place)).toEqual([
      'events',
      'limits',
      'messages',
      'migrations',
      'proofs',
      'sessions',
      'states',
      'tasks',
      'usage',
    ]);
    await use(connect({ schema: place, migrate: false }));
  });

  test('makes a schema of its own for each app, whatever its name is', async () => {
    for (const name of ['foo', 'foo_bar', 'Foo', 'foo_bar_'])
      await closing(postgres({ url: server().url })({ name })).check();
    const schemas = await asUser(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name LIKE 'sigil\\_foo%' ORDER BY 1`,
      );
      return rows.map((row) => row.name);
    });
    expect(schemas).toHaveLength(4);
    expect(schemas).toEqual(expect.arrayContaining(['sigil_foo', 'sigil_foo_bar']));
    for (const name of schemas) expect(await tablesOf(name)).toContain('sessions');
  });

  test('may be run by many at once, and again', async () => {
    const place = schema();
    await Promise.all(Array.from({ length: 8 }, () => migrate(server().url, { schema: place })));
    await migrate(server().url, { schema: place });
    await use(connect({ schema: place }));
  });

  test('is done by all connections that begin at the same time', async () => {
    const place = schema();
    await Promise.all(Array.from({ length: 6 }, () => use(connect({ schema: place }))));
  });

  test('takes a pool, and leaves it alone', async () => {
    const place = schema();
    const pool = new Pool({ connectionString: server().url });
    await migrate(pool, { schema: place });
    await use(connect({ url: undefined, pool, schema: place, migrate: false } as object));
    expect(pool.totalCount).toBe(0);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('prints what it does, as a script that may be run again', async () => {
    const place = schema();
    const sql = migrationSql({ schema: place });
    await asUser(async (client) => {
      await client.query(sql);
      await use(connect({ schema: place, migrate: false }));
      await client.query(sql);
    });
    await migrate(server().url, { schema: place });
    await use(connect({ schema: place, migrate: false }));
  });

  test('leaves out of the script nothing that it does itself', async () => {
    const [made, printed] = [schema(), schema()];
    await migrate(server().url, { schema: made });
    await asUser(async (client) => client.query(migrationSql({ schema: printed })));
    const objectsOf = async (name: string): Promise<unknown[]> =>
      asUser(async (client) => {
        const { rows } = await client.query<{ object: string }>(
          `SELECT relname || ' ' || relkind::text AS object FROM pg_class
            WHERE relnamespace = to_regnamespace($1)
            UNION SELECT proname || pg_get_function_identity_arguments(oid) || md5(prosrc) FROM pg_proc
            WHERE pronamespace = to_regnamespace($1) ORDER BY 1`,
          [name],
        );
        return rows.map((row) => row.object.replaceAll(name, 'schema'));
      });
    const objects = await objectsOf(made);
    expect(objects.length).toBeGreaterThan(10);
    expect(await objectsOf(printed)).toEqual(objects);
  });

  test('is asked for where a backend may make no tables', async () => {
    const place = schema();
    const connection = connect({ schema: place, migrate: false });
    await expect(connection.open()).rejects.toThrow(
      `The tables in the schema ${place} are missing or outdated: run migrate() of @sigil/postgres with { schema: '${place}' }`,
    );
    expect(await tablesOf(place)).toEqual([]);
  });

  test('needs to be run by no user who may only use the tables', async () => {
    const place = schema();
    await migrate(server().url, { schema: place });
    await asUser((client) =>
      client.query(
        `CREATE USER app;
         GRANT USAGE ON SCHEMA ${place} TO app;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${place} TO app;
         GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${place} TO app;`,
      ),
    );
    await use(connect({ url: server().url.replace('postgres@', 'app@'), schema: place }));
  });

  test('refuses what is no schema', async () => {
    for (const wrong of ['', 'A', 'a-b', '"', 'a'.repeat(60), 1])
      await expect(migrate(server().url, { schema: wrong as string })).rejects.toThrow(
        'migrate({ schema }): it must be a name',
      );
    expect(() => migrationSql({ scheme: 'a' } as object)).toThrow('write schema');
  });
});
