/** What a column can hold and a placeholder can be given. */
export type Value = string | number | null;

/** An SQLite database in which what rows refer to must be there. Synchronous: nothing else runs while a statement does. */
export abstract class Database {
  /** Runs statements without placeholders, such as a schema. */
  abstract execute(sql: string): void;

  /**
   * Runs one statement.
   *
   * @param values for the `?` of the statement, in order.
   */
  abstract run(sql: string, ...values: Value[]): void;

  /** Every row a query finds. `R` says which columns it selects. */
  abstract all<R>(sql: string, ...values: Value[]): R[];

  /** The first row a query finds, if any. */
  first<R>(sql: string, ...values: Value[]): R | undefined {
    return this.all<R>(sql, ...values)[0];
  }

  /**
   * Does all of some work or none of it.
   *
   * @returns what the work returns.
   * @throws whatever the work throws, after its changes have been undone.
   */
  abstract transaction<T>(work: () => T): T;
}
