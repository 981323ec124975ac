import {
  createClient,
  createCluster,
  ErrorReply,
  type RedisClientOptions,
  type RedisClientType,
  type RedisClusterOptions,
} from '@redis/client';
import { answered } from '@sigil/core/internal';

/** The reply from Redis to a script or a command. */
export type RedisReply = string | number | null | readonly RedisReply[];

/** A client of a `RedisLink`. It connects once; after a loss of the connection, the link creates a new client. */
export interface LinkClient {
  readonly isReady: boolean;
  /** Connects. @param onLost a function that is called when the connection is lost. */
  connect(onLost: (problem: unknown) => void): Promise<void>;
  send(command: readonly string[]): Promise<RedisReply>;
  /** Resolves to whether the server answers within `withinMs` milliseconds. The promise never rejects. */
  isAlive(withinMs: number): Promise<boolean>;
  destroy(): void;
}

/** The host and port of a Redis server. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Thrown if the server at an address is of another kind than the options say, for example a Sentinel at `url`. */
export class WrongServerError extends Error {}

/** The error message for each wrong kind of server, by the mode that the server reports. */
export const WRONG_MODES: Readonly<Record<string, string>> = {
  cluster: "Redis is a node of a cluster: write cluster: { nodes: ['redis://…'] } in place of url",
  sentinel:
    "The server is a Sentinel: write sentinel: { name: 'mymaster', nodes: ['redis://…'] } in place of url",
};

const makeCluster = (options: RedisClusterOptions) => createCluster(options);
type Cluster = ReturnType<typeof makeCluster>;

/** A client that is connected to one Redis server. */
export class NodeClient implements LinkClient {
  readonly #client: RedisClientType;
  #isEnded = false;

  /** @param place the host and port of the server; absent if `options` contain its address. */
  constructor(
    options: RedisClientOptions,
    readonly place?: Place,
  ) {
    this.#client = createClient(options) as RedisClientType;
  }

  get isReady(): boolean {
    return this.#client.isReady;
  }

  async connect(onLost: (problem: unknown) => void): Promise<void> {
    this.#client.on('error', onLost);
    // A client that is destroyed while it is connecting still connects.
    for (const event of ['connect', 'ready']) this.#client.on(event, () => this.#isEnded && this.destroy());
    await this.#client.connect();
  }

  async send(command: readonly string[]): Promise<RedisReply> {
    try {
      return await this.#client.sendCommand<RedisReply>(command);
    } catch (error) {
      if (!(error instanceof ErrorReply) || !error.message.startsWith('MOVED')) throw error;
      throw new WrongServerError(WRONG_MODES['cluster'], { cause: error });
    }
  }

  /** Subscribes to a channel. @param hear a function that receives the messages of the channel. */
  async subscribe(channel: string, hear: (text: string) => void): Promise<void> {
    await this.#client.subscribe(channel, hear);
  }

  isAlive(withinMs: number): Promise<boolean> {
    return answers(this.#client, withinMs);
  }

  destroy(): void {
    this.#isEnded = true;
    this.#client.destroy();
  }
}

/**
 * A client that is connected to the masters of a cluster. When the connection to a master is lost, the client asks the
 * cluster for the current masters, and connects to them. In the meantime, commands for the other masters still work.
 */
export class ClusterClient implements LinkClient {
  readonly #options: RedisClusterOptions;
  readonly #timeoutMs: number;
  #cluster: Cluster | undefined;
  #onLost = (_problem: unknown): void => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  /**
   * @param timeoutMs maximum time for connecting to the cluster and reading its list of masters, in milliseconds. After
   * a reconnection, commands on the earlier connections have the same time to finish.
   */
  constructor(options: RedisClusterOptions, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  get isReady(): boolean {
    return this.#cluster?.isReady === true;
  }

  async connect(onLost: (problem: unknown) => void): Promise<void> {
    this.#onLost = onLost;
    const before = this.#cluster;
    const cluster = makeCluster(this.#options);
    let problem: unknown;
    cluster.on('error', (error: unknown) => (problem = error));
    cluster.on('node-error', (error: unknown) => {
      problem = error;
      this.#askAnew(cluster);
    });
    try {
      await answered(this.#timeoutMs, cluster.connect(), 'The cluster did not report its masters');
    } catch (error) {
      cluster.destroy();
      if (problem instanceof ErrorReply && problem.message.includes('cluster support disabled'))
        throw new WrongServerError('Redis is not a cluster: use url instead of cluster', { cause: problem });
      throw problem ?? error;
    }
    if (this.#isEnded) return cluster.destroy();
    this.#cluster = cluster;
    // Commands in flight on the old client get time to end.
    if (before) setTimeout(() => before.destroy(), this.#timeoutMs).unref();
  }

  async send(command: readonly string[]): Promise<RedisReply> {
    // The keys of a script follow its text and the number of keys.
    const key = command[0]?.startsWith('EVAL') ? command[3] : command[1];
    try {
      return (await this.#cluster?.sendCommand<RedisReply>(key, false, [...command])) ?? null;
    } catch (error) {
      if (error instanceof ErrorReply) throw error;
      throw new Error('Redis cannot be reached', { cause: error });
    }
  }

  /** Whether at least one of the masters answers in time. */
  async isAlive(withinMs: number): Promise<boolean> {
    const cluster = this.#cluster;
    const used = cluster?.masters.flatMap(({ client }) => (client ? [client] : [])) ?? [];
    const alive = await Promise.all(used.map((client) => answers(client as RedisClientType, withinMs)));
    if (cluster && alive.includes(false)) this.#askAnew(cluster);
    return used.length === 0 || alive.includes(true);
  }

  destroy(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#cluster?.destroy();
  }

  #askAnew(cluster: Cluster): void {
    if (cluster !== this.#cluster || this.#isEnded || this.#timer) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.connect(this.#onLost).catch(this.#onLost);
      },
      500 + Math.random() * 500,
    );
  }
}

async function answers(client: RedisClientType, withinMs: number): Promise<boolean> {
  try {
    await answered(withinMs, client.ping(), 'Redis did not answer');
    return true;
  } catch (error) {
    return error instanceof ErrorReply;
  }
}
