import type { RedisClientType } from '@redis/client';
import type { QueuedTask, TaskQueue, TaskWorker, TaskWorkerOptions } from '@sigil/core/backend';
import type * as Bullmq from 'bullmq';
import type { Queue } from 'bullmq';
import { withInfo } from './bullmq-info.js';
import type { RedisConnection } from './redis-connection.js';
import { RedisTaskWorker } from './redis-task-worker.js';

/** What BullMQ calls the queue, and a job in it. */
const QUEUE = 'tasks';

/**
 * Hands tasks out by BullMQ, which is loaded when it is used first. An entry is a job of the id of its task and of its round, so that it
 * is there once; it is gone once it has run. All times count by the clock of Redis.
 *
 * @example
 * ```ts
 * const queue = new RedisTaskQueue(new RedisConnection({ url: 'redis://127.0.0.1:6379' }));
 * const app = await createApp({ name: 'shop', version: '1.0.0', tasks: { queue } });
 * ```
 * @see https://docs.bullmq.io
 */
export class RedisTaskQueue implements TaskQueue {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  /** By the client that they add with. */
  readonly #queues = new WeakMap<RedisClientType, Queue>();
  readonly #workers = new Set<RedisTaskWorker>();
  #isClosed = false;

  /** @param connection to the Redis that it is kept in. */
  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#prefix = `{${connection.prefix}:queue}`;
  }

  async add({ taskId, round }: QueuedTask, delayMs = 0): Promise<void> {
    const bullmq = await loadBullmq();
    // BullMQ takes no colon in the id of a job.
    const jobId = `${encodeURIComponent(taskId)}.${round}`;
    // The delay begins at the time at which a job is said to be made.
    const timestamp = delayMs > 0 ? await this.#connection.now() : Date.now();
    const options = {
      jobId,
      delay: Math.ceil(delayMs),
      timestamp,
      removeOnComplete: true,
      removeOnFail: true,
    };
    await this.#connection.use((client) =>
      this.#queueOf(client, bullmq).add(QUEUE, { taskId, round }, options),
    );
  }

  async work(run: (entry: QueuedTask) => Promise<void>, options: TaskWorkerOptions): Promise<TaskWorker> {
    const bullmq = await loadBullmq();
    // It may have been closed while that was loaded: a worker made now would never end.
    if (this.#isClosed) return { close: () => Promise.resolve() };
    const parts = { bullmq, connection: this.#connection, queue: QUEUE, prefix: this.#prefix };
    const worker = new RedisTaskWorker(parts, run, options);
    this.#workers.add(worker);
    return {
      close: async () => {
        await worker.close();
        this.#workers.delete(worker);
      },
    };
  }

  /** Ends the workers that are there still. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close()));
  }

  #queueOf(client: RedisClientType, bullmq: typeof Bullmq): Queue {
    const known = this.#queues.get(client);
    if (known) return known;
    // Its events are for those who look at the queue, and few enough.
    const streams = { events: { maxLen: 1_000 } };
    const connection = withInfo(bullmq.createNodeRedisClient(client), () => this.#isClosed || !client.isOpen);
    const queue = new bullmq.Queue(QUEUE, { connection, prefix: this.#prefix, streams });
    // What goes wrong with the connection is reported by itself.
    queue.on('error', () => undefined);
    this.#queues.set(client, queue);
    return queue;
  }
}

/** BullMQ is written as CommonJS: bundlers that split a program into files give it as `default`, and nothing else. */
async function loadBullmq(): Promise<typeof Bullmq> {
  const module = await import('bullmq');
  return 'Queue' in module ? module : (module as { readonly default: typeof Bullmq }).default;
}
