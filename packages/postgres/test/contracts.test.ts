import { describe, jest } from '@jest/globals';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { describeContracts } from './fixtures/contracts.js';
import { useDatabase } from './fixtures/database.js';

(noPostgres === undefined ? describe : describe.skip)('on PostgreSQL', () => {
  jest.setTimeout(30_000);
  describeContracts(useDatabase());
});
