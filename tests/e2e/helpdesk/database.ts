import { inject, type Provider, provide, provideFactory, Service, InjectionToken } from '@sigil/core';
import { Pool, type PoolClient } from 'pg';

export const DATABASE_URL = new InjectionToken<string>('DATABASE_URL');

/** Where the database is, and the pool of connections to it. The app starts only when it can be reached. */
export const database: readonly Provider[] = [
  provide(DATABASE_URL, process.env['DATABASE_URL'] ?? 'postgres://localhost/helpdesk'),
  provideFactory(Pool, {
    inject: [DATABASE_URL],
    useFactory: async (connectionString) => {
      const pool = new Pool({ connectionString, max: 2, application_name: 'helpdesk' });
      await pool.query('select 1');
      return pool;
    },
    dispose: (pool) => pool.end(),
  }),
];

const MIGRATIONS = [
  `create table if not exists customers (
    id int generated always as identity primary key,
    name text not null
  )`,
  `create table if not exists tickets (
    id int generated always as identity primary key,
    customer int not null references customers,
    title text not null,
    priority text not null,
    opened_by text not null,
    solution text
  )`,
  `create table if not exists audit (
    id int generated always as identity primary key,
    principal text not null,
    definition text not null,
    args jsonb,
    outcome text not null,
    result jsonb
  )`,
];

/** Runs statements, with the tables in place. */
@Service()
export class Database {
  private readonly pool = inject(Pool);

  async onInit(): Promise<void> {
    for (const migration of MIGRATIONS) await this.pool.query(migration);
  }

  async rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, [...values])).rows;
  }

  /** Commits what `work` has done, or undoes it if `work` throws: an error, or the suspension of a handler that asks. */
  async transaction<T>(work: (connection: PoolClient) => Promise<T>): Promise<T> {
    const connection = await this.pool.connect();
    try {
      await connection.query('begin');
      const result = await work(connection);
      await connection.query('commit');
      return result;
    } catch (error) {
      await connection.query('rollback');
      throw error;
    } finally {
      connection.release();
    }
  }
}
