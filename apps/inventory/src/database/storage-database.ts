import { Database, type Value } from './database.js';

/** The storage of a Durable Object whose class is one of `new_sqlite_classes`, as far as it is used. */
export interface ObjectStorage {
  readonly sql: {
    exec(query: string, ...values: Value[]): { toArray(): Record<string, unknown>[] };
  };
  transactionSync<T>(work: () => T): T;
}

/** The database of a Durable Object. It is kept as long as the object is, which outlives its processes. */
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
