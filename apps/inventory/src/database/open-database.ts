import { readFile } from 'node:fs/promises';
import type { CatalogFile } from './catalog-file.js';
import { Database } from './database.js';
import { SCHEMA } from './schema.js';
import { seed } from './seed.js';

const CATALOG = new URL('../../data/catalog.json', import.meta.url);

/**
 * Opens a database with the catalogue in it.
 *
 * @param file where it is kept, which processes may share; in memory without one. What is there already stays.
 * @throws Error when the catalogue cannot be read.
 */
export async function openDatabase(file?: string): Promise<Database> {
  const catalog = JSON.parse(await readFile(CATALOG, 'utf8')) as CatalogFile;
  const database = new Database(file);
  database.transaction(() => {
    if (database.first("SELECT 1 FROM sqlite_schema WHERE name = 'products'")) return;
    database.execute(SCHEMA);
    seed(database, catalog);
  });
  return database;
}
