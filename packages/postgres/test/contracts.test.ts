import { describe, jest } from '@jest/globals';
import { Client } from 'pg';
import { describeChangeBus } from '../../../tests/contract/backend/change-bus.js';
import { describeEventStore } from '../../../tests/contract/backend/event-store.js';
import { describeLimiter } from '../../../tests/contract/backend/limiter.js';
import { describeSessionStore } from '../../../tests/contract/backend/session-store.js';
import { describeStateStore } from '../../../tests/contract/backend/state-store.js';
import { describeTaskQueue } from '../../../tests/contract/backend/task-queue.js';
import { describeTaskStore } from '../../../tests/contract/backend/task-store.js';
import { noPostgres } from '../../../tests/e2e/postgres.js';
import { PostgresChangeBus } from '../src/postgres-change-bus.js';
import { type PostgresConnection } from '../src/postgres-connection.js';
import { PostgresEventStore } from '../src/postgres-event-store.js';
import { PostgresLimiter } from '../src/postgres-limiter.js';
import { PostgresSessionStore } from '../src/postgres-session-store.js';
import { PostgresStateStore } from '../src/postgres-state-store.js';
import { PostgresTaskQueue } from '../src/postgres-task-queue.js';
import { PostgresTaskStore } from '../src/postgres-task-store.js';
import { useDatabase } from './fixtures/database.js';

(noPostgres === undefined ? describe : describe.skip)('on PostgreSQL', () => {
  jest.setTimeout(30_000);
  const { server, connect, schema, closing } = useDatabase();

  /** Two of something, on connections of their own to tables that are empty. */
  const two = <T>(create: (connection: PostgresConnection) => T): readonly [T, T] => {
    const place = { schema: schema() };
    return [create(connect(place)), create(connect(place))];
  };

  describeSessionStore('PostgresSessionStore', (bounds) =>
    two((connection) => new PostgresSessionStore(connection, bounds)),
  );
  describeEventStore(
    'PostgresEventStore',
    ({ maxEventsPerStream = 1_000, maxBytesPerSession = 8_000_000, maxAgeMs = 60_000 } = {}) =>
      two((connection) => {
        const limits = { maxEventBytesPerSession: maxBytesPerSession, maxEventAgeMs: maxAgeMs };
        return new PostgresEventStore(connection, { maxEventsPerStream, ...limits });
      }),
  );
  describeStateStore(
    'PostgresStateStore',
    (bounds) => new PostgresStateStore(connect({ schema: schema() }), bounds),
  );
  describeTaskStore('PostgresTaskStore', (bounds = {}) => {
    const { maxLength, maxLengthPerOwner, ...limits } = bounds;
    return new PostgresTaskStore(connect({ schema: schema() }), {
      ...limits,
      ...(maxLength !== undefined && { maxTaskBytes: maxLength }),
      ...(maxLengthPerOwner !== undefined && { maxTaskBytesPerOwner: maxLengthPerOwner }),
    });
  });
  describeLimiter('PostgresLimiter', () => two((connection) => new PostgresLimiter(connection)));
  describeTaskQueue('PostgresTaskQueue', () =>
    two((connection) => closing(new PostgresTaskQueue(connection))),
  );
  describeChangeBus(
    'PostgresChangeBus',
    () => two((connection) => closing(new PostgresChangeBus(connection))),
    async () => {
      const client = new Client(server().url);
      await client.connect();
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' OR query = 'SELECT 1'`,
      );
      await client.end();
    },
  );
});
