import { type App, type AppOptions, createApp, type MaybePromise } from '@sigil/core';
import { Database } from './database/database.js';
import { ResourceUpdates } from './resource-updates.js';

/**
 * Creates the inventory server.
 *
 * @param openDatabase a function that opens a database with the catalogue.
 * @param more further options of `createApp`, such as `backend`.
 * @returns the app; closing it closes the database.
 * @throws whatever `openDatabase` throws.
 */
export async function createInventory(
  openDatabase: () => MaybePromise<Database>,
  more: Partial<AppOptions> = {},
): Promise<App> {
  const updates = new ResourceUpdates((uri) => app.notifyResourceUpdated(uri));
  const app: App = await createApp({
    name: 'inventory',
    title: 'Outdoor shop inventory',
    version: '1.0.0',
    instructions:
      'Stock, products and orders of an outdoor shop. Check stock before reserving it; prices are in euros. ' +
      'commerce://catalog/categories lists the categories, and commerce://stock/low lists the products that are ' +
      'running out. Clients can subscribe to products and orders.',
    discover: new URL('./services/*.service.js', import.meta.url),
    providers: [
      { provide: Database, useFactory: openDatabase },
      { provide: ResourceUpdates, useValue: updates },
    ],
    ...more,
  });
  return app;
}
