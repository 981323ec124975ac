import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';

/**
 * Chooses the process and time of a task's runs. The task store has the tasks and knows which run may write, whatever
 * an executor does: it may run a task twice, and a lost task can still be claimed in the store.
 *
 * @example
 * ```ts
 * const executor: TaskExecutor = {
 *   submit: ({ taskId }, delayMs) => queue.add('task', { taskId }, { delay: delayMs }),
 *   start: (worker) => queue.process(({ taskId }) => worker.run(taskId)),
 *   close: () => queue.close(),
 * };
 * const app = await createApp({ name: 'shop', version: '1.0.0', backend, tasks: { executor } });
 * ```
 */
export interface TaskExecutor {
  /**
   * Makes some process run a task. Called in every process, whenever a task becomes ready to run.
   *
   * @param delayMs milliseconds before it can be claimed; 0 for at once.
   * @throws Error when it could not be taken; the task stays in the store.
   */
  submit(task: SubmittedTask, delayMs: number): MaybePromise<void>;
  /** Starts to run tasks in this process. Not called if `tasks.worker` is `false`. */
  start(worker: TaskWorker): MaybePromise<void>;
  /** Called when a run in this process has ended; `refused` if the process had no room for it. */
  runEnded?(end: 'ended' | 'refused'): MaybePromise<void>;
  /** Starts no more runs in this process. */
  close(): MaybePromise<void>;
}

/** A task that can be run. */
export interface SubmittedTask {
  readonly taskId: string;
  readonly tool: string;
}

/** How a run of a task went. */
export interface RunOutcome {
  /**
   * - `done`: it has ended, or there is nothing to run: the task has ended, waits for its client, or is gone.
   * - `taken`: nothing ran, as another run holds the task, or its time has not come.
   * - `busy`: nothing ran, as this process runs as many tasks as it may. It may be tried again elsewhere, too.
   */
  readonly outcome: 'done' | 'taken' | 'busy';
  /**
   * Milliseconds until another attempt makes sense: the rest of another run's lease, or of a delay. 0 if the task is
   * done.
   */
  readonly retryAfterMs: number;
}

/** Runs tasks in a process. */
export interface TaskWorker {
  /** Maximum number of concurrent runs in this process. */
  readonly concurrency: number;
  /** How long a run holds a task without a word, in milliseconds. */
  readonly leaseMs: number;
  /** How many more runs can begin now. */
  readonly free: number;
  readonly logger: Logger;
  /**
   * Claims a task and runs it.
   *
   * @returns once the run has ended. It rejects when the store cannot be reached, which is logged.
   */
  run(taskId: string): Promise<RunOutcome>;
  /**
   * Claims tasks that can be run, and begins to run them.
   *
   * @param limit most of them.
   * @returns how many runs have begun, and whether there may be more tasks to claim. It rejects when the store cannot be reached, which is
   *   logged.
   */
  claim(limit: number): Promise<ClaimOutcome>;
}

/** The result of a claim. */
export interface ClaimOutcome {
  readonly begun: number;
  readonly mayBeMore: boolean;
}
