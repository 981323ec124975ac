import { describe, expect, jest, test } from '@jest/globals';
import { noPgBouncer, type PoolMode } from '../../../tests/e2e/pgbouncer.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { describeContracts } from './fixtures/contracts.js';
import { useDatabase } from './fixtures/database.js';

const missing = noPostgres ?? noPgBouncer;
const modes: readonly PoolMode[] = ['session', 'transaction'];

describe.each(modes)('through a PgBouncer that pools by %s', (mode) => {
  (missing === undefined ? describe : describe.skip)(missing ?? 'all parts work', () => {
    jest.setTimeout(30_000);
    const database = useDatabase(mode);
    const withoutListenUrl: object = { listenUrl: undefined };
    describeContracts(database);

    test('and tables are made by many at once, where no address goes past it', async () => {
      const place = { ...withoutListenUrl, schema: database.schema() };
      const connections = Array.from({ length: 6 }, () => database.connect(place));
      await Promise.all(connections.map((connection) => connection.check()));
    });

    test(`and a backend ${mode === 'session' ? 'is opened' : 'refuses to be opened'} where no address goes past it`, async () => {
      const opening = database.connect({ ...withoutListenUrl, schema: database.schema() }).open();
      if (mode === 'session') await opening;
      else
        await expect(opening).rejects.toThrow(
          /^LISTEN does not work through a pooler in transaction mode: set postgres\({ listenUrl/,
        );
    });
  });
});
