// The parts of a backend, and what they stand on:
//
// - `postgres-connection.ts` sends the statements of all parts (`statement-pool.ts`). It fails at once while PostgreSQL is away, and comes
//   back by itself. Before the first statement it makes the tables (`migrate.ts`); `sweeper.ts` deletes what has expired.
// - What has to happen as one is a function in the database (`migrations/`), so that it takes one statement. The database counts the time.
// - `postgres-change-bus.ts` listens on a connection of its own (`listener.ts`).

import { createHash } from 'node:crypto';
import type { Backend, BackendFactory } from '@sigil/core/backend';
import { OptionChecks } from '@sigil/core/internal';
import { PostgresChangeBus } from './postgres-change-bus.js';
import {
  checkConnection,
  CONNECTION_OPTIONS,
  PostgresConnection,
  type PostgresConnectionOptions,
} from './postgres-connection.js';
import { EVENT_OPTIONS, PostgresEventStore, type PostgresEventStoreOptions } from './postgres-event-store.js';
import { LIMITER_OPTIONS, PostgresLimiter, type PostgresLimiterOptions } from './postgres-limiter.js';
import {
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
  SESSION_OPTIONS,
} from './postgres-session-store.js';
import { PostgresStateStore, type PostgresStateStoreOptions, STATE_OPTIONS } from './postgres-state-store.js';
import { PostgresTaskStore, type PostgresTaskStoreOptions, TASK_OPTIONS } from './postgres-task-store.js';

/** Where PostgreSQL is, and how much is kept in it. */
export interface PostgresOptions
  extends
    PostgresConnectionOptions,
    PostgresSessionStoreOptions,
    PostgresEventStoreOptions,
    PostgresStateStoreOptions,
    PostgresTaskStoreOptions,
    PostgresLimiterOptions {}

/**
 * Makes a backend of a PostgreSQL of version 13 or later: all processes that are given the same one serve each other's clients.
 *
 * @param options where PostgreSQL is, and limits.
 * @returns makes the backend of an app: what several apps keep in one database is kept apart by their names.
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
  return ({ name }) => makeBackend(options, schemaOf(name));
}

function makeBackend(options: PostgresOptions, schema: string): Backend {
  const connection = new PostgresConnection({ schema, ...OptionChecks.pick(options, CONNECTION_OPTIONS) });
  const bus = new PostgresChangeBus(connection);
  return {
    name: 'postgres',
    sessions: new PostgresSessionStore(connection, OptionChecks.pick(options, SESSION_OPTIONS)),
    events: new PostgresEventStore(connection, OptionChecks.pick(options, EVENT_OPTIONS)),
    states: new PostgresStateStore(connection, OptionChecks.pick(options, STATE_OPTIONS)),
    tasks: new PostgresTaskStore(connection, OptionChecks.pick(options, TASK_OPTIONS)),
    bus,
    limiter: new PostgresLimiter(connection, OptionChecks.pick(options, LIMITER_OPTIONS)),
    open: (logger) => connection.open(logger),
    check: () => connection.check(),
    close: async () => {
      await bus.close();
      await connection.close();
    },
  };
}

/** Names whose schema another app may have, with a hash. */
const TAKEN = /_[0-9a-f]{6}$/;

/** The schema of an app that says nothing of it: its name, as far as it can be one of a schema. */
function schemaOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 30);
  if (plain === name && !TAKEN.test(plain)) return `sigil_${plain}`;
  return `sigil_${plain}_${createHash('sha256').update(name).digest('hex').slice(0, 6)}`;
}

/** @throws DefinitionError with everything that is wrong. */
function checkOptions(options: PostgresOptions): void {
  OptionChecks.requireObject('postgres', options);
  const checks = new OptionChecks('postgres');
  const limits = {
    ...SESSION_OPTIONS,
    ...EVENT_OPTIONS,
    ...STATE_OPTIONS,
    ...TASK_OPTIONS,
    ...LIMITER_OPTIONS,
  };
  checks.known(options, { ...CONNECTION_OPTIONS, ...limits });
  checks.integers(OptionChecks.pick(options, limits));
  checkConnection(options, checks);
  checks.throwIfAny();
}
