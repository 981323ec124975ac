// Everything that outlives a request, on Redis.
export { redis, type RedisOptions } from './redis-backend.js';
