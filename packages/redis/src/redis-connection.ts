import { createHash } from 'node:crypto';
import { ErrorReply } from '@redis/client';
import type { Logger } from '@sigil/core';
import { type BackendWatch, OverloadedError, ReadOnlyError } from '@sigil/core/backend';
import { LogThrottle, type OptionChecks, type OptionTable } from '@sigil/core/internal';
import {
  type LinkClient,
  NodeClient,
  type RedisReply,
  WRONG_MODES,
  WrongServerError,
} from './redis-clients.js';
import { type LinkOptions, RedisLink } from './redis-link.js';
import { checkServers, RedisServers, type RedisServersOptions } from './redis-servers.js';

/** The location of Redis, and the settings of its connections. */
export interface RedisConnectionOptions extends RedisServersOptions {
  /**
   * The prefix of all keys and channels, so that several apps can share one Redis.
   * @default `sigil:` followed by the app's name
   */
  readonly prefix?: string;
  /**
   * Maximum time for a command, in milliseconds. A command that takes longer fails.
   * @default 2,000
   */
  readonly timeoutMs?: number;
}

/** A script that Redis runs atomically. */
export interface RedisScript {
  readonly lua: string;
  /** The SHA-1 hash of the script. With this hash, Redis finds a script that it has run before. */
  readonly sha: string;
}

/** The callbacks of a link. */
type LinkEvents = Pick<LinkOptions<LinkClient>, 'onReady' | 'onLost'>;

/** The names of all options of a connection. An option with any other name is reported as unknown. */
export const CONNECTION_OPTIONS: OptionTable<RedisConnectionOptions> = {
  url: true,
  client: true,
  cluster: true,
  sentinel: true,
  prefix: true,
  timeoutMs: true,
};

/** The permanent errors of Redis: a wrong password, a wrong database number, or a version that is too old. */
const REFUSED =
  /^(?:WRONGPASS|NOAUTH|NOPERM|NOPROTO|ERR (?:unknown command|AUTH|DB index|invalid DB|SELECT is not))/;

/**
 * Minimum time between log lines that Redis cannot be reached, in milliseconds, because the connection may come and go.
 */
const TOLD_EVERY_MS = 10_000;

const EVICTS =
  'Redis deletes keys, including sessions and tasks, when its memory is full: set its maxmemory-policy to noeviction';

const IS_COPY =
  'Redis is a replica and refuses writes, so it cannot store sessions and tasks: use the address of the master';

/**
 * The connection to Redis, which all parts of a backend share. It reconnects automatically. While there is no
 * connection, commands fail immediately.
 */
export class RedisConnection {
  /** The prefix of all keys and channels. */
  readonly prefix: string;
  /** How long a command may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly #servers: RedisServers;
  readonly #commands: RedisLink;
  /** Listens for changes of the master, if there are Sentinels. */
  readonly #sentinel: RedisLink<NodeClient> | undefined;
  readonly #links = new Set<RedisLink | RedisLink<NodeClient>>();
  readonly #onReady = new Set<() => Promise<void>>();
  #logger: Logger | undefined;
  readonly #told = new LogThrottle(TOLD_EVERY_MS);
  #isLost = false;
  #isOpening = false;
  /** The pending check of the server's settings. */
  #look: Promise<unknown> | undefined;

  /** @param options the location of Redis, validated by `checkConnection`. */
  constructor(options: RedisConnectionOptions) {
    const { prefix = 'sigil', timeoutMs = 2_000 } = options;
    this.prefix = prefix;
    this.timeoutMs = timeoutMs;
    this.#servers = new RedisServers(options, timeoutMs);
    this.#commands = this.link({ onReady: () => this.#found(), onLost: (error) => this.#lost(error) });
    if (!options.sentinel) return;
    const sentinel = this.#linked({
      create: () => this.#servers.sentinel(),
      onReady: () => void this.#followMaster(sentinel),
    });
    this.#sentinel = sentinel;
  }

  /**
   * Connects, and waits at most a second for the connection.
   *
   * @param logger the logger that reports when Redis becomes unreachable, and when it becomes reachable again.
   * @throws Error when Redis refuses the connection, for example because of a wrong password.
   */
  async open(logger?: Logger): Promise<void> {
    this.#logger = logger;
    this.#servers.warnOfParameters(logger);
    this.#isOpening = true;
    await this.#commands.open();
    const problem = this.#commands.problem ?? (await this.#look);
    this.#isOpening = false;
    if (!isRefusal(problem)) return;
    this.close();
    if (problem instanceof WrongServerError) throw problem;
    throw new Error(`Redis refuses the connection: ${problem.message}`, { cause: problem });
  }

  /**
   * Checks that Redis answers and accepts writes.
   *
   * @throws OverloadedError when the memory of Redis is full; ReadOnlyError when Redis is read-only; Error when Redis
   *   does not answer.
   */
  async check(): Promise<void> {
    await this.send('SET', `${this.prefix}:ready`, '1', 'PX', '1000').catch(rethrow);
  }

  /** Begins to report to telemetry how often connections were re-established. */
  watch(watch: BackendWatch): void {
    watch.addGauge({
      name: 'sigil.store.reconnects',
      description: 'Number of connections to a store that were re-established after a loss.',
      unit: '{connection}',
      isCounter: true,
      read: () => [{ value: this.#reconnects, attributes: { 'sigil.store.backend': 'redis' } }],
    });
  }

  get #reconnects(): number {
    return [...this.#links].reduce((sum, { reconnects }) => sum + reconnects, 0);
  }

  /** Ends all connections. */
  close(): void {
    for (const link of this.#links) link.close();
    this.#links.clear();
  }

  /** Runs a function each time the connection has been established. Errors of the function are ignored. */
  onReady(run: () => Promise<void>): void {
    this.#onReady.add(run);
  }

  /** Sends one command. */
  send(...command: readonly string[]): Promise<RedisReply> {
    return this.#commands.send(...command);
  }

  /**
   * Runs a script, in one round trip if Redis has run it before.
   *
   * @param keys the keys that the script uses, or only their common prefix. In a cluster, all these keys must be in the
   *   same hash slot.
   * @param link the connection to send the script on; by default the connection for all commands.
   * @throws OverloadedError when the memory of Redis is full; ReadOnlyError when Redis is read-only.
   */
  async run(
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
    link: RedisLink = this.#commands,
  ): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    const answer = link.send('EVALSHA', script.sha, ...rest).catch((error: unknown) => {
      if (error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))
        return link.send('EVAL', script.lua, ...rest);
      throw error;
    });
    return answer.catch(rethrow);
  }

  /** Creates another connection for commands. The method `close` of this object also ends the new connection. */
  link(told: LinkEvents = {}): RedisLink {
    return this.#linked({ ...told, create: () => this.#servers.commands() });
  }

  /**
   * Creates a connection that can subscribe to channels. The method `close` of this object also ends the new
   * connection.
   */
  listen(told: LinkEvents): RedisLink<NodeClient> {
    return this.#linked({ ...told, create: () => this.#servers.node() });
  }

  /** Logs an error that no call can report, because it occurred in the background. */
  report(error: unknown, message: string): void {
    this.#logger?.warn({ err: error }, message);
  }

  #linked<C extends LinkClient>(options: LinkEvents & Pick<LinkOptions<C>, 'create'>): RedisLink<C> {
    const link = new RedisLink<C>({ ...options, timeoutMs: this.timeoutMs });
    this.#links.add(link);
    return link;
  }

  #found(): void {
    if (this.#isLost) this.#logger?.info('Redis can be reached again');
    this.#isLost = false;
    if (this.#logger) this.#look ??= this.#lookAt(this.#logger);
    void this.#sentinel?.open();
    for (const run of this.#onReady) void run().catch(() => undefined);
  }

  /** Logs once if Redis may evict needed keys. @returns the fault of the server, if there is one. */
  async #lookAt(logger: Logger): Promise<unknown> {
    // If the user may not run this command, there is no warning.
    const info = String(await this.send('INFO').catch(() => ''));
    const value = (field: string): string | undefined => new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1];
    const policy = value('maxmemory_policy') ?? 'noeviction';
    if (policy !== 'noeviction') logger.warn({ policy }, EVICTS);
    if (value('slave_read_only') === '1') logger.warn(IS_COPY);
    // Valkey has a different name for this field.
    const mode = value('redis_mode') ?? value('server_mode') ?? '';
    const wrong = this.#servers.isCluster ? undefined : WRONG_MODES[mode];
    if (wrong === undefined) return undefined;
    const problem = new WrongServerError(wrong);
    if (!this.#isOpening) this.report(problem, 'Redis cannot be used');
    return problem;
  }

  /** Asks for the current master, and then switches to another one when a Sentinel announces it. */
  async #followMaster(sentinel: RedisLink<NodeClient>): Promise<void> {
    const follow = async (): Promise<void> => {
      const { host, port } = await this.#servers.master();
      for (const link of this.#links)
        link.renewIf((client) => {
          const place = client instanceof NodeClient ? client.place : undefined;
          return place !== undefined && (place.host !== host || place.port !== port);
        });
    };
    try {
      await sentinel.use((client) =>
        client.subscribe('+switch-master', () => void follow().catch(() => undefined)),
      );
      await follow();
    } catch (error) {
      this.report(error, 'the subscription to the Sentinels failed');
    }
  }

  #lost(error: unknown): void {
    // `open` throws this error, and no later attempt is made.
    if (this.#isOpening && isRefusal(error)) return this.close();
    if (this.#isLost || !this.#told.allows('lost')) return;
    this.#isLost = true;
    this.report(error, 'Redis cannot be reached; further attempts follow');
  }
}

/**
 * Creates a `RedisScript` from the Lua code of a script.
 *
 * @param lua the text of the script.
 * @returns the script and its hash.
 */
export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/** Adds the reason, if it is known, to an error from Redis about a refused write. */
function rethrow(error: unknown): never {
  if (error instanceof ErrorReply && /\bOOM\b/.test(error.message))
    throw new OverloadedError('The storage is full; try again later', { cause: error });
  if (error instanceof ErrorReply && /\bREADONLY\b/.test(error.message))
    throw new ReadOnlyError('Redis is read-only, because it is a replica', { cause: error });
  throw error;
}

function isRefusal(error: unknown): error is Error {
  return error instanceof WrongServerError || (error instanceof ErrorReply && REFUSED.test(error.message));
}

/** Reports options of a connection that are wrong. */
export function checkConnection(options: RedisConnectionOptions, checks: OptionChecks): void {
  const { prefix, timeoutMs } = options;
  checks.integer('timeoutMs', timeoutMs);
  if (prefix !== undefined && !(typeof prefix === 'string' && /^[^\s{}]+$/.test(prefix)))
    checks.refuse('prefix', 'it must be a string without spaces or braces');
  checkServers(options, checks);
}
