import { readFile } from 'node:fs/promises';
import type { CatalogFile } from './catalog-file.js';
import { Database } from './database.js';
import { SCHEMA } from './schema.js';
import { seed } from './seed.js';

const CATALOG = new URL('../../data/catalog.json', import.meta.url);

/**
 * Opens a database in memory with the catalogue in it.
 *
 * @throws Error when the catalogue cannot be read.
 */
export async function openDatabase(): Promise<Database> {
  const catalog = JSON.parse(await readFile(CATALOG, 'utf8')) as CatalogFile;
  const database = new Database();
  database.execute(SCHEMA);
  seed(database, catalog);
  return database;
}
