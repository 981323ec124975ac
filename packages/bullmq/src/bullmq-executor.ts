import type { SubmittedTask, TaskExecutor, TaskWorker } from '@sigil/core/backend';
import { LogThrottle, OptionChecks } from '@sigil/core/internal';
import { type ConnectionOptions, DelayedError, type Job, Queue, Worker } from 'bullmq';

/** The name of the queue, and the Redis server that contains it. */
export interface BullmqOptions {
  /**
   * The Redis server of the queue: options of ioredis, such as `{ url: 'redis://127.0.0.1:6379' }`, or an ioredis
   * client. If you pass a client, you must close it yourself.
   */
  readonly connection: ConnectionOptions;
  /**
   * The name of the queue. Apps that share a Redis server need different queue names.
   * @default 'sigil-tasks'
   */
  readonly queue?: string;
  /**
   * The prefix of all keys that BullMQ uses.
   * @default 'bull', as in BullMQ
   */
  readonly prefix?: string;
}

/** The data of a job: only ids. The task itself is in the task store, encrypted. */
interface TaskJob {
  readonly taskId: string;
}

/** A job is tried again until the task store reports that there is nothing to run. */
const ATTEMPTS = Number.MAX_SAFE_INTEGER;
/** How long a job waits after an error, such as a task store that cannot be reached, in milliseconds. */
const BACKOFF_MS = 1_000;

/**
 * Runs tasks from a BullMQ queue on Redis, so that you can use the priorities, rate limits and dashboards of BullMQ.
 * The queue contains only the ids of tasks and the names of their tools; the tasks stay in the backend's task store. If
 * BullMQ starts a task twice, the store accepts changes from only one of the two runs.
 *
 * @param options the name of the queue, and its Redis server.
 * @returns a value for `tasks.executor` of `createApp`.
 * @throws DefinitionError when an option is wrong.
 * @see https://docs.bullmq.io
 * @example
 * ```ts
 * const app = await createApp({
 *   name: 'shop',
 *   version: '1.0.0',
 *   services: [Shop],
 *   state: { keys: [process.env.STATE_KEY] },
 *   backend: redis({ url }),
 *   tasks: { executor: bullmq({ connection: { url }, queue: 'shop-tasks' }) },
 * });
 * ```
 */
export function bullmq(options: BullmqOptions): TaskExecutor {
  checkOptions(options);
  return new BullmqExecutor(options);
}

class BullmqExecutor implements TaskExecutor {
  readonly #name: string;
  readonly #options: { readonly connection: ConnectionOptions; readonly prefix?: string };
  readonly #told = new LogThrottle();
  #queue: Queue<TaskJob> | undefined;
  #jobs: Worker<TaskJob> | undefined;
  #worker: TaskWorker | undefined;

  constructor({ queue = 'sigil-tasks', ...options }: BullmqOptions) {
    this.#name = queue;
    this.#options = options;
  }

  async submit({ taskId, tool }: SubmittedTask, delayMs: number): Promise<void> {
    this.#queue ??= this.#reported(new Queue<TaskJob>(this.#name, this.#options));
    await this.#queue.add(
      tool,
      { taskId },
      {
        delay: Math.ceil(delayMs),
        attempts: ATTEMPTS,
        backoff: { type: 'fixed', delay: BACKOFF_MS },
        removeOnComplete: true,
      },
    );
  }

  start(worker: TaskWorker): void {
    const { concurrency, leaseMs } = worker;
    this.#worker = worker;
    const run = (job: Job<TaskJob>, token?: string): Promise<void> => this.#run(worker, job, token);
    // The job of a dead process returns to the queue when its lock expires; the lease of its task has then expired too.
    const locks = { lockDuration: leaseMs, stalledInterval: Math.ceil(leaseMs / 3) };
    const maxStalledCount = ATTEMPTS;
    this.#jobs = this.#reported(
      new Worker<TaskJob>(this.#name, run, { ...this.#options, concurrency, ...locks, maxStalledCount }),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#jobs?.close(), this.#queue?.close()]);
  }

  async #run(worker: TaskWorker, job: Job<TaskJob>, token: string | undefined): Promise<void> {
    const { outcome, retryAfterMs } = await worker.run(job.data.taskId);
    if (outcome === 'done') return;
    await job.moveToDelayed(Date.now() + Math.ceil(retryAfterMs), token);
    throw new DelayedError();
  }

  /**
   * Logs the errors of a part. BullMQ repeats an error while Redis cannot be reached, and an error event without a
   * listener would end the process.
   */
  #reported<T extends { on(event: 'error', listener: (error: Error) => void): unknown }>(part: T): T {
    part.on('error', (error) => {
      if (this.#told.allows(error.message))
        this.#worker?.logger.warn({ err: error }, 'the queue of tasks has a problem');
    });
    return part;
  }
}

/** Validates the options. @throws DefinitionError with all problems. */
function checkOptions(options: BullmqOptions): void {
  OptionChecks.requireObject('bullmq', options);
  const { connection, queue, prefix } = options;
  const checks = new OptionChecks('bullmq');
  checks.known(options, ['connection', 'queue', 'prefix']);
  if (typeof connection !== 'object' || connection === null)
    checks.refuse(
      'connection',
      'it must be an object with ioredis options, or an ioredis client',
      "write connection: { url: 'redis://127.0.0.1:6379' }",
    );
  for (const [name, value] of Object.entries({ queue, prefix }))
    if (value !== undefined && (typeof value !== 'string' || !/^[^:\s]+$/.test(value)))
      checks.refuse(name, 'it must be a string without colons or spaces');
  checks.throwIfAny();
}
