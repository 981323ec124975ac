import { answered, within } from '@sigil/core/internal';
import type { BackendWatch } from '@sigil/core/backend';
import { type Client, DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg';
import { BusyError, NO_ANSWER } from './failures.js';

/** How long a connection may take to end gracefully, in milliseconds. */
const END_MS = 500;

/** Maximum number of statements that wait for a connection. */
const MAX_WAITING = 5_000;

/** How long a statement may wait, as a multiple of the time that it may take. */
const WAITS = 10;

/** The value of a parameter in an SQL statement. */
export type SqlValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly (string | number | null)[]
  /** A function that is called when the statement is sent, because the statement can wait before. */
  | (() => number);

/** A statement that waits for a connection. */
interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Sends statements on a few connections. If no connection is free, statements wait in order. The time limit of a
 * statement begins when the statement is sent. A statement that exceeds the limit fails, and its connection is closed.
 * If PostgreSQL has answered no statement at all during this time, all waiting statements fail as well.
 */
export class StatementPool {
  readonly #pool: Pool;
  readonly #timeoutMs: number;
  readonly #clients = new Set<PoolClient>();
  readonly #waiting: Waiting[] = [];
  /** How many connections are free. */
  #free: number;
  #answeredAt = 0;
  #watch: BackendWatch | undefined;
  /** Broken connections, kept so that each counts once. */
  readonly #broken = new WeakSet<PoolClient>();
  #missing = 0;
  #reconnects = 0;

  /**
   * @param options the options of the connections.
   * @param max the maximum number of connections.
   * @param timeoutMs maximum time for a statement, and for establishing a connection, in milliseconds.
   */
  constructor(options: PoolConfig, max: number, timeoutMs: number) {
    this.#pool = new Pool({ ...options, max, connectionTimeoutMillis: timeoutMs });
    this.#free = max;
    this.#timeoutMs = timeoutMs;
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      // The statements on a lost connection fail by themselves; without a listener, the process would end.
      client.on('error', () => this.#lost(client));
      if (this.#missing === 0) return;
      this.#missing -= 1;
      this.#reconnects += 1;
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
    this.#pool.on('error', () => undefined);
  }

  /** How many statements wait for a connection. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How many connections were re-established after a loss. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /** Begins to report how long each statement waits for a connection. */
  watch(watch: BackendWatch): void {
    this.#watch = watch;
  }

  /**
   * Runs one statement.
   *
   * @throws BusyError when the statement has waited for a connection for more than ten times `timeoutMs`, or when 5,000
   *   statements are already waiting.
   */
  async query<Row extends object>(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    const askedAt = performance.now();
    try {
      await this.#turn();
    } catch (error) {
      this.#waited(askedAt, error);
      throw error;
    }
    const sentAt = performance.now();
    try {
      return await this.#send<Row>(text, values, askedAt);
    } catch (error) {
      const silentMs = performance.now() - Math.max(sentAt, this.#answeredAt);
      // Timers may be early by a millisecond.
      if (silentMs >= this.#timeoutMs - 1) this.#refuseAll(error);
      throw error;
    } finally {
      this.#next();
    }
  }

  /**
   * Ends all connections. Idle connections end immediately. Busy connections end after their statements, or after half
   * a second. Statements that wait for a connection fail.
   */
  async close(): Promise<void> {
    if (this.#pool.ending) return;
    this.#refuseAll(new Error('The connection to PostgreSQL has been closed'));
    await within(
      END_MS,
      this.#pool.end().catch(() => undefined),
    );
    for (const client of this.#clients) cutClient(client);
  }

  /** Waits until a connection is free for a statement. */
  async #turn(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING)
      throw new BusyError(`More than ${MAX_WAITING} statements wait for PostgreSQL`);
    await new Promise<void>((begin, refuse) =>
      this.#waiting.push({ since: performance.now(), begin, refuse }),
    );
  }

  /** Gives a free connection to the statement that has waited longest, unless it has waited for too long. */
  #next(): void {
    const maxMs = WAITS * this.#timeoutMs;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (performance.now() - next.since <= maxMs) return next.begin();
      next.refuse(new BusyError(`No connection to PostgreSQL was free within ${maxMs} ms`));
    }
    this.#free += 1;
  }

  #refuseAll(error: unknown): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  #waited(askedAt: number, error?: unknown): void {
    if (!this.#watch?.isActive) return;
    const ms = performance.now() - askedAt;
    this.#watch.storeAsked({ part: 'connections', operation: 'wait', ms, error });
  }

  #lost(client: PoolClient): void {
    if (this.#broken.has(client)) return;
    this.#broken.add(client);
    this.#missing += 1;
  }

  /** @param askedAt when the statement was requested, by `performance.now()`. */
  async #send<Row extends object>(
    text: string,
    values: readonly SqlValue[],
    askedAt: number,
  ): Promise<Row[]> {
    const client = await this.#pool.connect();
    this.#waited(askedAt);
    let isUsable = false;
    try {
      const sent = values.map((value) => (typeof value === 'function' ? value() : value));
      const { rows } = await answered(this.#timeoutMs, client.query<Row>(text, sent), NO_ANSWER);
      isUsable = true;
      return rows;
    } catch (error) {
      isUsable = error instanceof DatabaseError;
      throw error;
    } finally {
      if (isUsable) this.#answeredAt = performance.now();
      else this.#lost(client);
      client.release(!isUsable);
    }
  }
}

/** Ends the connection of a client, even when PostgreSQL does not answer. */
export async function endClient(client: Client): Promise<void> {
  await within(
    END_MS,
    client.end().catch(() => undefined),
  );
  cutClient(client);
}

/**
 * Destroys the socket of a client. Otherwise, the socket would wait until the server closes it, and would keep the
 * process running.
 */
export function cutClient(client: object): void {
  const { connection }: { connection?: { stream?: { destroy(): void } } } = client;
  connection?.stream?.destroy();
}
