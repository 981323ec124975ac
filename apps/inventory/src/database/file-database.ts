import { readFile } from 'node:fs/promises';
import sqlite from 'node-sqlite3-wasm';
import type { CatalogFile } from './catalog-file.js';
import { Database, type Value } from './database.js';
import { seed } from './seed.js';

const CATALOG = new URL('./catalog.json', import.meta.url);

/** A database in a file, or in memory. */
export class FileDatabase extends Database {
  readonly #connection: sqlite.Database;

  /** @param file the path of the database file; without it, the database is in memory. */
  constructor(file = ':memory:') {
    super();
    this.#connection = new sqlite.Database(file);
    // Other processes may write to the same file.
    this.#connection.exec('PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON');
  }

  /**
   * Opens a database with the catalogue. An existing database keeps its data.
   *
   * @param file the path of the database file, which several processes can share; without it, the database is in
   *   memory.
   * @throws Error when the catalogue cannot be read.
   */
  static async open(file?: string): Promise<FileDatabase> {
    const catalog = JSON.parse(await readFile(CATALOG, 'utf8')) as CatalogFile;
    const database = new FileDatabase(file);
    seed(database, catalog);
    return database;
  }

  execute(sql: string): void {
    this.#connection.exec(sql);
  }

  run(sql: string, ...values: Value[]): void {
    this.#connection.run(sql, values);
  }

  all<R>(sql: string, ...values: Value[]): R[] {
    return this.#connection.all(sql, values) as unknown as R[];
  }

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
