import { RedisClient, type RedisClientOptions, type RedisClusterOptions } from '@redis/client';
import type { Logger } from '@sigil/core';
import { answered, type OptionChecks, warnOfParameters } from '@sigil/core/internal';
import { ClusterClient, type LinkClient, NodeClient, type Place, WrongServerError } from './redis-clients.js';

/** The location of Redis. */
export interface RedisServersOptions {
  /**
   * The address of Redis: `redis://[user[:password]@]host[:port][/database]`, `rediss://…` for TLS, or `unix://…`.
   * @default the address in `client`
   */
  readonly url?: string;
  /**
   * A client from `createClient()` of node-redis, instead of `url`. Only the options of the client are read, such as
   * the location and certificates; the client does not have to be connected. Its connection is not used, because stores
   * need other settings for reconnecting and timeouts. If `cluster` or `sentinel` is also set, the login and the other
   * options come from the client, but not the address.
   */
  readonly client?: RedisClientTemplate;
  /** A Redis Cluster, instead of `url`. */
  readonly cluster?: {
    /**
     * Addresses of some nodes of the cluster. The other nodes are found automatically. The user and password in the
     * first address apply to all nodes.
     */
    readonly nodes: readonly string[];
  };
  /** Redis with Sentinels, instead of `url`. The Sentinels report the address of the current master. */
  readonly sentinel?: {
    /** The name that the Sentinels use for the master, such as `mymaster`. */
    readonly name: string;
    /**
     * Addresses of Sentinels. The user and password in an address are for the Sentinel at this address. The login to
     * Redis comes from `client`.
     */
    readonly nodes: readonly string[];
  };
}

/** The part of a node-redis client that `@sigil/redis` reads: its options. */
export interface RedisClientTemplate {
  readonly options: Login;
}

/** The login of a client, and its server. */
type Login = {
  readonly [Option in 'socket' | 'username' | 'password' | 'credentialsProvider' | 'database' | 'name']?:
    RedisClientOptions[Option] | undefined;
};

/** Creates clients for the Redis server, cluster or Sentinels in the options. */
export class RedisServers {
  readonly #options: RedisServersOptions;
  readonly #timeoutMs: number;
  /** The node to ask next; among Sentinels, the one that answered last. */
  #turn = 0;

  /** @param timeoutMs maximum time for an attempt to connect, in milliseconds. */
  constructor(options: RedisServersOptions, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  get isCluster(): boolean {
    return this.#options.cluster !== undefined;
  }

  /** Logs a warning for each ignored parameter after the `?` of an address. */
  warnOfParameters(logger: Logger | undefined): void {
    const { url, cluster, sentinel } = this.#options;
    warnOfParameters(logger, 'redis({ url })', url, url?.startsWith('unix:') ? ['db'] : []);
    for (const node of cluster?.nodes ?? []) warnOfParameters(logger, 'redis({ cluster.nodes })', node, []);
    for (const node of sentinel?.nodes ?? []) warnOfParameters(logger, 'redis({ sentinel.nodes })', node, []);
  }

  /** Creates a client for commands: for the server, the master, or all masters of a cluster. */
  commands(): LinkClient | Promise<LinkClient> {
    const { cluster } = this.#options;
    if (!cluster) return this.node();
    const at = cluster.nodes.map((url) => socketOf(url));
    return new ClusterClient(
      {
        // A node that does not answer is skipped.
        rootNodes: at.map((socket) => ({ socket: { ...socket, socketTimeout: this.#timeoutMs } })),
        defaults: this.#clientOptions(this.#login()) as NonNullable<RedisClusterOptions['defaults']>,
        minimizeConnections: true,
        topologyRefreshOnReconnectionAttemptStrategy: false,
        commandOptions: { timeout: 0 },
      },
      this.#timeoutMs,
    );
  }

  /**
   * Creates a client for one server: the one at `url`, the master that the Sentinels report, or one node of the
   * cluster. One node is enough for subscriptions, because every node relays all messages.
   */
  async node(): Promise<NodeClient> {
    const { cluster, sentinel } = this.#options;
    if (sentinel) return this.#node(this.#login(), await this.master());
    return this.#node(this.#login(), cluster && socketOf(this.#next(cluster.nodes)));
  }

  /** Creates a client for the first Sentinel that answers. */
  async sentinel(): Promise<NodeClient> {
    await this.master();
    return this.#sentinel();
  }

  /**
   * Asks the Sentinels for the address of the master.
   *
   * @see https://redis.io/docs/latest/develop/reference/sentinel-clients/
   */
  async master(): Promise<Place> {
    const { name = '', nodes = [] } = this.#options.sentinel ?? {};
    let problem: unknown;
    for (let asked = 0; asked < nodes.length; asked += 1) {
      const sentinel = this.#sentinel();
      try {
        const connecting = sentinel.connect(() => undefined);
        const asking = connecting.then(() => sentinel.send(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]));
        const address = await answered(this.#timeoutMs, asking, 'A Sentinel did not answer');
        if (!Array.isArray(address)) throw new WrongServerError(`The Sentinels know no master '${name}'`);
        const [host = '', port] = address.map(String);
        return { host, port: Number(port) };
      } catch (error) {
        problem = error;
        this.#turn += 1;
      } finally {
        sentinel.destroy();
      }
    }
    throw problem;
  }

  /** How to log in to Redis. For a cluster, the login in the first address applies to all nodes. */
  #login(): Login {
    const { url, client, cluster } = this.#options;
    const login = client?.options ?? {};
    if (url !== undefined) return RedisClient.parseURL(url);
    return cluster && !client ? RedisClient.parseURL(cluster.nodes[0] ?? '') : login;
  }

  #sentinel(): NodeClient {
    const nodes = this.#options.sentinel?.nodes ?? [];
    return this.#node(RedisClient.parseURL(nodes[this.#turn % nodes.length] ?? ''));
  }

  #node(login: Login, place?: Place): NodeClient {
    return new NodeClient(this.#clientOptions(login, place), place);
  }

  /** The options of all clients: commands do not wait for a connection, and a lost connection is not reopened. */
  #clientOptions(login: Login, place?: Place): RedisClientOptions {
    const { socket, username, password, credentialsProvider, database, name } = login;
    return {
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(credentialsProvider !== undefined && { credentialsProvider }),
      ...(database !== undefined && { database }),
      ...(name !== undefined && { name }),
      socket: {
        ...socket,
        ...place,
        connectTimeout: this.#timeoutMs,
        reconnectStrategy: false,
      } as NonNullable<RedisClientOptions['socket']>,
      disableOfflineQueue: true,
      // Our own timeout also covers commands that have been sent.
      commandOptions: { timeout: 0 },
      maintNotifications: 'disabled',
    };
  }

  #next(nodes: readonly string[]): string {
    return nodes[this.#turn++ % nodes.length] ?? '';
  }
}

/** The location in an address. */
function socketOf(url: string): Place {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
}

const FIX = "write url: 'redis://127.0.0.1:6379'";

/** Reports options that do not contain exactly one valid location of Redis. */
export function checkServers(options: RedisServersOptions, checks: OptionChecks): void {
  const { url, client, cluster, sentinel } = options;
  if (client !== undefined && typeof client?.options !== 'object')
    checks.refuse('client', 'it must be a client from createClient() of @redis/client');
  const places = [url, cluster, sentinel].filter((place) => place !== undefined);
  if (places.length > 1 || (places.length === 0 && client === undefined) || (url && client))
    checks.refuse(
      'url',
      'set exactly one of url, cluster and sentinel, or client alone or with cluster or sentinel',
      FIX,
    );
  if (url !== undefined && !isAddress(url))
    checks.refuse('url', 'it must be the address of a Redis server', FIX);
  if (cluster !== undefined) checkNodes('cluster', checks.group('cluster', cluster, ['nodes']), checks);
  if (sentinel === undefined) return;
  const group = checks.group('sentinel', sentinel, ['name', 'nodes']);
  checkNodes('sentinel', group, checks);
  if (typeof group['name'] !== 'string' || group['name'] === '')
    checks.refuse(
      'sentinel.name',
      'it must be the name that the Sentinels use for the master',
      "use the name from the Sentinels' configuration, for example 'mymaster'",
    );
}

function checkNodes(group: string, { nodes }: Readonly<Record<string, unknown>>, checks: OptionChecks): void {
  const isNode = (node: unknown): boolean => isAddress(node) && /^rediss?:\/\/[^/]+\/?$/.test(String(node));
  if (Array.isArray(nodes) && nodes.length > 0 && nodes.every(isNode)) return;
  const fix = "write ['redis://127.0.0.1:6379']";
  checks.refuse(`${group}.nodes`, 'it must be a list of addresses of nodes, without a database number', fix);
}

function isAddress(url: unknown): boolean {
  try {
    return typeof url === 'string' && Boolean(RedisClient.parseURL(url));
  } catch {
    return false;
  }
}
