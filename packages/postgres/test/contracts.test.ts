import { describe, jest } from '@jest/globals';
import { describeUsedStates } from '../../../tests/contract/backend/used-states.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { postgres } from '../src/index.js';
import { describeContracts } from './fixtures/contracts.js';
import { useDatabase } from './fixtures/database.js';

(noPostgres === undefined ? describe : describe.skip)('on PostgreSQL', () => {
  jest.setTimeout(30_000);
  const database = useDatabase();
  describeContracts(database);
  describeUsedStates('PostgreSQL', () => postgres({ url: database.server().url }));
});
