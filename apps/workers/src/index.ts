import { createApp } from '@sigil/core';
import { type Worker, worker } from '@sigil/workers';
import { Parcels, type Tariff, TARIFF } from './parcels.js';

/** The bindings of `wrangler.toml`. */
export interface Env {
  /** The tariff as JSON: for each zone, the price of a parcel and the price of each started kilogram, in cents. */
  readonly TARIFF: string;
  /** The host name that clients use for the worker. */
  readonly HOST: string;
}

const parcels: Worker<Env> = worker<Env>(
  (env) =>
    createApp({
      name: 'parcels',
      version: '1.0.0',
      services: [Parcels],
      // Called when the app is served: `sigil build` knows no bindings.
      providers: [{ provide: TARIFF, useFactory: () => JSON.parse(env.TARIFF) as Tariff }],
    }),
  (env) => ({ allowedHosts: [env.HOST] }),
);

export default parcels;
