import { ErrorReply } from '@redis/client';
import { answered, LateError } from '@sigil/core/internal';
import type { LinkClient, RedisReply } from './redis-clients.js';

/** The options of a link, with its callbacks. */
export interface LinkOptions<C extends LinkClient> {
  /** Creates a client that is not connected yet. */
  readonly create: () => C | Promise<C>;
  /** Maximum time for an attempt to connect, and for a command, in milliseconds. */
  readonly timeoutMs: number;
  /** Called for every new connection. */
  readonly onReady?: () => void;
  /** Called for every attempt to connect that fails, and for every connection that is lost. */
  readonly onLost?: (error: unknown) => void;
}

/** How long `open` waits for the connection, in milliseconds. */
const OPEN_MS = 1_000;
const MOST_BACK_OFF_MS = 1_000;
/**
 * How often the link checks whether the connection still answers, in milliseconds. A connection that only listens would
 * not notice a loss.
 */
const LOOK_MS = 5_000;

/**
 * One connection to Redis. A command that cannot be sent fails immediately. If a command is not answered within
 * `timeoutMs`, only this command fails. If Redis then answers nothing for another `timeoutMs`, the connection counts as
 * lost. The link reconnects automatically, each time with a new client. So an answer on a lost connection is never
 * mistaken for the answer to a later command.
 */
export class RedisLink<C extends LinkClient = LinkClient> {
  #client: C | undefined;
  #opening: Promise<void> | undefined;
  #problem: unknown;
  #failures = 0;
  /** When the connection was made. */
  #readyAt = 0;
  /** Runs until the next attempt or the next check. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #reconnects = 0;
  /** Ends the wait of `open`. */
  #opened = (): void => undefined;
  /** How many commands Redis has answered. */
  #answers = 0;
  /** The client that is being checked. */
  #asked: C | undefined;

  constructor(private readonly options: LinkOptions<C>) {}

  /** The reason why there is no connection; `undefined` if there is one. */
  get problem(): unknown {
    return this.#problem;
  }

  /** How many times the link has reconnected after a loss. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /**
   * Begins to connect at the first call. It waits at most one second for the connection. If the attempt fails, the link
   * retries in the background.
   */
  open(): Promise<void> {
    return (this.#opening ??= new Promise((resolve) => {
      const wait = setTimeout(resolve, OPEN_MS);
      this.#opened = () => {
        clearTimeout(wait);
        resolve();
      };
      void this.#connect();
    }));
  }

  /** Sends one command. */
  send(...command: readonly string[]): Promise<RedisReply> {
    return this.use((client) => client.send(command));
  }

  /**
   * Runs a command on the connection. If the link has not begun to connect, it does so first.
   *
   * @throws Error if the link is not connected, or if Redis does not answer in time.
   */
  async use<T>(command: (client: C) => Promise<T>): Promise<T> {
    await this.open();
    const client = this.#client;
    if (!client?.isReady) throw new Error('Redis cannot be reached', { cause: this.#problem });
    const { timeoutMs } = this.options;
    try {
      const answer = await answered(timeoutMs, command(client), 'Redis did not answer');
      this.#answers += 1;
      return answer;
    } catch (error) {
      if (error instanceof ErrorReply) this.#refused(client, error);
      else if (error instanceof LateError) void this.#ask(client, timeoutMs);
      else if (client !== this.#client)
        throw new Error('The connection to Redis was lost', { cause: this.#problem });
      throw error;
    }
  }

  /**
   * Closes the current connection and opens a new one, if `isLeft` returns `true` for the client of the current
   * connection.
   */
  renewIf(isLeft: (client: C) => boolean): void {
    const client = this.#client;
    if (client && isLeft(client)) this.#lose(client, new Error('Another Redis is the master'));
  }

  /** Ends the connection, and fails its pending commands. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#opened();
    const client = this.#client;
    this.#client = undefined;
    client?.destroy();
  }

  async #connect(): Promise<void> {
    let client: C | undefined;
    const { create, timeoutMs, onReady } = this.options;
    try {
      const made = await create();
      if (this.#closed) return;
      this.#client = client = made;
      const connecting = made.connect((problem) => this.#lose(made, problem));
      await answered(timeoutMs, connecting, 'Redis did not accept a connection');
    } catch (problem) {
      return client ? this.#lose(client, problem) : this.#retry(problem);
    }
    if (client !== this.#client) return;
    const looking = client;
    this.#timer = setInterval(() => void this.#ask(looking, 2 * timeoutMs), LOOK_MS).unref();
    this.#failures = 0;
    if (this.#readyAt > 0) this.#reconnects += 1;
    this.#readyAt = performance.now();
    this.#problem = undefined;
    this.#opened();
    onReady?.();
  }

  /** Checks whether a connection answers. A silent connection is broken, and commands on it would pile up. */
  async #ask(client: C, withinMs: number): Promise<void> {
    if (this.#asked === client) return;
    this.#asked = client;
    const before = this.#answers;
    const isAlive = await client.isAlive(withinMs);
    this.#asked = undefined;
    if (isAlive || this.#answers > before) return;
    this.#lose(client, new Error(`Redis has answered nothing for ${withinMs} ms`));
  }

  /**
   * Handles a refusal. A master that became a replica keeps its connections, but its address may lead to another master
   * by now.
   */
  #refused(client: C, error: ErrorReply): void {
    this.#answers += 1;
    if (/\bREADONLY\b/.test(error.message) && performance.now() - this.#readyAt > LOOK_MS)
      this.#lose(client, error);
  }

  #lose(client: C, problem: unknown): void {
    if (client !== this.#client || this.#closed) return;
    this.#client = undefined;
    clearInterval(this.#timer);
    client.destroy();
    this.#retry(problem);
  }

  #retry(problem: unknown): void {
    if (this.#closed) return;
    this.#problem = problem;
    // The delay is random, so that processes that lost the connection together do not reconnect together.
    const backOffMs = Math.min(50 * 2 ** this.#failures++, MOST_BACK_OFF_MS) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => void this.#connect(), backOffMs);
    this.options.onLost?.(problem);
  }
}
