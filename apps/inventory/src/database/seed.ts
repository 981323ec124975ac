import type { CatalogFile } from './catalog-file.js';
import type { Database } from './database.js';
import { SCHEMA } from './schema.js';

/**
 * Creates the tables and fills them with the catalogue, unless they already exist.
 *
 * @throws Error when the catalogue is inconsistent, for example if it has stock of an unknown product. The database is
 *   then unchanged.
 */
export function seed(database: Database, catalog: CatalogFile): void {
  database.transaction(() => {
    if (database.first("SELECT 1 FROM sqlite_schema WHERE name = 'products'")) return;
    database.execute(SCHEMA);
    fill(database, catalog);
  });
}

function fill(database: Database, { categories, warehouses, products, orders }: CatalogFile): void {
  for (const { id, name, description } of categories) {
    database.run('INSERT INTO categories VALUES (?, ?, ?)', id, name, description);
  }
  for (const { code, city, country } of warehouses) {
    database.run('INSERT INTO warehouses VALUES (?, ?, ?)', code, city, country);
  }
  for (const { sku, name, category, priceCents, weightGrams, description, stock } of products) {
    const values = [sku, name, category, priceCents, weightGrams, description];
    database.run('INSERT INTO products VALUES (?, ?, ?, ?, ?, ?)', ...values);
    for (const [code, quantity] of Object.entries(stock)) {
      database.run('INSERT INTO stock VALUES (?, ?, ?)', sku, code, quantity);
    }
  }
  for (const { orderId, customer, placedAt, status, items } of orders) {
    database.run('INSERT INTO orders VALUES (?, ?, ?, ?)', orderId, customer, placedAt, status);
    for (const { sku, quantity, unitPriceCents } of items) {
      database.run('INSERT INTO orderItems VALUES (?, ?, ?, ?)', orderId, sku, quantity, unitPriceCents);
    }
  }
}
