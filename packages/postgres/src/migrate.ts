import { OptionChecks } from '@sigil/core/internal';
import { Client, DatabaseError } from 'pg';
import { checkAddress, checkReadable, clientOptions, type PoolTemplate, requireSchema } from './address.js';
import { UnusableError } from './failures.js';
import { endClient } from './statement-pool.js';
import { EVENTS } from './migrations/0001-events.js';
import { TABLES } from './migrations/0001-tables.js';
import { TASKS } from './migrations/0001-tasks.js';

/** The migrations of the tables, in order. Migrations that were released must not be changed. */
const MIGRATIONS: readonly string[] = [TABLES + TASKS + EVENTS];

const UNDEFINED_TABLE = '42P01';

/** How long connecting to the database may take, in milliseconds. */
const CONNECT_MS = 10_000;

/** Options of `migrate` and `migrationSql`. */
export interface MigrationOptions {
  /**
   * The schema of the tables. It must be the schema that the backend uses. If you do not set the option `schema` of the
   * backend, its schema is named after the app, for example `sigil_shop` for the app `shop`.
   * @default 'sigil'
   */
  readonly schema?: string;
}

/**
 * Creates the tables of a backend, or updates older tables. Several processes can call it at the same time, and
 * it can be called again. A backend calls it automatically, unless the backend has the option `migrate: false`.
 *
 * @param where the address of the database, or a pool of `pg` that has the address in its options.
 * @throws DefinitionError when the address is wrong, or a file that it names cannot be read.
 * @throws Error when PostgreSQL cannot be reached, or the database user is not allowed to create tables.
 * @example
 * ```ts
 * await migrate('postgres://owner@db.example/shop', { schema: 'sigil_shop' });
 * await app.run(http());
 * ```
 */
export async function migrate(where: string | PoolTemplate, options: MigrationOptions = {}): Promise<void> {
  const schema = requireSchema('migrate', options);
  const address = typeof where === 'string' ? { url: where } : { pool: where };
  const checks = new OptionChecks('migrate');
  checkAddress(checks, address);
  checks.throwIfAny();
  checkReadable(checks, 'url', address.url);
  checks.throwIfAny();
  await migrateTables({ ...clientOptions(address), connectionTimeoutMillis: CONNECT_MS }, schema, true);
}

/**
 * Returns the SQL that `migrate()` runs, for databases that are managed with scripts. The script can run repeatedly.
 *
 * @returns a script for `psql`.
 * @example
 * ```ts
 * console.log(await migrationSql({ schema: 'mcp' }));
 * ```
 */
export function migrationSql(options: MigrationOptions = {}): string {
  return tablesSql(requireSchema('migrationSql', options));
}

/**
 * Creates or updates the tables, in one process at a time. It uses one transaction, so that it works through any
 * pooler.
 *
 * @param options the options of the connection.
 * @param isAllowed whether to create or update tables. If it is `false`, the function only checks that the tables are
 * up to date.
 * @throws UnusableError when the tables are missing or outdated, and `isAllowed` is false.
 */
export async function migrateTables(options: object, schema: string, isAllowed: boolean): Promise<void> {
  const client = new Client(options);
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A user without the right to create tables can use existing ones.
    if ((await versionOf(client, schema)) >= MIGRATIONS.length) return;
    if (!isAllowed)
      throw new UnusableError(
        `The tables in the schema ${schema} are missing or outdated: run migrate() of @sigil/postgres with { schema: '${schema}' }`,
      );
    await client.query(tablesSql(schema));
  } finally {
    await endClient(client);
  }
}

/** Returns the version of the existing tables; 0 if there are none. */
async function versionOf(client: Client, schema: string): Promise<number> {
  try {
    const sql = `SELECT max(version) AS version FROM "${schema}".migrations`;
    const { rows } = await client.query<{ version: number | null }>(sql);
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/**
 * Returns a script that skips steps that have been done. It begins with a lock, and each step sees the
 * results of earlier steps.
 */
function tablesSql(schema: string): string {
  const steps = MIGRATIONS.map(
    (sql, index) => `DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM migrations WHERE version = ${index + 1}) THEN
    EXECUTE $sql$${sql}$sql$;
    INSERT INTO migrations (version) VALUES (${index + 1});
  END IF;
END $do$;`,
  );
  return `BEGIN;
SELECT pg_advisory_xact_lock(hashtext('sigil migration'), hashtext('${schema}'));
DO $do$ BEGIN
  IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
END $do$;
SET LOCAL search_path TO "${schema}";
SET LOCAL client_min_messages TO warning;
CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
${steps.join('\n')}
COMMIT;
`;
}
