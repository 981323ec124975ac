import { type App, createApp } from '@sigil/core';
import { Database } from './database/database.js';
import { openDatabase } from './database/open-database.js';
import { ResourceUpdates } from './resource-updates.js';
import { Catalog } from './services/catalog.service.js';
import { Inventory } from './services/inventory.service.js';
import { Orders } from './services/orders.service.js';
import { Recommendations } from './services/recommendations.service.js';
import { StockWatch } from './services/stock-watch.service.js';
import { Translations } from './services/translations.service.js';

/**
 * Makes the inventory server with a fresh database of its own.
 *
 * @returns the app; closing it closes the database.
 * @throws Error when the catalogue cannot be read.
 */
export async function createInventory(): Promise<App> {
  const updates = new ResourceUpdates((uri) => app.notifyResourceUpdated(uri));
  const app: App = await createApp({
    name: 'inventory',
    title: 'Outdoor shop inventory',
    version: '1.0.0',
    instructions:
      'Stock, products and orders of an outdoor shop. Check stock before reserving it; prices are in euros. ' +
      'commerce://catalog/categories lists what there is, commerce://stock/low what runs out. ' +
      'Products and orders can be subscribed to.',
    services: [Inventory, Catalog, StockWatch, Orders, Recommendations, Translations],
    providers: [
      { provide: Database, useFactory: openDatabase },
      { provide: ResourceUpdates, useValue: updates },
    ],
  });
  return app;
}
