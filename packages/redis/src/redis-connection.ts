import { createHash } from 'node:crypto';
import {
  createClient,
  ErrorReply,
  RedisClient,
  type RedisClientOptions,
  type RedisClientType,
} from '@redis/client';
import type { Logger } from '@sigil/core';
import { OverloadedError } from '@sigil/core/backend';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { RedisLink } from './redis-link.js';

/** Where Redis is, and how it is spoken to. */
export interface RedisConnectionOptions {
  /**
   * Its address: `redis://[user[:password]@]host[:port][/database]`, `rediss://…` for TLS, or `unix://…`.
   * @default that of `client`
   */
  readonly url?: string;
  /**
   * A client that `createClient()` of node-redis made, connected or not, in place of an address: its options say where Redis is, such as
   * with certificates. It is left alone, as what makes a client reconnect or wait is not what stores need.
   */
  readonly client?: RedisClientTemplate;
  /**
   * What the names of all keys and channels begin with, so that several apps can share one Redis.
   * @default 'sigil:' and the name of the app, or else 'sigil'
   */
  readonly prefix?: string;
  /**
   * How long a command may take, in milliseconds. It fails after that.
   * @default 2,000
   */
  readonly timeoutMs?: number;
}

/** What is taken of a client of node-redis. */
export interface RedisClientTemplate {
  readonly options: Pick<
    RedisClientOptions,
    'socket' | 'username' | 'password' | 'credentialsProvider' | 'database' | 'name'
  >;
}

/** A script that Redis runs as one: nothing else happens in between. */
export interface RedisScript {
  readonly lua: string;
  /** Names it to a Redis that has run it before. */
  readonly sha: string;
}

/** What Redis answers to a script or a command. */
export type RedisReply = string | number | null | readonly RedisReply[];

/** The names of the options. */
export const CONNECTION_OPTIONS: OptionTable<RedisConnectionOptions> = {
  url: true,
  client: true,
  prefix: true,
  timeoutMs: true,
};

/** How Redis refuses what no later attempt will make right: a password, the number of a database, or being too old. */
const REFUSED =
  /^(?:WRONGPASS|NOAUTH|NOPERM|NOPROTO|ERR (?:unknown command|AUTH|DB index|invalid DB|SELECT is not))/;

const EVICTS =
  'Redis deletes keys when its memory is full, sessions and tasks among them: set its maxmemory-policy to noeviction';

/**
 * Speaks to one Redis for all parts of a backend. It connects by itself and comes back by itself; while there is no connection, commands
 * fail at once.
 *
 * @example
 * ```ts
 * const connection = new RedisConnection({ url: 'redis://127.0.0.1:6379' });
 * const store = new RedisStateStore(connection);
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { keys: [key], store } });
 * // … and when the app has been closed:
 * connection.close();
 * ```
 */
export class RedisConnection {
  /** What the names of all keys and channels begin with. */
  readonly prefix: string;
  /** How long a command may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly #template: RedisClientType;
  readonly #commands: RedisLink;
  readonly #links = new Set<RedisLink>();
  #logger: Logger | undefined;
  #isLost = false;
  #isOpening = false;
  #hasAskedPolicy = false;

  /**
   * @param options where Redis is.
   * @throws DefinitionError when an option is wrong.
   */
  constructor(options: RedisConnectionOptions) {
    OptionChecks.requireObject('RedisConnection', options);
    const checks = new OptionChecks('RedisConnection');
    checks.known(options, CONNECTION_OPTIONS);
    checkConnection(options, checks);
    checks.throwIfAny();
    const { url, client, prefix = 'sigil', timeoutMs = 2_000 } = options;
    this.prefix = prefix;
    this.timeoutMs = timeoutMs;
    this.#template = templateOf(url === undefined ? { ...client?.options } : { url }, timeoutMs);
    this.#commands = this.link({ onReady: () => this.#found(), onLost: (error) => this.#lost(error) });
  }

  /**
   * Connects, and waits for that a second at most.
   *
   * @param logger where it reports that Redis cannot be reached, and that it can again.
   * @throws Error when Redis refuses the connection, such as for a wrong password.
   */
  async open(logger?: Logger): Promise<void> {
    this.#logger = logger;
    this.#isOpening = true;
    await this.#commands.open();
    this.#isOpening = false;
    const { problem } = this.#commands;
    if (!isRefusal(problem)) return;
    this.close();
    throw new Error(`Redis refuses the connection: ${problem.message}`, { cause: problem });
  }

  /**
   * Asks Redis whether it answers.
   *
   * @throws Error when it does not.
   */
  async check(): Promise<void> {
    // Written, not only asked: one that is full, or a copy of another one, serves no sessions.
    await this.send('SET', `${this.prefix}:ready`, '1', 'PX', '1000');
  }

  /** Tells the time by the clock of Redis, in milliseconds since 1970. */
  async now(): Promise<number> {
    const [seconds, microseconds] = (await this.send('TIME')) as readonly [string, string];
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  /** Ends all connections. */
  close(): void {
    for (const link of this.#links) link.close();
    this.#links.clear();
  }

  /** Whether commands can be sent now. */
  get isReady(): boolean {
    return this.#commands.isReady;
  }

  /** Sends one command. */
  send(...command: readonly string[]): Promise<RedisReply> {
    return this.use((client) => client.sendCommand(command));
  }

  /**
   * Runs a script, in one round trip when Redis has run it before.
   *
   * @param keys all of one cluster slot, or what the script makes its keys of.
   * @throws OverloadedError when Redis has no memory left.
   */
  async run(
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    try {
      return await this.send('EVALSHA', script.sha, ...rest).catch((error: unknown) => {
        if (error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))
          return this.send('EVAL', script.lua, ...rest);
        throw error;
      });
    } catch (error) {
      if (error instanceof ErrorReply && /\bOOM\b/.test(error.message))
        throw new OverloadedError('There is no room left; try again later', { cause: error });
      throw error;
    }
  }

  /** Runs a command of a client; the client may be another one the next time. */
  use<T>(command: (client: RedisClientType) => Promise<T>): Promise<T> {
    return this.#commands.use(command);
  }

  /** A further connection of its own, that is ended with this one. */
  link(told: { readonly onReady?: () => void; readonly onLost?: (error: unknown) => void } = {}): RedisLink {
    const create = () => this.#template.duplicate();
    const link = new RedisLink({ ...told, create, timeoutMs: this.timeoutMs });
    this.#links.add(link);
    return link;
  }

  /** A client that is not connected yet, for what makes and ends connections itself. */
  client(options: RedisClientOptions): RedisClientType {
    const { socket } = this.#template.options;
    return this.#template.duplicate({ ...options, socket: { ...socket, ...options.socket } } as object);
  }

  /** Reports what goes wrong between requests. */
  report(error: unknown, message: string): void {
    this.#logger?.warn({ err: error }, message);
  }

  #found(): void {
    if (this.#isLost) this.#logger?.info('Redis can be reached again');
    this.#isLost = false;
    if (this.#logger && !this.#hasAskedPolicy) void this.#askPolicy(this.#logger);
  }

  /** Says once when Redis may delete what is needed still. */
  async #askPolicy(logger: Logger): Promise<void> {
    this.#hasAskedPolicy = true;
    // One who may not ask is not told.
    const memory = await this.send('INFO', 'memory').catch(() => '');
    const policy = /^maxmemory_policy:(\S+)/m.exec(String(memory))?.[1] ?? 'noeviction';
    if (policy === 'noeviction') return;
    logger.warn({ policy }, EVICTS);
  }

  #lost(error: unknown): void {
    // It is thrown by `open`, and no later attempt is made.
    if (this.#isOpening && isRefusal(error)) return this.close();
    if (!this.#isLost) this.report(error, 'Redis cannot be reached; it is tried again until it can');
    this.#isLost = true;
  }
}

/**
 * Makes a script.
 *
 * @param lua its text.
 * @returns the script, with its name.
 */
export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

function isRefusal(error: unknown): error is ErrorReply {
  return error instanceof ErrorReply && REFUSED.test(error.message);
}

/** Refuses options of a connection that are wrong. */
export function checkConnection(options: RedisConnectionOptions, checks: OptionChecks): void {
  const { url, client, prefix, timeoutMs } = options;
  checks.integer('timeoutMs', timeoutMs);
  if (prefix !== undefined && !(typeof prefix === 'string' && /^[^\s{}]+$/.test(prefix)))
    checks.refuse('prefix', 'it must be a text without spaces and braces');
  if (client !== undefined && typeof client?.options !== 'object')
    checks.refuse('client', 'it must be a client that createClient() of @redis/client made');
  if ((url === undefined) === (client === undefined))
    checks.refuse(
      'url',
      'there must be either an address or a client',
      "write url: 'redis://127.0.0.1:6379'",
    );
  else if (url !== undefined && !isAddress(url))
    checks.refuse('url', 'it must be the address of a Redis', "write url: 'redis://127.0.0.1:6379'");
}

function isAddress(url: unknown): boolean {
  try {
    return typeof url === 'string' && Boolean(RedisClient.parseURL(url));
  } catch {
    return false;
  }
}

/** What all clients are made of: nothing waits while there is no connection, and a connection that is lost is not made again. */
function templateOf(options: RedisClientOptions, timeoutMs: number): RedisClientType {
  const { url, socket, username, password, credentialsProvider, database, name } = options;
  return createClient({
    ...(url !== undefined && { url }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(credentialsProvider !== undefined && { credentialsProvider }),
    ...(database !== undefined && { database }),
    ...(name !== undefined && { name }),
    socket: {
      // Node asks every second then: a connection that is dead without a word is found after 15 s, also one that only listens.
      keepAliveInitialDelay: 5_000,
      ...socket,
      connectTimeout: timeoutMs,
      reconnectStrategy: false,
    } as NonNullable<RedisClientOptions['socket']>,
    disableOfflineQueue: true,
    // Ours counts also what has been sent.
    commandOptions: { timeout: 0 },
    maintNotifications: 'disabled',
  });
}
