import { type ClientBase, DatabaseError } from 'pg';
import { MissingTablesError } from '../failures.js';

/** A migration of one schema. */
export interface Migration {
  readonly schema: string;
  /** Whether anything may be changed. */
  readonly isAllowed: boolean;
  /** Whether all is up to date. */
  readonly isDone: () => Promise<boolean>;
  readonly migrate: () => Promise<unknown>;
}

/**
 * Migrates a schema, in one process at a time.
 *
 * @throws MissingTablesError when it is not up to date, and nothing may be changed.
 */
export async function migrateOnce(client: ClientBase, migration: Migration): Promise<void> {
  const { schema, isAllowed, isDone, migrate } = migration;
  // A user who may not make tables can use those that are there.
  if (await isDone()) return;
  if (!isAllowed) throw new MissingTablesError(schema);
  const lock = ['sigil migration', schema];
  // A transaction that waits for its lock may go by what the catalogue said before, so it begins with the lock.
  await client.query('SELECT pg_advisory_lock(hashtext($1), hashtext($2))', lock);
  if (!(await isDone())) await migrate();
  // After a failure the lock ends with the connection.
  await client.query('SELECT pg_advisory_unlock(hashtext($1), hashtext($2))', lock);
}

/** Which migration was the last one. @param table where they are noted. @returns 0 when there was none. */
export async function versionOf(client: ClientBase, table: string): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number | null }>(
      `SELECT max(version) AS version FROM ${table}`,
    );
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

const UNDEFINED_TABLE = '42P01';

/** One step of a script, left out where it has been done. @param values the row that notes it, as SQL. */
export function stepSql(
  table: string,
  version: number,
  sql: string,
  values: string,
  columns = 'version',
): string {
  return `DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM ${table} WHERE version = ${version}) THEN
    EXECUTE $sql$${sql}$sql$;
    INSERT INTO ${table} (${columns}) VALUES ${values};
  END IF;
END $do$;`;
}
