import { Client, type ClientBase } from 'pg';
import { clientOptions, type PoolTemplate, requireSchema } from './address.js';
import { EVENTS } from './migrations/0001-events.js';
import { TABLES } from './migrations/0001-tables.js';
import { TASKS } from './migrations/0001-tasks.js';
import { ENDED_STREAMS } from './migrations/0002-ended-streams.js';
import { migrateOnce, stepSql, versionOf } from './migrations/steps.js';

/** Proofs of possession have a table of their own, so that they take no room of request states. */
const PROOFS: string = `
CREATE TABLE proofs (LIKE states INCLUDING ALL);
CREATE TRIGGER give_usage AFTER DELETE ON proofs REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION give_usage('proofs', 'client');

-- As use_state does. @returns 'first', 'used' or 'full'.
CREATE FUNCTION use_proof(p_id text, p_for_ms bigint, p_client text, p_max bigint, p_max_each bigint)
RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM proofs WHERE id = p_id) THEN
    UPDATE proofs SET expires_at = later(p_for_ms) WHERE id = p_id AND expires_at <= clock_timestamp();
    RETURN CASE WHEN FOUND THEN 'first' ELSE 'used' END;
  END IF;
  IF NOT take_usage('proofs', p_client, 1, 0, p_max, p_max_each, 0, 0) THEN RETURN 'full'; END IF;
  INSERT INTO proofs (id, client, expires_at) VALUES (p_id, p_client, later(p_for_ms)) ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN RETURN 'first'; END IF;
  PERFORM take_usage('proofs', p_client, -1, 0, 0, 0, 0, 0);
  RETURN 'used';
END $$;
`;

/** What has been done to the tables, in order. What stands here has run somewhere, and is not changed any more. */
const MIGRATIONS: readonly string[] = [TABLES + TASKS + EVENTS, ENDED_STREAMS, PROOFS];

/** How long the database may take to be reached, in milliseconds. */
const CONNECT_MS = 10_000;

/** Where tables are. */
export interface MigrationOptions {
  /**
   * The schema that they are in; those of the queue are in a second one, whose name ends in `_queue`. A backend that names none has one of
   * its app, such as `sigil_shop`.
   * @default 'sigil'
   */
  readonly schema?: string;
}

/**
 * Makes the tables that a backend needs, or brings older ones up to date. It may be run by many processes at once, and again: what has been
 * done is not done twice. A backend does it by itself, `migrate: false` excepted.
 *
 * @param where the address of the database, or a pool of `pg` whose options say where it is.
 * @throws Error when PostgreSQL cannot be reached, or the user may not make tables.
 * @example
 * ```ts
 * await migrate('postgres://owner@db.example/shop', { schema: 'sigil_shop' });
 * await app.run(http());
 * ```
 */
export async function migrate(where: string | PoolTemplate, options: MigrationOptions = {}): Promise<void> {
  const schema = requireSchema('migrate', options);
  const client = new Client({
    ...clientOptions(typeof where === 'string' ? { url: where } : { pool: where }),
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await migrateTables(client, schema, true);
    const { migrateQueue } = await import('./queue/migrate-queue.js');
    await migrateQueue(client, schema, true);
  } finally {
    await client.end();
  }
}

/**
 * Writes down what `migrate()` does, for those who keep their database by scripts. It may be run again.
 *
 * @returns a script for `psql`.
 * @example
 * ```ts
 * console.log(await migrationSql({ schema: 'mcp' }));
 * ```
 */
export async function migrationSql(options: MigrationOptions = {}): Promise<string> {
  const schema = requireSchema('migrationSql', options);
  const { queueMigrationSql } = await import('./queue/migrate-queue.js');
  return `${tablesSql(schema)}\n${await queueMigrationSql(schema)}`;
}

/**
 * Brings the tables of all parts but the queue up to date.
 *
 * @param isAllowed whether it may change anything.
 * @throws Error when they are not up to date, and it may not.
 */
export async function migrateTables(client: ClientBase, schema: string, isAllowed: boolean): Promise<void> {
  await migrateOnce(client, {
    schema,
    isAllowed,
    isDone: async () => (await versionOf(client, `"${schema}".migrations`)) >= MIGRATIONS.length,
    migrate: async () => client.query(tablesSql(schema)),
  });
}

function tablesSql(schema: string): string {
  const steps = MIGRATIONS.map((sql, index) => stepSql('migrations', index + 1, sql, `(${index + 1})`));
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
