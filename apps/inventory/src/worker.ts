import { durableObject, type DurableObjectClass, type ExecutionContext } from '@sigil/workers';
import { createInventory } from './create-inventory.js';
import catalog from './database/catalog.json' with { type: 'json' };
import { seed } from './database/seed.js';
import { type ObjectStorage, StorageDatabase } from './database/storage-database.js';

/** What a Durable Object is given, as far as it is used. */
export interface ObjectState extends ExecutionContext {
  readonly storage: ObjectStorage;
}

/** The bindings of `wrangler.toml`. */
export interface Env {
  /** The objects of the class below. */
  readonly SHOP: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
  /** By which name clients call the worker. */
  readonly HOST: string;
}

/** The shop, with its database: the one place for what clients change and subscribe to. */
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
  /** Has the one shop answer, wherever on earth a request comes in. */
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== '/mcp')
      return new Response('The endpoint is /mcp\n', { status: 404 });
    return env.SHOP.getByName('shop').fetch(request);
  },
};
