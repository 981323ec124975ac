// The parts of a backend, and their foundation:
//
// - `postgres-connection.ts` sends the statements of all parts (`statement-pool.ts`). It fails at once while PostgreSQL
//   is down, and reconnects. Before the first statement it creates the tables (`migrate.ts`); `sweeper.ts` deletes
//   expired rows.
// - Atomic operations are functions in the database (`migrations/`), so that each takes one statement. The database
//   counts the time.
// - `postgres-change-bus.ts` listens on its own connection (`listener.ts`).

import { createHash } from 'node:crypto';
import type { Backend, BackendFactory } from '@sigil/core/backend';
import { OptionChecks } from '@sigil/core/internal';
import { POSTGRES_LIMITS, type PostgresLimits, postgresLimits } from './limits.js';
import { PostgresChangeBus } from './postgres-change-bus.js';
import {
  checkConnection,
  CONNECTION_OPTIONS,
  PostgresConnection,
  type PostgresConnectionOptions,
} from './postgres-connection.js';
import { PostgresEventStore } from './postgres-event-store.js';
import { PostgresLimiter } from './postgres-limiter.js';
import { PostgresSessionStore } from './postgres-session-store.js';
import { PostgresStateStore } from './postgres-state-store.js';
import { PostgresTaskStore } from './postgres-task-store.js';

/** The location of PostgreSQL, and limits on the data that the backend stores. */
export interface PostgresOptions extends PostgresConnectionOptions, PostgresLimits {}

/**
 * Creates a backend in PostgreSQL 13 or later. All processes of an app that use the same
 * database share its sessions and tasks, so any process can serve any client.
 *
 * @param options the location of PostgreSQL, and limits.
 * @returns a factory for the backend. Several apps can share one database: their data is separated by the name of the
 *   app.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * const app = await createApp({
 *   name: 'shop',
 *   version: '1.0.0',
 *   services: [Shop],
 *   state: { keys: [process.env.STATE_KEY] },
 *   backend: postgres({ url: 'postgres://app@db.example/shop' }),
 * });
 * ```
 */
export function postgres(options: PostgresOptions): BackendFactory {
  checkOptions(options);
  return ({ name }) => makeBackend({ ...options, schema: options.schema ?? schemaOf(name) });
}

function makeBackend(options: PostgresOptions): Backend {
  const connection = new PostgresConnection(options);
  const limits = postgresLimits(options);
  const bus = new PostgresChangeBus(connection);
  return {
    name: 'postgres',
    sessions: new PostgresSessionStore(connection, limits),
    events: new PostgresEventStore(connection, limits),
    states: new PostgresStateStore(connection, limits),
    tasks: new PostgresTaskStore(connection, limits),
    bus,
    limiter: new PostgresLimiter(connection, limits),
    isBounded: true,
    watch: (watch) => connection.watch(watch, () => bus.reconnects),
    open: (logger) => connection.open(logger),
    check: () => connection.check(),
    close: async () => {
      await bus.close();
      await connection.close();
    },
  };
}

/** Matches names that look like the schema of another app, because they end in a hash. */
const TAKEN = /_[0-9a-f]{6}$/;

/**
 * Returns the default schema of an app. It consists of the characters of the app's name that are valid in a
 * schema name.
 */
function schemaOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 30);
  if (plain === name && !TAKEN.test(plain)) return `sigil_${plain}`;
  return `sigil_${plain}_${createHash('sha256').update(name).digest('hex').slice(0, 6)}`;
}

/** @throws DefinitionError with all faults in the options. */
function checkOptions(options: PostgresOptions): void {
  OptionChecks.requireObject('postgres', options);
  const checks = new OptionChecks('postgres');
  checks.known(options, { ...CONNECTION_OPTIONS, ...POSTGRES_LIMITS });
  checks.integers(OptionChecks.pick(options, POSTGRES_LIMITS));
  checkConnection(options, checks);
  checks.throwIfAny();
}
