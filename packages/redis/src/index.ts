// Everything that outlives a request, on Redis.
export { redis, type RedisOptions } from './redis-backend.js';
export { RedisChangeBus } from './redis-change-bus.js';
export {
  type RedisClientTemplate,
  RedisConnection,
  type RedisConnectionOptions,
  type RedisReply,
  type RedisScript,
} from './redis-connection.js';
export { RedisEventStore, type RedisEventStoreOptions } from './redis-event-store.js';
export { RedisLimiter } from './redis-limiter.js';
export { RedisSessionStore, type RedisSessionStoreOptions } from './redis-session-store.js';
export { RedisStateStore, type RedisStateStoreOptions } from './redis-state-store.js';
export { RedisTaskQueue } from './redis-task-queue.js';
export { RedisTaskStore, type RedisTaskStoreOptions } from './redis-task-store.js';
