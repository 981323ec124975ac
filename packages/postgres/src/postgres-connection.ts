import type { Logger } from '@sigil/core';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { Client, type ClientConfig } from 'pg';
import { type Address, checkAddress, checkSchema, clientOptions } from './address.js';
import { endClient, EndingPool } from './ending-pool.js';
import { explained, isConnectionFailure } from './failures.js';
import { migrateTables } from './migrate.js';
import { Sweeper } from './sweeper.js';
import { answered } from './failures.js';

/** Where PostgreSQL is, and how it is spoken to. */
export interface PostgresConnectionOptions extends Address {
  /**
   * The schema with the tables, so that several apps can share one database; those of the queue are in a second one, whose name ends in `_queue`.
   * @default 'sigil_' and the name of the app, or else 'sigil'
   */
  readonly schema?: string;
  /**
   * Whether tables that are missing or out of date are made at the first use. Without it, run `migrate()` before.
   * @default true
   */
  readonly migrate?: boolean;
  /**
   * How long a statement may take, and a connection to be made, in milliseconds. It fails after that.
   * @default 2,000
   */
  readonly timeoutMs?: number;
  /**
   * Most connections for statements. There is one more for changes, and a few for the queue.
   * @default 10
   */
  readonly maxConnections?: number;
}

/** The names of the options. */
export const CONNECTION_OPTIONS: OptionTable<PostgresConnectionOptions> = {
  url: true,
  pool: true,
  schema: true,
  migrate: true,
  timeoutMs: true,
  maxConnections: true,
};

/** Refuses options of a connection that are wrong. @returns the schema. */
export function checkConnection(options: PostgresConnectionOptions, checks: OptionChecks): string {
  checkAddress(checks, options);
  checks.booleans(options, 'migrate');
  checks.integer('timeoutMs', options.timeoutMs);
  checks.integer('maxConnections', options.maxConnections, 1_000);
  return checkSchema(checks, options.schema);
}

/** How long `open()` waits for a database that does not answer, in milliseconds. */
const OPEN_MS = 1_000;

/**
 * Speaks to one PostgreSQL for all parts of a backend. It connects when it is used, and again after it has been disconnected; a statement
 * that has no answer fails within `timeoutMs`.
 *
 * @example
 * ```ts
 * const connection = new PostgresConnection({ url: 'postgres://app@db.example/shop' });
 * const store = new PostgresStateStore(connection);
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { keys: [key], store } });
 * // … and when the app has been closed:
 * await connection.close();
 * ```
 */
export class PostgresConnection {
  /** The schema with the tables. */
  readonly schema: string;
  /** How long a statement may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether tables are made at their first use. */
  readonly migrates: boolean;
  readonly #address: ClientConfig;
  readonly #pool: EndingPool;
  readonly #sweeper: Sweeper = new Sweeper();
  #preparing: Promise<void> | undefined;
  #isPrepared = false;
  #isClosed = false;
  #logger: Logger | undefined;
  #isLost = false;

  /**
   * @param options where PostgreSQL is.
   * @throws DefinitionError when an option is wrong.
   */
  constructor(options: PostgresConnectionOptions) {
    OptionChecks.requireObject('PostgresConnection', options);
    const checks = new OptionChecks('PostgresConnection');
    checks.known(options, CONNECTION_OPTIONS);
    this.schema = checkConnection(options, checks);
    checks.throwIfAny();
    this.timeoutMs = options.timeoutMs ?? 2_000;
    this.migrates = options.migrate ?? true;
    this.#address = {
      application_name: 'sigil',
      ...clientOptions(options),
      keepAlive: true,
      connectionTimeoutMillis: this.timeoutMs,
    };
    this.#pool = new EndingPool({ ...this.clientOptions(), max: options.maxConnections ?? 10 });
  }

  /**
   * Connects, and waits for that a second at most.
   *
   * @param logger where it reports that PostgreSQL does not answer, and that it does again.
   * @throws Error when PostgreSQL refuses for good, such as a wrong password, or when tables are missing that it may not make.
   */
  async open(logger?: Logger): Promise<void> {
    this.#logger = logger;
    const opened = this.check();
    try {
      await answered(OPEN_MS, opened);
    } catch (error) {
      if (!isConnectionFailure(error)) throw explained(error, this.schema);
    }
  }

  /**
   * Asks PostgreSQL whether it answers, and can be written to.
   *
   * @throws Error when it does not, or cannot.
   */
  async check(): Promise<void> {
    const [row] = await this.query<{ state: string }>(
      "SELECT current_setting('transaction_read_only') AS state",
    );
    if (row?.state === 'on')
      throw new Error('PostgreSQL can only be read: it is a copy, or told to take no writes');
  }

  /**
   * Runs one statement.
   *
   * @param sql in which `$schema` stands for the name of the schema, and `$1` for the first value.
   * @returns its rows.
   */
  async query<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    const text = sql.replaceAll('$schema', `"${this.schema}"`);
    const rows = async (): Promise<Row[]> => {
      await this.#prepare();
      return (await this.#pool.query<Row>(text, [...values])).rows;
    };
    try {
      // The parts of it have times of their own, and more together than it may take.
      const found = await answered(this.timeoutMs, rows());
      this.#found();
      return found;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /**
   * Deletes now and then what has expired, in one process at a time.
   *
   * @param sql a statement that says in its first column, `more`, whether there is more to delete.
   */
  sweep(sql: string, ...values: readonly SqlValue[]): void {
    this.#sweeper.add(async () => {
      const [row] = await this.query<{ more: boolean }>(sql, ...values);
      return row?.more === true;
    });
  }

  /** @returns what clients of `pg` are made with that speak to the same database, passwords included. */
  clientOptions(): object {
    return { ...this.#address, query_timeout: this.timeoutMs, statement_timeout: this.timeoutMs };
  }

  /** Ends all connections, and what runs on them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweeper.stop();
    await this.#pool.close();
  }

  /** Makes the tables ready, once. */
  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    this.#preparing ??= this.#prepareTables().finally(() => (this.#preparing = undefined));
    await this.#preparing;
  }

  async #prepareTables(): Promise<void> {
    if (this.#isClosed) throw new Error('The connection to PostgreSQL has been closed');
    // To make tables may take longer than a statement may.
    const client = new Client(this.#address);
    client.on('error', () => undefined);
    try {
      await client.connect();
      await migrateTables(client, this.schema, this.migrates);
    } finally {
      await endClient(client);
    }
    this.#isPrepared = true;
    if (!this.#isClosed) this.#sweeper.start();
  }

  #found(): void {
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#logger?.info('PostgreSQL answers again');
  }

  #failed(error: unknown): void {
    if (this.#isLost || this.#isClosed || !isConnectionFailure(error)) return;
    this.#isLost = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#logger?.warn(
      { reason, err: error },
      'PostgreSQL does not answer: what needs it fails until it does',
    );
  }
}

/** What a statement is given. */
export type SqlValue = string | number | boolean | null | undefined | readonly (string | number)[];
