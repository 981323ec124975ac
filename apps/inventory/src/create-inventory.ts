import { type App, type AppOptions, createApp } from '@sigil/core';
import { Database } from './database/database.js';
import { openDatabase } from './database/open-database.js';
import { ResourceUpdates } from './resource-updates.js';

/**
 * Makes the inventory server.
 *
 * @param shared what it shares with other processes that serve it.
 * @param file where its database is kept; without one it has a fresh one in memory.
 * @returns the app; closing it closes the database.
 * @throws Error when the catalogue cannot be read.
 */
export async function createInventory(
  shared: Pick<AppOptions, 'backend' | 'state'> = {},
  file?: string,
): Promise<App> {
  const updates = new ResourceUpdates((uri) => app.notifyResourceUpdated(uri));
  const app: App = await createApp({
    name: 'inventory',
    title: 'Outdoor shop inventory',
    version: '1.0.0',
    instructions:
      'Stock, products and orders of an outdoor shop. Check stock before reserving it; prices are in euros. ' +
      'commerce://catalog/categories lists what there is, commerce://stock/low what runs out. ' +
      'Products and orders can be subscribed to.',
    discover: new URL('./services/*.service.js', import.meta.url),
    providers: [
      { provide: Database, useFactory: () => openDatabase(file) },
      { provide: ResourceUpdates, useValue: updates },
    ],
    ...shared,
  });
  return app;
}
