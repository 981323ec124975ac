// Everything that outlives a request, in PostgreSQL.
export { postgres, type PostgresOptions } from './postgres-backend.js';
export { migrate, type MigrationOptions, migrationSql } from './migrate.js';
