import { durableObject, type DurableObjectClass, type ExecutionContext } from '@sigil/workers';
import { createInventory } from './create-inventory.js';
import catalog from './database/catalog.json' with { type: 'json' };
import { seed } from './database/seed.js';
import { type ObjectStorage, StorageDatabase } from './database/storage-database.js';

/** The part of a Durable Object's state that this app uses. */
export interface ObjectState extends ExecutionContext {
  readonly storage: ObjectStorage;
}

/** The bindings of `wrangler.toml`. */
export interface Env {
  /** The namespace of the Durable Object class `Shop`. */
  readonly SHOP: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
  /** The host name that clients use for the worker. */
  readonly HOST: string;
}

/**
 * The Durable Object of the shop, with its database. All clients use the same object, so they share its data and
 * subscriptions.
 */
export const Shop: DurableObjectClass<Env, ObjectState> = durableObject<Env, ObjectState>(
  ({ storage }) =>
    createInventory(() => {
      const database = new StorageDatabase(storage);
      seed(database, catalog);
      return database;
    }),
  (env) => ({ allowedHosts: [env.HOST] }),
);

export default {
  /** Sends each request to the only `Shop` object, from every location. */
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== '/mcp')
      return new Response('The endpoint is /mcp\n', { status: 404 });
    return env.SHOP.getByName('shop').fetch(request);
  },
};
