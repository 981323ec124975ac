import type { EventStore, StreamName, StreamRest } from '@sigil/core/backend';
import type { PostgresLimits } from './limits.js';
import { keyOf } from './names.js';
import type { PostgresConnection } from './postgres-connection.js';

/** Number of bytes that an event counts in addition to its message, for its row and its index entries. */
const OVERHEAD_BYTES = 300;

/** An id after all events. */
const BEHIND_ALL = '9223372036854775807';

/**
 * Stores the events of streams in PostgreSQL. If a client loses its connection, it can receive the rest of a stream
 * from any process.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class PostgresEventStore implements EventStore {
  constructor(
    private readonly connection: PostgresConnection,
    private readonly limits: Required<PostgresLimits>,
  ) {
    connection.sweep('SELECT $schema.sweep_events($1) AS more', limits.maxEventBytes);
  }

  async append(name: StreamName, message: string, ends = false): Promise<string | undefined> {
    return this.#append(name, message, OVERHEAD_BYTES + Buffer.byteLength(message), ends);
  }

  async end(name: StreamName): Promise<void> {
    await this.#append(name, null, 0, false);
  }

  async after({ session, stream }: StreamName, id?: string): Promise<StreamRest> {
    const rows = await this.connection.query<{ id: string; message: string | null }>(
      `SELECT id, message FROM $schema.events
        WHERE session = $1 AND stream = $2 AND (id > $3 OR message IS NULL) AND expires_at > clock_timestamp()
        ORDER BY id`,
      keyOf(session),
      keyOf(stream),
      id === undefined ? 0 : /^[1-9]\d{0,17}$/.test(id) ? id : BEHIND_ALL,
    );
    const events = rows.flatMap((row) =>
      row.message === null ? [] : [{ id: row.id, message: row.message }],
    );
    return { events, ended: events.length < rows.length };
  }

  async forget(session: string, stream?: string): Promise<void> {
    await this.connection.query(
      'DELETE FROM $schema.events WHERE session = $1 AND ($2::text IS NULL OR stream = $2)',
      keyOf(session),
      stream === undefined ? null : keyOf(stream),
    );
  }

  async #append(
    { session, stream }: StreamName,
    message: string | null,
    bytes: number,
    ends: boolean,
  ): Promise<string | undefined> {
    const { maxEventsPerStream, maxEventBytesPerSession, maxEventBytes, maxEventAgeMs } = this.limits;
    const [row] = await this.connection.query<{ id: string | null }>(
      'SELECT $schema.append_event($1, $2, $3, $4, $5, $6, $7, $8) AS id',
      keyOf(session),
      keyOf(stream),
      message,
      bytes,
      maxEventAgeMs,
      maxEventsPerStream,
      Math.min(maxEventBytesPerSession, maxEventBytes),
      ends,
    );
    return row?.id ?? undefined;
  }
}
