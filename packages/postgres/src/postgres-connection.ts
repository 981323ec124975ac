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
   * @default 'sigil_' and the name of the app, or else 'sigil'
   */
  readonly schema?: string;
  /**
   * Whether tables that are missing or out of date are made at the first use. Without it, run `migrate()` before.
   * @default true
   */
  readonly migrate?: boolean;
  /**
   * How long a statement may take once it is sent, and a connection to be made, in milliseconds. It fails after that. Before, it may wait ten
   * times as long for a connection that is free.
   * @default 2,000
   */
  readonly timeoutMs?: number;
  /**
   * Maximum number of connections for statements. Two more are used: one for changes, and one for leases of tasks and
   * readiness.
   * @default 10
   */
  readonly maxConnections?: number;
  /**
   * An address of the same database without a pooler, for LISTEN and migrations. It is required if a pooler pools by
   * transaction.
   * @default that of the other connections
   */
  readonly listenUrl?: string;
}

/** The names of the options. */
export const CONNECTION_OPTIONS: OptionTable<PostgresConnectionOptions> = {
  url: true,
  pool: true,
  schema: true,
  migrate: true,
  timeoutMs: true,
  maxConnections: true,
  listenUrl: true,
};

/** Refuses options of a connection that are wrong. */
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
/** How often the log says that PostgreSQL does not answer, in milliseconds: one that is slow does, and does not, by turns. */
const TOLD_EVERY_MS = 10_000;

/**
 * Speaks to one PostgreSQL for all parts of a backend. It connects when it is used, and again after it has been disconnected; a statement
 * that has no answer fails within `timeoutMs`.
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
  /** For urgent statements. */
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
   * Connects, and waits for that a second at most.
   *
   * @param logger receives reports that PostgreSQL stops answering, and that it answers again.
   * @throws DefinitionError when an address names a file that cannot be read, or cannot be read itself.
   * @throws Error if PostgreSQL refuses permanently, such as for a wrong password, if tables are missing and it may not
   *   create them, or if LISTEN does not work.
   */
  async open(logger?: Logger): Promise<void> {
    this.#logger = logger;
    const { url, listenUrl } = this.#options;
    // Here and not before: during a build, its files may be missing.
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
   * Asks PostgreSQL whether it answers, and can be written to.
   *
   * @throws ReadOnlyError when it can only be read; Error when it does not answer.
   */
  async check(): Promise<void> {
    const [row] = await this.queryUrgent<{ state: string }>(
      "SELECT current_setting('transaction_read_only') AS state",
    );
    if (row?.state === 'on')
      throw new ReadOnlyError('PostgreSQL can only be read: it is a copy, or told to take no writes');
  }

  /** @throws UnusableError if a pooler shares one connection of PostgreSQL, and there is no address past it. */
  async #checkPooler(): Promise<void> {
    const { url, listenUrl = url } = this.#options;
    if (listenUrl !== url) return;
    const sql = 'SELECT pg_backend_pid() AS pid';
    const [one] = await this.queryUrgent<{ pid: number }>(sql);
    const [other] = await this.query<{ pid: number }>(sql);
    if (one?.pid !== other?.pid) return;
    throw new UnusableError(
      "LISTEN hears nothing through a pooler that pools by transaction: write postgres({ listenUrl: 'postgres://…' }) with an address past it, or let it pool by session",
    );
  }

  /**
   * Runs one statement.
   *
   * @param sql the statement, with `$schema` for the name of the schema, and `$1` for the first value.
   * @returns its rows.
   */
  query<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    return this.#query(this.#pool, sql, values);
  }

  /** As `query`, on a connection of its own: it waits for no other statements than these, which are short and few. */
  queryUrgent<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<Row[]> {
    return this.#query(this.#urgentPool, sql, values);
  }

  /**
   * Deletes expired rows now and then, in one process at a time.
   *
   * @param sql a statement that says in its first column, `more`, whether there is more to delete.
   */
  sweep(sql: string, ...values: readonly SqlValue[]): void {
    this.#sweeper.add(async () => {
      const [row] = await this.query<{ more: boolean }>(sql, ...values);
      return row?.more === true;
    });
  }

  /**
   * Writes to a table with limited room. If the table is full, its expired rows are deleted, and the write is tried
   * once more.
   *
   * @param put tries to store, and returns `undefined` if there is no room; its argument says whether this is the
   *   second try.
   * @returns its result; `undefined` if there is still no room.
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
   * Lets telemetry see how long statements wait for a connection, and how often connections were made again.
   *
   * @param listening how often the one that listens was.
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
      description: 'Connections to a store that were made again after they were lost.',
      unit: '{connection}',
      isCounter: true,
      read: () => [{ value: sum(({ reconnects }) => reconnects) + listening(), attributes }],
    });
  }

  /** @returns the options of a `pg` client that listens or creates tables, including passwords. */
  listenerOptions(): object {
    const { listenUrl } = this.#options;
    return this.#clientOptions(listenUrl === undefined ? this.#options : { url: listenUrl });
  }

  /** Ends all connections, and their statements. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweeper.stop();
    await Promise.all([this.#pool.close(), this.#urgentPool.close()]);
  }

  /** Limits of time are kept here: a pooler refuses a connection that sets some. */
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

  /** Makes the tables ready. That may take longer than a statement may. */
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
      'PostgreSQL does not answer; requests that need it fail until it does',
    );
  }
}
