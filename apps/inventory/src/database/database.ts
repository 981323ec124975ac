import sqlite from 'node-sqlite3-wasm';

/** What a column can hold and a placeholder can be given. */
export type Value = string | number | null;

/** An SQLite database. Synchronous: nothing else runs while a statement does. */
export class Database {
  readonly #connection: sqlite.Database;

  /** @param file where it is kept; in memory without one. */
  constructor(file = ':memory:') {
    this.#connection = new sqlite.Database(file);
    // Other processes may write to the same file.
    this.#connection.exec('PRAGMA busy_timeout = 5000');
  }

  /** Runs statements without placeholders, such as a schema. */
  execute(sql: string): void {
    this.#connection.exec(sql);
  }

  /**
   * Runs one statement.
   *
   * @param values for the `?` of the statement, in order.
   * @returns how many rows it changed.
   */
  run(sql: string, ...values: Value[]): number {
    return this.#connection.run(sql, values).changes;
  }

  /** Every row a query finds. `R` says which columns it selects. */
  all<R>(sql: string, ...values: Value[]): R[] {
    return this.#connection.all(sql, values) as unknown as R[];
  }

  /** The first row a query finds, if any. */
  first<R>(sql: string, ...values: Value[]): R | undefined {
    return (this.#connection.get(sql, values) ?? undefined) as R | undefined;
  }

  /**
   * Does all of some work or none of it.
   *
   * @returns what the work returns.
   * @throws whatever the work throws, after its changes have been undone.
   */
  transaction<T>(work: () => T): T {
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
