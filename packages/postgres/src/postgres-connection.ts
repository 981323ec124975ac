import type { Logger } from '@sigil/core';
import { type BackendWatch, ReadOnlyError } from '@sigil/core/backend';
import {
  answered,
  LogThrottle,
  OptionChecks,
  type OptionTable,
  warnOfParameters,
} from '@sigil/core/internal';
import {
  type Address,
  checkAddress,
  checkReadable,
  checkSchema,
  checkUrl,
  clientOptions,
  DEFAULT_SCHEMA,
  PARAMETERS,
} from './address.js';
import { explained, isConnectionFailure, NO_ANSWER, UnusableError } from './failures.js';
import { migrateTables } from './migrate.js';
import { type SqlValue, StatementPool } from './statement-pool.js';
import { Sweeper } from './sweeper.js';

/** The location of PostgreSQL, and the settings of its connections. */
export interface PostgresConnectionOptions extends Address {
  /**
   * The schema with the tables, so that several apps can share one database.
   * @default `sigil_` followed by the app's name, plus a hash if the name has characters that are not allowed in the
   *   name of a schema
   */
  readonly schema?: string;
  /**
   * Whether missing or outdated tables are created or updated at the first use. With `false`, you must run `migrate()`
   * before the app starts.
   * @default true
   */
  readonly migrate?: boolean;
  /**
   * Maximum time from the sending of a statement until its answer, in milliseconds. After that, the statement fails.
   * The same limit applies to establishing a connection. Before a statement is sent, it can wait up to ten times this
   * long for a free connection.
   * @default 2,000
   */
  readonly timeoutMs?: number;
  /**
   * Maximum number of connections for statements, per process. Each process also opens two other connections: one
   * receives changes from other processes, and one renews the leases of running tasks and checks readiness.
   * @default 10
   */
  readonly maxConnections?: number;
  /**
   * Another address of the same database, for LISTEN and migrations. Set it if connections go through a pooler, such as
   * PgBouncer, in transaction mode. This address must lead to PostgreSQL without the pooler.
   * @default the address of the other connections
   */
  readonly listenUrl?: string;
}

/** The names of all options of a connection. An option with any other name is reported as unknown. */
export const CONNECTION_OPTIONS: OptionTable<PostgresConnectionOptions> = {
  url: true,
  pool: true,
  schema: true,
  migrate: true,
  timeoutMs: true,
  maxConnections: true,
  listenUrl: true,
};

/** Reports options of a connection that are wrong. */
export function checkConnection(options: PostgresConnectionOptions, checks: OptionChecks): void {
  checkAddress(checks, options);
  checkUrl(checks, 'listenUrl', options.listenUrl);
  checks.booleans(options, 'migrate');
  checks.integer('timeoutMs', options.timeoutMs);
  checks.integer('maxConnections', options.maxConnections, 1_000);
  checkSchema(checks, options.schema);
}

/** How long `open()` waits for a database that does not answer, in milliseconds. */
const OPEN_MS = 1_000;
/**
 * Minimum time between log lines that PostgreSQL does not answer, in milliseconds, because a slow database alternates
 * between answering and not answering.
 */
const TOLD_EVERY_MS = 10_000;

/**
 * The connections to PostgreSQL that all stores of a backend share. They are opened at the first use, and opened again
 * after a loss. A statement that PostgreSQL does not answer fails after `timeoutMs`.
 */
export class PostgresConnection {
  /** The schema with the tables. */
  readonly schema: string;
  /** How long a statement may take once it is sent, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of connections for statements. */
  readonly maxConnections: number;
  readonly #options: PostgresConnectionOptions;
  readonly #pool: StatementPool;
  /** The pool for urgent statements. */
  readonly #urgentPool: StatementPool;
  readonly #sweeper: Sweeper = new Sweeper();
  #preparing: Promise<void> | undefined;
  #isPrepared = false;
  #isClosed = false;
  #logger: Logger | undefined;
  readonly #told = new LogThrottle(TOLD_EVERY_MS);
  #isLost = false;

  /** @param options the location of PostgreSQL, validated by `checkConnection`. */
  constructor(options: PostgresConnectionOptions) {
    this.schema = options.schema ?? DEFAULT_SCHEMA;
    this.#options = options;
    this.timeoutMs = options.timeoutMs ?? 2_000;
    this.maxConnections = options.maxConnections ?? 10;
    const address = this.#clientOptions(options);
    this.#pool = new StatementPool(address, this.maxConnections, this.timeoutMs);
    this.#urgentPool = new StatementPool(address, 1, this.timeoutMs);
  }

  /**
   * Connects, and waits at most a second for the connection.
   *
   * @param logger the logger that reports when PostgreSQL stops answering, and when it answers again.
   * @throws DefinitionError when an address cannot be parsed, or names a file that cannot be read.
   * @throws Error if PostgreSQL refuses permanently (for example, a wrong password), if tables are missing and
   *   `migrate` is `false`, or if LISTEN does not work.
   */
  async open(logger?: Logger): Promise<void> {
    this.#logger = logger;
    const { url, listenUrl } = this.#options;
    // This is checked here and not before: during a build, the files may be missing.
    const checks = new OptionChecks('postgres');
    checkReadable(checks, 'url', url);
    checkReadable(checks, 'listenUrl', listenUrl);
    checks.throwIfAny();
    warnOfParameters(logger, 'postgres({ url })', url, PARAMETERS);
    warnOfParameters(logger, 'postgres({ listenUrl })', listenUrl, PARAMETERS);
    const opened = this.check().then(() => this.#checkPooler());
    try {
      await answered(OPEN_MS, opened, NO_ANSWER);
    } catch (error) {
      if (!isConnectionFailure(error)) throw explained(error, this.schema);
    }
  }

  /**
   * Checks that PostgreSQL answers and accepts writes.
   *
   * @throws ReadOnlyError when PostgreSQL is read-only; Error when it does not answer.
   */
  async check(): Promise<void> {
    const [row] = await this.queryUrgent<{ state: string }>(
      "SELECT current_setting('transaction_read_only') AS state",
    );
    if (row?.state === 'on')
      throw new ReadOnlyError('PostgreSQL is read-only: it is a replica, or configured to refuse writes');
  }

  /** @throws UnusableError if a pooler shares connections of PostgreSQL, and no address bypasses the pooler. */
  async #checkPooler(): Promise<void> {
    const { url, listenUrl = url } = this.#options;
    if (listenUrl !== url) return;
    const sql = 'SELECT pg_backend_pid() AS pid';
    const [one] = await this.queryUrgent<{ pid: number }>(sql);
    const [other] = await this.query<{ pid: number }>(sql);
    if (one?.pid !== other?.pid) return;
    throw new UnusableError(
      "LISTEN does not work through a pooler in transaction mode: set postgres({ listenUrl: 'postgres://…' }) to an address without the pooler, or set the pooler to session mode",
    );
  }

  /**
   * Runs one statement.
   *
   * @param sql the statement, with `$schema` for the name of the schema, and `$1` for the first value.
   * @returns the rows of the result.
   */
  query<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    return this.#query(this.#pool, sql, values);
  }

  /**
   * Runs one statement like `query`, but on a separate connection for urgent statements. The statement only waits for
   * other urgent statements, which are short and few.
   */
  queryUrgent<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    return this.#query(this.#urgentPool, sql, values);
  }

  /**
   * Adds a statement that deletes expired rows. The statement runs about every 20 seconds.
   *
   * @param sql a statement that returns one row. Its column `more` is true if there are more rows to delete.
   */
  sweep(sql: string, ...values: readonly SqlValue[]): void {
    this.#sweeper.add(async () => {
      const [row] = await this.query<{ more: boolean }>(sql, ...values);
      return row?.more === true;
    });
  }

  /**
   * Writes to a table with a limited size. If the table is full, its expired rows are deleted, and the write is tried
   * once more.
   *
   * @param put a function that tries to write, and returns `undefined` if the table is full. It receives `false` at the
   *   first attempt, and `true` at the second.
   * @returns the result of `put`; `undefined` if the table is still full.
   */
  async makeRoom<T>(
    table: string,
    put: (isAgain: boolean) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const done = await put(false);
    if (done !== undefined) return done;
    await this.query(`SELECT $schema.sweep('${table}') AS more`);
    return put(true);
  }

  /**
   * Begins to report to telemetry how long statements wait for a connection, and how often connections were
   * re-established.
   *
   * @param listening a function that returns how often the connection for LISTEN was re-established.
   */
  watch(watch: BackendWatch, listening: () => number): void {
    const pools = [this.#pool, this.#urgentPool];
    const attributes = { 'sigil.store.backend': 'postgres' };
    const sum = (of: (pool: StatementPool) => number): number =>
      pools.reduce((all, pool) => all + of(pool), 0);
    for (const pool of pools) pool.watch(watch);
    watch.addGauge({
      name: 'sigil.store.waiting',
      description: 'Statements that wait for a connection.',
      unit: '{statement}',
      read: () => [{ value: sum(({ waiting }) => waiting), attributes }],
    });
    watch.addGauge({
      name: 'sigil.store.reconnects',
      description: 'Number of connections to a store that were re-established after a loss.',
      unit: '{connection}',
      isCounter: true,
      read: () => [{ value: sum(({ reconnects }) => reconnects) + listening(), attributes }],
    });
  }

  /** Returns the options of a `pg` client for LISTEN or for migrations, including the password. */
  listenerOptions(): object {
    const { listenUrl } = this.#options;
    return this.#clientOptions(listenUrl === undefined ? this.#options : { url: listenUrl });
  }

  /** Ends all connections. Running statements get a short time to finish. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweeper.stop();
    await Promise.all([this.#pool.close(), this.#urgentPool.close()]);
  }

  /**
   * Returns the options of clients. Time limits are enforced in this process, because a pooler refuses
   * connections that set them.
   */
  #clientOptions(address: Address): object {
    return {
      application_name: 'sigil',
      ...clientOptions(address),
      keepAlive: true,
      connectionTimeoutMillis: this.timeoutMs,
    };
  }

  async #query<Row extends object>(
    pool: StatementPool,
    sql: string,
    values: readonly SqlValue[],
  ): Promise<Row[]> {
    try {
      if (!this.#isPrepared) {
        this.#preparing ??= this.#prepare().finally(() => (this.#preparing = undefined));
        await answered(this.timeoutMs, this.#preparing, NO_ANSWER);
      }
      const rows = await pool.query<Row>(sql.replaceAll('$schema', `"${this.schema}"`), values);
      this.#found();
      return rows;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** Prepares the tables. This may take longer than a statement may take. */
  async #prepare(): Promise<void> {
    if (this.#isClosed) throw new Error('The connection to PostgreSQL has been closed');
    await migrateTables(this.listenerOptions(), this.schema, this.#options.migrate ?? true);
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
    if (!this.#told.allows('lost')) return;
    this.#isLost = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#logger?.warn(
      { reason, err: error },
      'PostgreSQL does not answer; requests that need it fail until it answers',
    );
  }
}
