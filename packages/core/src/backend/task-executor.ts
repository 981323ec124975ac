import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';

/**
 * Chooses the time and the process for each run of a task's handler. The task store keeps the tasks, and decides which
 * run can change a task. An executor may therefore run a task twice without harm. If the executor loses a task, other
 * processes can still claim the task from the store.
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
   * Makes one of the processes run a task. This method can be called in any process, whenever a task becomes ready to
   * run.
   *
   * @param delayMs milliseconds before the task can be claimed; 0 for immediately.
   * @throws Error when the executor cannot accept the task; the task remains in the store.
   */
  submit(task: SubmittedTask, delayMs: number): MaybePromise<void>;
  /** Starts to run tasks in this process. Not called if `tasks.worker` is `false`. */
  start(worker: TaskWorker): MaybePromise<void>;
  /**
   * Called when a run in this process has ended (`ended`), or could not begin (`refused`). A run cannot begin while the
   * process already has the maximum number of running calls.
   */
  runEnded?(end: 'ended' | 'refused'): MaybePromise<void>;
  /** After this call, no more runs start in this process. */
  close(): MaybePromise<void>;
}

/** A task that is ready to run. */
export interface SubmittedTask {
  readonly taskId: string;
  readonly tool: string;
}

/** The outcome of an attempt to run a task. */
export interface RunOutcome {
  /**
   * - `done`: the run has ended. Or nothing ran, because the task has already ended, waits for its client, or does not
   *   exist.
   * - `taken`: nothing ran. Another run holds the task, the delay has not passed, or the task's client or tool has
   *   reached its limit of runs in this process.
   * - `busy`: nothing ran, because this process already runs its maximum number of tasks. The executor may try another
   *   process.
   */
  readonly outcome: 'done' | 'taken' | 'busy';
  /**
   * Milliseconds until the executor should try again; 0 for `done`. For `taken`, this is the time until the other run's
   * lease or the task's delay ends. For `busy`, and if a limit was reached, it is a short time.
   */
  readonly retryAfterMs: number;
}

/** Runs tasks in a process. */
export interface TaskWorker {
  /** Maximum number of concurrent runs in this process. */
  readonly concurrency: number;
  /**
   * How long a run holds its task after each renewal of the lease, in milliseconds. After that time, another run can
   * claim the task.
   */
  readonly leaseMs: number;
  /** How many more runs can begin now. */
  readonly free: number;
  readonly logger: Logger;
  /**
   * Claims a task and runs it.
   *
   * @returns a promise that is fulfilled when the run has ended. It rejects if the store cannot be reached; this error
   *   is logged.
   */
  run(taskId: string): Promise<RunOutcome>;
  /**
   * Claims tasks that are ready, and begins to run them.
   *
   * @param limit maximum number of tasks.
   * @returns how many runs have begun, and whether there may be more tasks to claim. The promise rejects if the store
   *   cannot be reached; this error is logged.
   */
  claim(limit: number): Promise<ClaimOutcome>;
}

/** The result of a claim. */
export interface ClaimOutcome {
  readonly begun: number;
  readonly mayBeMore: boolean;
}
