import type { RedisClientType } from '@redis/client';

/** How a link connects, and whom it tells. */
export interface LinkOptions {
  /** Makes a client that is not connected yet and does not reconnect. */
  readonly create: () => RedisClientType;
  /** How long an attempt to connect may take, and a command, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of every connection that is made. */
  readonly onReady?: () => void;
  /** Told of every attempt that failed, and of every connection that was lost. */
  readonly onLost?: (error: unknown) => void;
}

const MOST_BACK_OFF_MS = 1_000;

/**
 * One connection to Redis. What cannot be sent fails at once, and what is not answered in time fails then; the connection comes back by
 * itself, each time with a client of its own: what an earlier one left behind cannot reach it.
 */
export class RedisLink {
  readonly #options: LinkOptions;
  #client: RedisClientType | undefined;
  #opening: Promise<void> | undefined;
  #problem: unknown;
  #failures = 0;
  /** Of the attempt that is under way, or until the next one. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Ends the wait of `open`. */
  #opened = (): void => undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Why there is no connection, when there is none. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Whether there is a connection now. */
  get isReady(): boolean {
    return this.#client?.isReady === true;
  }

  /**
   * Begins to connect, once.
   *
   * @param waitMs how long it waits for the connection at most. It goes on trying after that.
   */
  open(waitMs = 1_000): Promise<void> {
    return (this.#opening ??= new Promise((resolve) => {
      const wait = setTimeout(resolve, waitMs);
      this.#opened = () => {
        clearTimeout(wait);
        resolve();
      };
      this.#connect();
    }));
  }

  /**
   * Runs a command on the connection; connects first when that has not begun.
   *
   * @throws Error when there is no connection, or no answer in time.
   */
  async use<T>(command: (client: RedisClientType) => Promise<T>): Promise<T> {
    await this.open();
    const client = this.#client;
    if (!client?.isReady) throw new Error('Redis cannot be reached', { cause: this.#problem });
    const { timeoutMs } = this.#options;
    const late = new Error(`Redis did not answer within ${timeoutMs} ms`);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(late);
        // It may be dead without a word, and what waits on it would pile up.
        this.#lose(client, late);
      }, timeoutMs);
    });
    try {
      return await Promise.race([command(client), timeout]);
    } catch (error) {
      if (client === this.#client || error === late) throw error;
      throw new Error('The connection to Redis was lost', { cause: this.#problem });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the connection, and what waits on it. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#opened();
    const client = this.#client;
    this.#client = undefined;
    client?.destroy();
  }

  #connect(): void {
    if (this.#closed) return;
    const client = this.#options.create();
    this.#client = client;
    const late = new Error(`Redis did not take a connection within ${this.#options.timeoutMs} ms`);
    this.#timer = setTimeout(() => this.#lose(client, late), this.#options.timeoutMs);
    client.on('error', (problem) => this.#lose(client, problem));
    // A client that is destroyed while it connects connects all the same.
    client.on('connect', () => client !== this.#client && client.destroy());
    client.on('ready', () => {
      if (client !== this.#client) return client.destroy();
      clearTimeout(this.#timer);
      this.#failures = 0;
      this.#problem = undefined;
      this.#opened();
      this.#options.onReady?.();
    });
    client.connect().catch((problem: unknown) => this.#lose(client, problem));
  }

  #lose(client: RedisClientType, problem: unknown): void {
    if (client !== this.#client || this.#closed) return;
    this.#client = undefined;
    this.#problem = problem;
    client.destroy();
    // Spread, so that processes that lost it together do not come back together.
    const backOffMs = Math.min(50 * 2 ** this.#failures++, MOST_BACK_OFF_MS) * (0.5 + Math.random() / 2);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), backOffMs);
    this.#options.onLost?.(problem);
  }
}
