import { describe, expect, jest, test } from '@jest/globals';
import { Client, Pool } from 'pg';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { migrate, migrationSql, postgres } from '../src/index.js';
import { type PostgresConnection } from '../src/postgres-connection.js';
import { PostgresEventStore } from '../src/postgres-event-store.js';
import { PostgresStateStore } from '../src/postgres-state-store.js';
import { PostgresTaskQueue } from '../src/postgres-task-queue.js';
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
  /** Uses a store and the queue. */
  const use = async (connection: PostgresConnection): Promise<void> => {
    expect(await new PostgresStateStore(connection).use(crypto.randomUUID(), 60_000)).toBe(true);
    await closing(new PostgresTaskQueue(connection)).add({ taskId: 'a', round: 1 });
  };

  test('makes the tables of all parts, in a schema and one for the queue', async () => {
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
    expect(await tablesOf(`${place}_queue`)).toContain('job');
    await use(connect({ schema: place, migrate: false }));
  });

  test('makes schemas of its own for each app, whatever their names are', async () => {
    for (const name of ['foo', 'foo_queue', 'Foo', 'foo_queue_']) {
      const backend = closing(postgres({ url: server().url })({ name }));
      await backend.check();
      await backend.queue.add({ taskId: name, round: 1 });
    }
    const schemas = await asUser(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name LIKE 'sigil\\_foo%' ORDER BY 1`,
      );
      return rows.map((row) => row.name);
    });
    expect(schemas).toHaveLength(8);
    expect(schemas).toEqual(expect.arrayContaining(['sigil_foo', 'sigil_foo_queue']));
    for (const name of schemas)
      expect([name, (await tablesOf(name)).includes('sessions')]).toEqual([name, !name.endsWith('_queue')]);
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

  test('brings tables of the first version up to date, and keeps what is in them', async () => {
    const place = schema();
    await migrate(server().url, { schema: place });
    const stream = { session: 'a', stream: 'a' };
    await new PostgresEventStore(connect({ schema: place })).append(stream, 'kept');
    await asUser((client) =>
      client.query(`SET search_path TO "${place}";
        DROP FUNCTION append_event(text, text, text, integer, bigint, bigint, bigint, boolean);
        DROP FUNCTION use_proof(text, bigint, text, bigint, bigint);
        DROP TABLE proofs;
        DELETE FROM migrations WHERE version > 1;`),
    );
    const old = new PostgresEventStore(connect({ schema: place, migrate: false }));
    await expect(old.append(stream, 'x')).rejects.toThrow('migrate');
    await asUser((client) => client.query(`DROP FUNCTION "${place}".has_ended(text, text)`));
    const store = new PostgresEventStore(connect({ schema: place }));
    await store.append(stream, 'last', true);
    expect(await store.append(stream, 'late')).toBeUndefined();
    expect((await store.after(stream)).events.map(({ message }) => message)).toEqual(['kept', 'last']);
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
    const sql = await migrationSql({ schema: place });
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
    await asUser(async (client) => client.query(await migrationSql({ schema: printed })));
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
    for (const suffix of ['', '_queue']) {
      const objects = await objectsOf(`${made}${suffix}`);
      expect(objects.length).toBeGreaterThan(10);
      expect(await objectsOf(`${printed}${suffix}`)).toEqual(objects);
    }
  });

  test('is asked for where a backend may make no tables', async () => {
    const place = schema();
    const connection = connect({ schema: place, migrate: false });
    await expect(connection.open()).rejects.toThrow(
      `PostgreSQL has no tables in the schema ${place}, or old ones: run migrate() of @sigil/postgres with { schema: '${place}' }`,
    );
    expect(await tablesOf(place)).toEqual([]);
  });

  test('needs to be run by no user who may only use the tables', async () => {
    const place = schema();
    await migrate(server().url, { schema: place });
    await asUser((client) =>
      client.query(
        [place, `${place}_queue`]
          .map(
            (name) => `
              GRANT USAGE ON SCHEMA ${name} TO app;
              GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${name} TO app;
              GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${name} TO app;`,
          )
          .join('')
          .replace(/^/, 'CREATE USER app;'),
      ),
    );
    await use(connect({ url: server().url.replace('postgres@', 'app@'), schema: place }));
  });

  test('refuses what is no schema', async () => {
    for (const wrong of ['', 'A', 'a-b', '"', 'a'.repeat(60), 1])
      await expect(migrate(server().url, { schema: wrong as string })).rejects.toThrow(
        'migrate({ schema }): it must be a name',
      );
    await expect(migrationSql({ scheme: 'a' } as object)).rejects.toThrow('write schema');
  });
});
