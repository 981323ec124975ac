import { setTimeout as pause } from 'node:timers/promises';
import type { QueuedTask, TaskWorker, TaskWorkerOptions } from '@sigil/core/backend';
import type { JobWorker, QueuePlace } from './bullmq.js';
import { isLostConnection } from './queue-pool.js';
import { isConnectionFailure, isFull } from '../failures.js';
import { answered } from '../failures.js';

/** How long `open` waits for a database that does not answer, in milliseconds, and how long it waits between attempts. */
const [OPEN_MS, RETRY_MS] = [1_000, 500];

/** So many problems are told apart. */
const MOST_REPORTED = 100;

/** What a worker is made of. */
export interface WorkerParts {
  /** Gives where the queue is, once its tables are there. */
  readonly place: () => Promise<QueuePlace>;
  readonly run: (entry: QueuedTask) => Promise<void>;
  readonly options: TaskWorkerOptions;
  /** How long BullMQ may take for what is left when runs have ended, in milliseconds. */
  readonly timeoutMs: number;
}

/** Runs tasks in this process, from the moment that PostgreSQL answers. */
export class PostgresTaskWorker implements TaskWorker {
  readonly #parts: WorkerParts;
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** The problems that have been told. */
  readonly #reported = new Set<string>();
  #worker: JobWorker | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Begins. Resolves once it has, or after a second: then it does once PostgreSQL answers. */
  async open(): Promise<void> {
    this.#opening = this.#open();
    await answered(OPEN_MS, this.#opening).catch(() => undefined);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #open(): Promise<void> {
    const { place, options } = this.#parts;
    const { concurrency, stallMs } = options;
    const { handBack, openWorker } = await import('./bullmq.js');
    // How often a task may be tried is for the store to say.
    const more = { concurrency, maxStalledCount: 2 ** 31 - 1, ...stallOptions(stallMs) };
    while (!this.#stop.signal.aborted) {
      try {
        this.#worker = await openWorker(
          await place(),
          // A job may have been on its way when the worker closed.
          (job, token) => (this.#closing ? handBack(job, token) : this.#run(job.data)),
          more,
          (error) => this.#report(error, isLostConnection(error)),
        );
        this.#reported.clear();
        return;
      } catch (error) {
        this.#report(error, isConnectionFailure(error));
        await pause(RETRY_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
    }
  }

  /** Tells of each problem once, until tasks are run again. @param isLost whether the connection for statements reports it. */
  #report(error: unknown, isLost: boolean): void {
    const { logger } = this.#parts.options;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#reported.has(reason)) return;
    if (this.#reported.size < MOST_REPORTED) this.#reported.add(reason);
    const level = isLost && !isFull(error) ? 'debug' : 'warn';
    logger[level]({ reason, err: error }, 'The queue of tasks has a problem');
  }

  async #run({ taskId, round }: QueuedTask): Promise<void> {
    this.#reported.clear();
    const running = this.#parts.run({ taskId, round });
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    await this.#opening?.catch(() => undefined);
    // Takes no more from here on, and waits for runs.
    const closed = this.#worker?.close();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    // What is left may wait for a database that does not answer.
    if (closed) await answered(this.#parts.timeoutMs, closed).catch(() => undefined);
  }
}

/**
 * How BullMQ finds a job whose process has died. A job is locked until a time that its process puts off; in each interval one process looks,
 * by the clock of the database (see `QueuePool`): jobs that were marked at the look before, and whose lock has run out, are handed out
 * again; then all that are active are marked.
 *
 * Each process tries to look by a timer of its own, and does nothing when less than an interval has passed since the last look of all. The
 * last look may be that of the process that died, and the next try come just too early: so there are two intervals between looks at most.
 *
 * A lock that was put off last at 0 runs out at lockDuration. That is more than two intervals, so the job is marked by then, and the first
 * look after it, two intervals later at most, hands it out: by lockDuration + 2 × stalledInterval, which is `stallMs`.
 */
function stallOptions(stallMs: number): Record<'stalledInterval' | 'lockDuration' | 'lockRenewTime', number> {
  const stalledInterval = Math.ceil(Math.min(stallMs / 8, 2_000));
  const lockDuration = Math.max(3, stallMs - 2 * stalledInterval);
  return { stalledInterval, lockDuration, lockRenewTime: Math.floor(lockDuration / 3) };
}
