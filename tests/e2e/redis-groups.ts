import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { until, wait } from '../contract/backend/waiting.js';
import { freePort } from './processes.js';
import { Redis } from './redis.js';

/** Sends one command to a server. */
export async function tell(server: Redis, ...command: readonly string[]): Promise<unknown> {
  const client = createClient({ url: server.url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}

/** A Redis Cluster of three masters, each with a third of the slots, and copies of some. */
export class RedisClusterServers {
  private constructor(
    readonly masters: readonly Redis[],
    /** Of the first masters. */
    readonly copies: readonly Redis[],
    private readonly folder: string,
  ) {}

  /** @param copies how many of the masters have one. */
  static async start(copies = 0): Promise<RedisClusterServers> {
    const folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'));
    const start = async (): Promise<Redis> => {
      const port = String(await freePort());
      const file = join(folder, `${port}.conf`);
      return Redis.start(
        ...['--cluster-enabled', 'yes', '--cluster-config-file', file, '--cluster-node-timeout', '2000'],
        ...['--cluster-replica-validity-factor', '0', '--cluster-port', port],
      );
    };
    const servers: Redis[] = [];
    while (servers.length < 3 + copies) servers.push(await start());
    const cluster = new RedisClusterServers(servers.slice(0, 3), servers.slice(3), folder);
    try {
      await cluster.#join();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The addresses of all nodes. */
  get nodes(): string[] {
    return [...this.masters, ...this.copies].map(({ url }) => url);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.masters, ...this.copies].map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }

  async #join(): Promise<void> {
    const all = [...this.masters, ...this.copies];
    const slots = ['0 5460', '5461 10922', '10923 16383'];
    for (const [at, master] of this.masters.entries())
      await tell(master, 'CLUSTER', 'ADDSLOTSRANGE', ...(slots[at]?.split(' ') ?? []));
    await until(async () => {
      const infos = await Promise.all(
        all.map(async (server) => String(await tell(server, 'CLUSTER', 'INFO'))),
      );
      const size = `cluster_known_nodes:${all.length}\r\n`;
      if (infos.every((info) => info.includes('cluster_state:ok') && info.includes(size))) return true;
      // Whom a busy machine keeps from answering is met again.
      for (const [at, info] of infos.entries()) {
        const [one, other] = [all[at], all[(at + 1) % all.length]];
        if (one && other && !info.includes(size))
          await tell(one, 'CLUSTER', 'MEET', '127.0.0.1', String(other.port), other.settings.at(-1) ?? '');
      }
      await wait(500);
      return false;
    });
    for (const [at, copy] of this.copies.entries()) {
      const master = this.masters[at];
      if (master) await tell(copy, 'CLUSTER', 'REPLICATE', String(await tell(master, 'CLUSTER', 'MYID')));
      await until(() => isCopied(copy));
    }
  }
}

/** Whether a server has all that its master has. */
export async function isCopied(copy: Redis): Promise<boolean> {
  try {
    return String(await tell(copy, 'INFO', 'replication')).includes('master_link_status:up');
  } catch {
    // A Sentinel ends the connections of a master that becomes a copy.
    return false;
  }
}

/** How much a server has written to its copies, or a copy has of its master. */
async function writtenBytes(server: Redis): Promise<number> {
  const info = String(await tell(server, 'INFO', 'replication'));
  return Number(/^master_repl_offset:(\d+)/m.exec(info)?.[1]);
}

/** A master, a copy of it, and a Sentinel that makes the copy the master when the other is gone for a second. */
export class RedisSentinelServers {
  private constructor(
    readonly master: Redis,
    readonly copy: Redis,
    readonly sentinel: Redis,
    private readonly folder: string,
  ) {}

  /** What the Sentinel calls the master. */
  readonly name = 'mymaster';

  static async start(): Promise<RedisSentinelServers> {
    const folder = await mkdtemp(join(tmpdir(), 'redis-sentinel-'));
    const master = await Redis.start('--repl-diskless-sync-delay', '0');
    const copy = await Redis.start('--replicaof', '127.0.0.1', String(master.port));
    const file = join(folder, 'sentinel.conf');
    const settings = [
      `monitor mymaster 127.0.0.1 ${master.port} 1`,
      'down-after-milliseconds mymaster 1000',
      'failover-timeout mymaster 5000',
    ];
    await writeFile(file, settings.map((setting) => `sentinel ${setting}\n`).join(''));
    const sentinel = await Redis.startSentinel(file);
    const servers = new RedisSentinelServers(master, copy, sentinel, folder);
    try {
      await until(() => isCopied(copy));
      // It hears of the copy from the master.
      await until(async () => String(await tell(sentinel, 'INFO', 'sentinel')).includes('slaves=1'));
    } catch (error) {
      await servers.stop();
      throw error;
    }
    return servers;
  }

  /** Kills the master once the copy has what it has, and waits until the Sentinel has made that the master. */
  async failOver(): Promise<void> {
    const written = await writtenBytes(this.master);
    await until(async () => (await writtenBytes(this.copy)) >= written);
    await this.master.stop();
    await until(async () => {
      const address = await tell(this.sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.name);
      return Array.isArray(address) && String(address[1]) === String(this.copy.port);
    }, 30_000);
  }

  async stop(): Promise<void> {
    await Promise.all([this.master, this.copy, this.sentinel].map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}
