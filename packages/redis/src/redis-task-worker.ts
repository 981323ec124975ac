import { setTimeout as pause } from 'node:timers/promises';
import type { RedisClientOptions, RedisClientType } from '@redis/client';
import type { QueuedTask, TaskWorker, TaskWorkerOptions } from '@sigil/core/backend';
import type * as Bullmq from 'bullmq';
import { countByRedis } from './bullmq-clock.js';
import { withInfo } from './bullmq-info.js';
import type { RedisConnection } from './redis-connection.js';

/** What a worker needs of its queue. */
export interface WorkerParts {
  readonly bullmq: typeof Bullmq;
  readonly connection: RedisConnection;
  readonly queue: string;
  readonly prefix: string;
}

/** How long it waits for a job before it looks by itself, in seconds: the word that there is one is lost with a process that took it. */
const BLOCK_S = 1;

/** As BullMQ needs it: a client reconnects by itself, and commands wait for that. */
const CLIENT_OPTIONS: RedisClientOptions = {
  disableOfflineQueue: false,
  commandOptions: { timeout: 5_000 },
  socket: {
    // What is connected and says nothing is dead: something is asked each second or two.
    socketTimeout: 10_000,
    reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 800) * (1 + Math.random() / 4),
  },
};

/** Runs tasks in this process, on two connections of its own: one waits for jobs. */
export class RedisTaskWorker implements TaskWorker {
  readonly #clients: Bullmq.IRedisClient[] = [];
  #isEnded = false;
  readonly #connection: RedisConnection;
  readonly #worker: Bullmq.Worker<QueuedTask>;
  readonly #running = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  /** @param run runs one task. */
  constructor(
    { bullmq, connection, queue, prefix }: WorkerParts,
    run: (entry: QueuedTask) => Promise<void>,
    { concurrency, stallMs, logger }: TaskWorkerOptions,
  ) {
    this.#connection = connection;
    const runOne = async ({ data }: Bullmq.Job<QueuedTask>): Promise<void> => {
      const running = run({ taskId: data.taskId, round: data.round });
      this.#running.add(running);
      await running.finally(() => this.#running.delete(running));
    };
    const handBack = async (job: Bullmq.Job<QueuedTask>, token?: string): Promise<never> => {
      await job.moveToWait(token);
      throw new bullmq.WaitingError();
    };
    const client = this.#ending(connection.client(CLIENT_OPTIONS));
    this.#worker = new bullmq.Worker<QueuedTask>(
      queue,
      // A job may have been on its way when the worker closed.
      (job, token) => (this.#closing === undefined ? runOne(job) : handBack(job, token)),
      {
        connection: this.#tracked(bullmq.createNodeRedisClient(client)),
        prefix,
        concurrency,
        drainDelay: BLOCK_S,
        runRetryDelay: 500,
        // How often a task may be tried is for the store to say.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        ...stallOptions(stallMs),
      },
      (...args) =>
        Object.defineProperty(bullmq.createRedisBackend(...args), 'maximumBlockTimeout', { value: BLOCK_S }),
    );
    // BullMQ repeats itself while Redis cannot be reached, which is reported by its connection.
    const reported = new Set<string>();
    client.on('ready', () => reported.clear());
    this.#worker.on('error', (error) => {
      if (reported.has(error.message)) return;
      if (reported.size < 100) reported.add(error.message);
      logger[client.isReady ? 'warn' : 'debug']({ err: error }, 'the queue of tasks has a problem');
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    // Takes no more from here on, and waits for runs.
    const closed = this.#worker.close();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    // What is left may wait for a Redis that is not there.
    const wait = new AbortController();
    const late = pause(this.#connection.timeoutMs, undefined, wait).catch(() => undefined);
    await Promise.race([closed, late]);
    wait.abort();
    this.#isEnded = true;
    for (const client of this.#clients) client.disconnect();
  }

  /** A client that is ended while it connects connects all the same: it is ended again then, and so are its copies. */
  #ending(client: RedisClientType): RedisClientType {
    for (const event of ['connect', 'ready']) client.on(event, () => this.#isEnded && client.destroy());
    const duplicate = client.duplicate.bind(client);
    return Object.assign(client, {
      duplicate: (options?: object) => this.#ending(duplicate(options)),
    });
  }

  /** A client of BullMQ, which makes copies and leaves some behind when it closes. */
  #tracked(client: Bullmq.IRedisClient): Bullmq.IRedisClient {
    this.#clients.push(client);
    countByRedis(client, () => this.#connection.now());
    withInfo(client, () => this.#isEnded);
    // BullMQ does not always listen, and an error without a listener ends the process.
    client.on('error', () => undefined);
    const duplicate = client.duplicate.bind(client);
    return Object.assign(client, {
      duplicate: (...options: readonly unknown[]) => this.#tracked(duplicate(...options)),
    });
  }
}

/**
 * How BullMQ finds a job whose process has died. A job has a lock that its process renews. In each interval one process looks: jobs that
 * were marked and have no lock are handed out again, then all that are active are marked; to renew a lock takes the mark away. A key that
 * lives for the interval says that a process has looked, and each process tries by a timer of its own, so that the look after the last one
 * of a process that died comes two intervals after that at the latest.
 *
 * A lock that was renewed last at 0 is marked until 2 × interval, and found at the first look after it has expired, as that is later:
 * until lockDuration + 2 × interval, which is `stallMs`.
 */
function stallOptions(stallMs: number): Record<'stalledInterval' | 'lockDuration' | 'lockRenewTime', number> {
  const stalledInterval = Math.ceil(Math.min(stallMs / 8, 2_000));
  const lockDuration = Math.max(1, stallMs - 2 * stalledInterval);
  return { stalledInterval, lockDuration, lockRenewTime: lockDuration / 3 };
}
