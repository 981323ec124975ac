import type { SessionPage, SessionStore, StoredSession } from '@sigil/core/backend';
import { quotaExceeded } from '@sigil/core/internal';
import type { PostgresLimits } from './limits.js';
import { clientKeyOf, keyOf } from './names.js';
import type { PostgresConnection } from './postgres-connection.js';

/**
 * Reads a session and extends it, in one statement. The row is only written if its remaining time is too short or much
 * too long. It then gets a tenth more time, so that most requests write nothing.
 */
const USE = `
WITH found AS MATERIALIZED (
  SELECT version, CASE WHEN version IS DISTINCT FROM $3::bigint THEN body END AS body,
         expires_at BETWEEN clock_timestamp() + $2::bigint * interval '1 ms'
                        AND clock_timestamp() + $2::bigint * interval '1.1 ms' AS is_kept
    FROM $schema.sessions WHERE id = $1 AND expires_at > clock_timestamp()
), renewed AS (
  UPDATE $schema.sessions SET expires_at = clock_timestamp() + $2::bigint * interval '1.1 ms'
   WHERE id = $1 AND EXISTS (SELECT FROM found WHERE NOT is_kept)
)
SELECT body FROM found`;

/**
 * Stores sessions in PostgreSQL, where all processes that serve an app can use them.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export class PostgresSessionStore implements SessionStore {
  constructor(
    private readonly connection: PostgresConnection,
    private readonly limits: Required<PostgresLimits>,
  ) {
    connection.sweep(`SELECT $schema.sweep('sessions') AS more`);
  }

  async create(session: StoredSession, idleMs: number): Promise<void> {
    const { maxSessions, maxSessionsPerClient } = this.limits;
    const isKept = await this.connection.makeRoom('sessions', async () => {
      const [row] = await this.connection.query<{ created: boolean }>(
        'SELECT $schema.create_session($1, $2, $3, $4, $5, $6, $7) AS created',
        keyOf(session.id),
        session.version,
        clientKeyOf(session.client),
        JSON.stringify(session),
        idleMs,
        maxSessions,
        maxSessionsPerClient,
      );
      return row?.created || undefined;
    });
    if (!isKept) throw quotaExceeded('sessions are kept', maxSessions, maxSessionsPerClient);
  }

  async use(
    id: string,
    idleMs: number,
    knownVersion?: number,
  ): Promise<StoredSession | 'unchanged' | undefined> {
    const [row] = await this.connection.query<{ body: string | null }>(USE, keyOf(id), idleMs, knownVersion);
    if (!row) return undefined;
    return row.body === null ? 'unchanged' : (JSON.parse(row.body) as StoredSession);
  }

  async replace(session: StoredSession, idleMs: number): Promise<boolean> {
    const rows = await this.connection.query(
      `UPDATE $schema.sessions SET version = $2, body = $3, expires_at = $schema.later($4)
        WHERE id = $1 AND version = $2 - 1 AND expires_at > clock_timestamp() RETURNING 1`,
      keyOf(session.id),
      session.version,
      JSON.stringify(session),
      idleMs,
    );
    return rows.length > 0;
  }

  async delete(id: string): Promise<boolean> {
    const [row] = await this.connection.query<{ live: boolean }>(
      'DELETE FROM $schema.sessions WHERE id = $1 RETURNING expires_at > clock_timestamp() AS live',
      keyOf(id),
    );
    return row?.live === true;
  }

  async list(limit: number, cursor = ''): Promise<SessionPage> {
    const rows = await this.connection.query<{ id: string; body: string; expires_at: Date }>(
      `SELECT id, body, expires_at FROM $schema.sessions
        WHERE id > $1 AND expires_at > clock_timestamp() ORDER BY id LIMIT $2`,
      cursor,
      limit + 1,
    );
    const page = rows.slice(0, limit);
    const sessions = page.map(({ body, expires_at }) => ({
      ...(JSON.parse(body) as StoredSession),
      expiresAt: expires_at.getTime(),
    }));
    return rows.length > limit ? { sessions, cursor: page.at(-1)?.id } : { sessions };
  }
}
