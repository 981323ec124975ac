import type { QueuedTask, TaskQueue, TaskWorker, TaskWorkerOptions } from '@sigil/core/backend';
import { Client } from 'pg';
import { endClient } from './ending-pool.js';
import type { PostgresConnection } from './postgres-connection.js';
import type { QueuePlace, TaskJobs } from './queue/bullmq.js';
import { QueuePool } from './queue/queue-pool.js';
import { PostgresTaskWorker } from './queue/task-worker.js';
import { answered } from './failures.js';

/** Most connections of the queue: one waits for word of tasks, the others add, take and finish them. */
const MAX_CONNECTIONS = 5;

/** What is used once the tables of the queue are there. */
interface OpenQueue {
  readonly place: QueuePlace;
  readonly jobs: TaskJobs;
}

/**
 * Hands tasks out by BullMQ, in a schema of its own; BullMQ is loaded when it is used first. An entry is a job of the id of its task and of
 * its round, so that it is there once; it is gone once it has run. All times count by the clock of the database.
 *
 * @example
 * ```ts
 * const queue = new PostgresTaskQueue(new PostgresConnection({ url: 'postgres://app@db.example/shop' }));
 * const app = await createApp({ name: 'shop', version: '1.0.0', tasks: { queue } });
 * ```
 * @see https://docs.bullmq.io
 */
export class PostgresTaskQueue implements TaskQueue {
  readonly #connection: PostgresConnection;
  readonly #workers = new Set<PostgresTaskWorker>();
  #pool: QueuePool | undefined;
  #opening: Promise<OpenQueue> | undefined;

  /** @param connection to PostgreSQL; it is not closed with the queue. */
  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  async add({ taskId, round }: QueuedTask, delayMs = 0): Promise<void> {
    await answered(this.#connection.timeoutMs, this.#add({ taskId, round }, delayMs));
  }

  async work(run: (entry: QueuedTask) => Promise<void>, options: TaskWorkerOptions): Promise<TaskWorker> {
    const { timeoutMs } = this.#connection;
    const place = async (): Promise<QueuePlace> => (await this.#open()).place;
    const worker = new PostgresTaskWorker({ place, run, options, timeoutMs });
    this.#workers.add(worker);
    await worker.open();
    return {
      close: async () => {
        await worker.close();
        this.#workers.delete(worker);
      },
    };
  }

  /** Ends the workers that are there still, and the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    await this.#pool?.end();
  }

  async #add(entry: QueuedTask, delayMs: number): Promise<void> {
    const { jobs } = await this.#open();
    // BullMQ adds the delay to the time at which a job was made.
    const timestamp = delayMs > 0 ? await this.#now() : Date.now();
    await jobs.add('tasks', entry, {
      // BullMQ takes no colon in the id of a job.
      jobId: `${encodeURIComponent(entry.taskId)}.${entry.round}`,
      delay: Math.ceil(delayMs),
      timestamp,
      removeOnComplete: true,
      removeOnFail: true,
    });
  }

  async #now(): Promise<number> {
    const [row] = await this.#connection.query<{ now: number }>('SELECT $schema.epoch_ms() AS now');
    return Math.round(row?.now ?? Date.now());
  }

  /** What BullMQ could not open it would refuse from then on: it is opened anew then. */
  #open(): Promise<OpenQueue> {
    this.#opening ??= this.#openOnce().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #openOnce(): Promise<OpenQueue> {
    const [{ openJobs }, { migrateQueue, queueSchemaOf }] = await Promise.all([
      import('./queue/bullmq.js'),
      import('./queue/migrate-queue.js'),
    ]);
    const { schema, migrates } = this.#connection;
    const options = this.#connection.clientOptions();
    // To make tables may take longer than a statement may.
    const client = new Client({ ...options, query_timeout: 0, statement_timeout: 0 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await migrateQueue(client, schema, migrates);
    } finally {
      await endClient(client);
    }
    this.#pool ??= new QueuePool({ ...options, max: MAX_CONNECTIONS }, queueSchemaOf(schema));
    const place = { pool: this.#pool, schema: queueSchemaOf(schema) };
    return { place, jobs: await openJobs(place) };
  }
}
