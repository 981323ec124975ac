import { noPgBouncer, type PoolMode, startPgBouncer } from './pgbouncer.js';
import { noPostgres, startPostgres } from './postgres.js';
import { RedisClusterServers, RedisSentinelServers } from './redis-groups.js';
import { noRedis, Redis } from './redis.js';

/** What processes share, as the guide has it: a server alone, several of them, or one behind a pooler. */
export type StoreName =
  | 'redis'
  | 'redis cluster'
  | 'redis sentinel'
  | 'postgres'
  | 'pgbouncer by session'
  | 'pgbouncer by transaction';

/** A store with its address. */
export interface Store {
  /** Where it is, in the variables that programs choose their backend by. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether what it keeps is on a disk. */
  readonly isDurable: boolean;
  /** Ends it, cutting its connections. */
  halt(): Promise<void>;
  /** Starts it again at its address, with what it keeps on disk. */
  restart(): Promise<void>;
  /** Makes it answer nothing, with its connections open, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Kills the server that takes writes, and waits until another one has its place; undefined where there is no other. */
  readonly failOver?: () => Promise<void>;
  /** Ends it, and removes what it kept. */
  stop(): Promise<void>;
}

/** A store of servers that keep nothing on disk. */
function ofRedis(
  servers: readonly Redis[],
  env: Store['env'],
  stop = async (): Promise<void> => undefined,
): Store {
  const all = async (act: (server: Redis) => unknown): Promise<void> =>
    void (await Promise.all(servers.map(act)));
  const resume = () => all((server) => server.resume());
  return {
    env,
    isDurable: false,
    halt: () => all((server) => server.stop()),
    restart: () => all((server) => server.restart()),
    pause: () => all((server) => server.pause()),
    resume,
    async stop() {
      await resume();
      await all((server) => server.stop());
      await stop();
    },
  };
}

async function redis(): Promise<Store> {
  const server = await Redis.start();
  return ofRedis([server], { BACKEND: server.url });
}

async function redisCluster(): Promise<Store> {
  const cluster = await RedisClusterServers.start();
  // The third is found.
  const REDIS_CLUSTER = cluster.nodes.slice(0, 2).join(',');
  return ofRedis(cluster.masters, { REDIS_CLUSTER }, () => cluster.stop());
}

async function redisSentinel(): Promise<Store> {
  const group = await RedisSentinelServers.start();
  const env = { REDIS_SENTINELS: group.sentinel.url, REDIS_MASTER: group.name };
  return {
    ...ofRedis([group.master, group.copy], env, () => group.stop()),
    failOver: () => group.failOver(),
  };
}

async function postgres(mode?: PoolMode): Promise<Store> {
  const { url, start: restart, stop, ...server } = await startPostgres();
  const pooler = mode && (await startPgBouncer(url, mode));
  // Where there is a way past it, it is the pooler that fails.
  const ending =
    mode === 'transaction' && pooler ? { halt: pooler.halt, restart: pooler.start } : { restart };
  return {
    ...server,
    ...ending,
    isDurable: true,
    env: { BACKEND: pooler?.url ?? url, ...(mode === 'transaction' && { LISTEN_URL: url }) },
    async stop() {
      await pooler?.stop();
      await stop();
    },
  };
}

/** How each is started, and why it cannot be here; undefined where it can. */
export const STORES: Readonly<
  Record<StoreName, { readonly start: () => Promise<Store>; readonly no: string | undefined }>
> = {
  redis: { start: redis, no: noRedis },
  'redis cluster': { start: redisCluster, no: noRedis },
  'redis sentinel': { start: redisSentinel, no: noRedis },
  postgres: { start: postgres, no: noPostgres },
  'pgbouncer by session': { start: () => postgres('session'), no: noPostgres ?? noPgBouncer },
  'pgbouncer by transaction': { start: () => postgres('transaction'), no: noPostgres ?? noPgBouncer },
};
