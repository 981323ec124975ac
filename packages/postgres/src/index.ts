// The backend, and its parts for those who take only some of them.
export { postgres, type PostgresOptions } from './postgres-backend.js';
export { migrate, type MigrationOptions, migrationSql } from './migrate.js';
export type { Address, PoolTemplate } from './address.js';
export { PostgresChangeBus } from './postgres-change-bus.js';
export { PostgresConnection, type PostgresConnectionOptions, type SqlValue } from './postgres-connection.js';
export { PostgresEventStore, type PostgresEventStoreOptions } from './postgres-event-store.js';
export { PostgresLimiter, type PostgresLimiterOptions } from './postgres-limiter.js';
export { PostgresSessionStore, type PostgresSessionStoreOptions } from './postgres-session-store.js';
export { PostgresStateStore, type PostgresStateStoreOptions } from './postgres-state-store.js';
export { PostgresTaskQueue } from './postgres-task-queue.js';
export { PostgresTaskStore, type PostgresTaskStoreOptions } from './postgres-task-store.js';
