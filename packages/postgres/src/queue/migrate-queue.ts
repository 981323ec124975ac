import type { ClientBase } from 'pg';
import { migrateOnce, stepSql, versionOf } from '../migrations/steps.js';
import { loadBullmq } from './load-bullmq.js';

const { BULLMQ_MAJOR_VERSION, LATEST_SCHEMA_VERSION, runMigrations } = await loadBullmq();

/** The schema of the queue of a backend: BullMQ wants one for itself. */
export function queueSchemaOf(schema: string): string {
  return `${schema}_queue`;
}

/**
 * Brings the tables of the queue up to date.
 *
 * @param schema that of the backend.
 * @param isAllowed whether it may change anything.
 * @throws Error when they are not up to date, and it may not.
 */
export async function migrateQueue(client: ClientBase, schema: string, isAllowed: boolean): Promise<void> {
  const queueSchema = queueSchemaOf(schema);
  await migrateOnce(client, {
    schema: queueSchema,
    isAllowed,
    isDone: async () => (await versionOf(client, `"${queueSchema}".migration`)) >= LATEST_SCHEMA_VERSION,
    migrate: async () => runMigrations(client, queueSchema),
  });
}

/** What `migrateQueue` does, as a script: BullMQ migrates a database that writes down what it is told. */
export async function queueMigrationSql(schema: string): Promise<string> {
  const script: string[] = [];
  await runMigrations(
    {
      query: async <Row>(text: string, values: readonly unknown[] = []) => {
        if (text.startsWith('INSERT INTO migration')) {
          const sql = script.pop() ?? '';
          const row = `(${values.map(literal).join(', ')})`;
          script.push(stepSql('migration', Number(values[0]), sql, row, 'version, name, min_client_version'));
        } else if (!/^SELECT (?!pg_advisory)/.test(text)) {
          script.push(`${text.replace(/\$(\d+)/g, (_, at: string) => literal(values[Number(at) - 1]))};`);
        }
        return { rows: [EMPTY_DATABASE as Row] };
      },
    },
    queueSchemaOf(schema),
    { skipVersionCheck: true },
  );
  return `${script.join('\n')}\n`;
}

/** What a database says of its version that has none. */
const EMPTY_DATABASE: object = { version: 0, min_client_version: BULLMQ_MAJOR_VERSION };

function literal(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}
