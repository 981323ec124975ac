import { Database, type Value } from './database.js';

/**
 * The part of a Durable Object's storage that this app uses. The object's class must be listed in `new_sqlite_classes`
 * of `wrangler.toml`.
 */
export interface ObjectStorage {
  readonly sql: {
    exec(query: string, ...values: Value[]): { toArray(): Record<string, unknown>[] };
  };
  transactionSync<T>(work: () => T): T;
}

/** The database of a Durable Object. It is persistent: it still exists after the process of the object has ended. */
export class StorageDatabase extends Database {
  constructor(private readonly storage: ObjectStorage) {
    super();
  }

  execute(sql: string): void {
    this.storage.sql.exec(sql);
  }

  run(sql: string, ...values: Value[]): void {
    this.storage.sql.exec(sql, ...values);
  }

  all<R>(sql: string, ...values: Value[]): R[] {
    return this.storage.sql.exec(sql, ...values).toArray() as R[];
  }

  transaction<T>(work: () => T): T {
    return this.storage.transactionSync(work);
  }
}
