// What of BullMQ is used. It is large: only those who use the queue load this file.
import type * as Bullmq from 'bullmq';
import type { BackendFactory, Job, JobProgress, Queue, Worker, WorkerOptions } from 'bullmq';
import type { QueuedTask } from '@sigil/core/backend';
import { loadBullmq } from './load-bullmq.js';
import { isLostConnection, type QueuePool } from './queue-pool.js';

const bullmq: typeof Bullmq = await loadBullmq();

/** What BullMQ calls the queue, and a job in it. */
const NAME = 'tasks';

/** How long a worker waits for word of a job before it looks by itself, in seconds. */
const BLOCK_S = 2;

/** Where the queue is. */
export interface QueuePlace {
  readonly pool: QueuePool;
  readonly schema: string;
}

/** The queue, for those who add to it. */
export type TaskJobs = Queue<QueuedTask, void, string, QueuedTask, void, string, Backend, QueuePlace>;

/** Opens the queue. @throws Error when PostgreSQL does not answer, or has no tables for it. */
export async function openJobs(place: QueuePlace): Promise<TaskJobs> {
  const queue: TaskJobs = new bullmq.Queue(
    NAME,
    // Its events are for those who look at the queue, and few enough.
    { connection: place, streams: { events: { maxLen: 1_000 } } },
    createBackend,
  );
  queue.on('error', () => undefined);
  try {
    await queue.waitUntilReady();
    return queue;
  } catch (error) {
    await queue.close();
    throw error;
  }
}

/** A worker of BullMQ. */
export type JobWorker = Worker<QueuedTask, void, string, Backend, JobProgress, QueuePlace>;

/** Begins to take jobs. @throws Error when PostgreSQL does not answer, or has no tables for it. */
export async function openWorker(
  place: QueuePlace,
  run: (job: Job<QueuedTask>, token: string | undefined) => Promise<void>,
  options: Omit<WorkerOptions, 'connection'>,
  onError: (error: Error) => void,
): Promise<JobWorker> {
  const worker: JobWorker = new bullmq.Worker(
    NAME,
    (job, token) => run(job, token),
    { ...options, connection: place, autorun: false, drainDelay: BLOCK_S, runRetryDelay: 500 },
    createBackend,
  );
  worker.on('error', onError);
  try {
    await worker.waitUntilReady();
  } catch (error) {
    await worker.close();
    throw error;
  }
  worker.run().catch(onError);
  return worker;
}

/** Gives a job back that is not run after all. @throws WaitingError which tells BullMQ so. */
export async function handBack(job: Job<QueuedTask>, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new bullmq.WaitingError();
}

/** BullMQ would take a pool to be on its own schema. */
class Connection extends bullmq.PostgresConnection {
  override readonly schema: string;

  constructor({ pool, schema }: QueuePlace) {
    super(pool as typeof pool & ConstructorParameters<typeof bullmq.PostgresConnection>[0]);
    this.schema = schema;
  }
}

class Backend extends bullmq.PostgresQueueBackend {
  /** A connection that is cut in silence brings no word of jobs. */
  override get maximumBlockTimeout(): number {
    return BLOCK_S;
  }

  /** BullMQ would look for abandoned jobs again after five seconds only. */
  override async moveStalledJobsToWait(): Promise<string[]> {
    try {
      return await super.moveStalledJobsToWait();
    } catch (error) {
      if (isLostConnection(error)) return [];
      throw error;
    }
  }
}

const createBackend: BackendFactory<Backend, QueuePlace> = (name, options, { withBlockingConnection } = {}) =>
  new Backend(
    new Connection(options.connection),
    name,
    options as object as BackendOptions,
    true,
    // A worker is known to BullMQ by the name of its connection.
    withBlockingConnection ? name : undefined,
  );

type BackendOptions = ConstructorParameters<typeof bullmq.PostgresQueueBackend>[2];
