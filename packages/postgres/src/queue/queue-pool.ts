import { DatabaseError, type PoolClient, type PoolConfig } from 'pg';
import { EndingPool } from '../ending-pool.js';
import { isConnectionFailure } from '../failures.js';

/** The time in milliseconds since 1970, as BullMQ counts it, by the clock of the database. */
const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * What BullMQ asks the database through. BullMQ reckons by the clock of each process; here the clock of the database takes its place, so
 * that processes whose clocks differ do not take each other's tasks for abandoned:
 *
 * - The parameter that BullMQ's statements call `now_ms` is ignored for the clock of the database.
 * - What comes back as a time is told by the clock of the process, by which BullMQ waits.
 *
 * And BullMQ tries again what fails for want of a connection, and knows that by `ECONNREFUSED` alone: other failures of that kind, such as a
 * connection that was cut, are given to it as that one.
 */
export class QueuePool {
  readonly #pool: EndingPool;
  /** What BullMQ reads of a pool. */
  readonly options: { readonly keepAlive: true } = { keepAlive: true };

  /** @param schema that of the queue: the statements of BullMQ name none. */
  constructor(options: PoolConfig, schema: string) {
    const path = `-c search_path=${schema}`;
    this.#pool = new EndingPool({
      ...options,
      options: options.options ? `${options.options} ${path}` : path,
    });
  }

  /** Runs a statement of BullMQ. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<{ rows: Row[] }> {
    try {
      return { rows: (await this.#query(text, values)) as Row[] };
    } catch (error) {
      throw refusedConnection(error);
    }
  }

  /** Gives a connection of its own, such as for LISTEN. */
  async connect(): Promise<PoolClient> {
    try {
      const client = await this.#pool.connect();
      const removeAll = client.removeAllListeners.bind(client);
      // BullMQ does so before it ends a connection, and an error without a listener would end the process.
      client.removeAllListeners = (event) => removeAll(event).on('error', () => undefined);
      return client;
    } catch (error) {
      throw refusedConnection(error);
    }
  }

  /** BullMQ would listen to what happens to connections at rest: they are made again when they are needed. */
  on(): this {
    return this;
  }

  /** Ends all connections. */
  async end(): Promise<void> {
    await this.#pool.close();
  }

  async #query(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const now = /\$(\d+) now_ms/.exec(text)?.[1];
    const timed = text.replace(/\$(\d+)/g, (parameter, at: string) =>
      at === now ? `(${CLOCK} + 0 * ${parameter}::bigint)` : parameter,
    );
    const isNext = /\bAS next_delay\b|\bnext_delay FROM\b/.test(text);
    // The time at which the next delayed task is due, and what time it is there.
    const asked = isNext
      ? `SELECT found.*, ${CLOCK} AS asked_ms FROM (${timed.replace(/;\s*$/, '')}) AS found`
      : timed;
    const { rows } = await this.#pool.query<Record<string, unknown>>(asked, [...values]);
    return rows.map(byClockOfProcess);
  }
}

const REFUSED = 'ECONNREFUSED';

/** Whether what BullMQ reports is that PostgreSQL cannot be reached, or that its connection was cut. */
export function isLostConnection(error: unknown): boolean {
  if (error instanceof DatabaseError) return isConnectionFailure(error);
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === REFUSED) || error.message.startsWith('Connection terminated');
}

function refusedConnection(error: unknown): unknown {
  if (!isConnectionFailure(error)) return error;
  const reason = error instanceof Error && error.message !== '' ? `: ${error.message}` : '';
  return Object.assign(new Error(`PostgreSQL does not answer${reason}`, { cause: error }), { code: REFUSED });
}

function byClockOfProcess(row: Record<string, unknown>): Record<string, unknown> {
  const { processed_at_ms: begun, next_delay: next, asked_ms: asked } = row;
  if (next !== undefined && next !== null)
    return { ...row, next_delay: Number(next) - Number(asked) + Date.now() };
  // A task that has just been taken: its lock is renewed some time after that.
  return begun === undefined || begun === null ? row : { ...row, processed_at_ms: Date.now() };
}
