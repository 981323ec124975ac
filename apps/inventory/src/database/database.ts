/** The value of a column or of a placeholder. */
export type Value = string | number | null;

/**
 * An SQLite database that enforces foreign keys. It is synchronous: while a statement runs, no other code of the
 * process runs.
 */
export abstract class Database {
  /** Runs statements without placeholders, such as a schema. */
  abstract execute(sql: string): void;

  /**
   * Runs one statement.
   *
   * @param values the values for the placeholders `?` of the statement, in order.
   */
  abstract run(sql: string, ...values: Value[]): void;

  /** Returns all rows of a query. `R` is the type of a row. */
  abstract all<R>(sql: string, ...values: Value[]): R[];

  /** Returns the first row of a query; `undefined` if there are no rows. */
  first<R>(sql: string, ...values: Value[]): R | undefined {
    return this.all<R>(sql, ...values)[0];
  }

  /**
   * Runs a function in a transaction: if the function throws, its changes are undone.
   *
   * @returns the return value of the function.
   * @throws the error of the function, after its changes have been undone.
   */
  abstract transaction<T>(work: () => T): T;
}
