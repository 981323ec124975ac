import type { MaybePromise } from '../protocol/maybe-promise.js';

/** The status of a task (ext-tasks, "Task Status"). */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';

/**
 * All statuses of tasks.
 *
 * @example
 * ```ts
 * const counted = TASK_STATUSES.map((status) => `${status}: ${kept[status]}`);
 * ```
 */
export const TASK_STATUSES: readonly TaskStatus[] = [
  'working',
  'input_required',
  'completed',
  'cancelled',
  'failed',
];

/**
 * Whether a value is a status of a task.
 *
 * @example
 * ```ts
 * const status = isTaskStatus(row['status']) ? row['status'] : undefined;
 * ```
 */
export function isTaskStatus(value: unknown): value is TaskStatus {
  return TASK_STATUSES.some((status) => status === value);
}

/**
 * The initial counts of tasks by status.
 *
 * @example
 * ```ts
 * const kept = noTasks();
 * for (const { task } of tasks) kept[task.status] += 1;
 * ```
 */
export function noTasks(): Record<TaskStatus, number> {
  return { working: 0, input_required: 0, completed: 0, cancelled: 0, failed: 0 };
}

/** A task as clients see it (ext-tasks, "Tasks"). */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** The current step, or the reason of its end; may be shown to the user. */
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastUpdatedAt: string;
  /** Milliseconds from creation after which the task may be gone; `null` for never. */
  readonly ttlMs: number | null;
  /** Milliseconds a client should let pass between two looks. */
  readonly pollIntervalMs: number;
}

/** A JSON-RPC error, as a failed task has it. */
export interface TaskError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Whether a task has ended and will not change.
 *
 * @example
 * ```ts
 * if (isTerminal(stored.task.status)) finished.delete(stored.task.taskId);
 * ```
 */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'failed';
}

/**
 * The stored form of a task. Plain JSON: a store may write it as it is, and reads `task`, `version`, `owner`, `tool`,
 * `run` and `attempts` alone. Data from clients and handlers is encrypted (`state.keys`).
 */
export interface StoredTask extends TaskRecord {
  /**
   * No process can claim the task before this time, in milliseconds since 1970 by the clock of the store: the end of its delay or, while
   * a run is under way, of the lease of that run. `null` while it waits for its client alone, and once it has ended.
   */
  readonly notBefore: number | null;
}

/** A task as it is given to a store, which adds the rest by its own clock. */
export interface TaskRecord {
  readonly task: TaskState;
  /** Grows by one with every change; 1 at first. */
  readonly version: number;
  /**
   * The quota key: a text that stands for a principal, a network address or a connection; `null` if clients cannot be
   * told apart.
   */
  readonly owner: string | null;
  /** The tool it runs. */
  readonly tool: string;
  /** Identifies the tool's parameters and behaviour, so that another version of it does not continue the task. */
  readonly toolVersion: string;
  /** The id of the run that may write; `null` if there is none. */
  readonly run: string | null;
  /** The number of lost runs in a row without progress, including the current run. */
  readonly attempts: number;
  /** The call, encrypted: arguments, principal, client. */
  readonly call: string;
  /** The record of earlier runs, encrypted: questions, answers, and the results of `ctx.once()`. */
  readonly journal: string;
  /**
   * Whether the result of the tool has `isError`. Its task is `completed`: only a call that ends with a JSON-RPC error
   * is `failed` (ext-tasks, "Task Execution Errors").
   */
  readonly isError?: boolean;
  /** The result of the tool or the error of the call, encrypted, once it has ended. */
  readonly outcome?: string;
}

/**
 * Reads a task that was written down as JSON.
 *
 * @returns the task, or `undefined` for other text that something else has written to the store.
 * @example
 * ```ts
 * const text = await database.read(taskId);
 * return text === undefined ? undefined : readTask(text);
 * ```
 */
export function readTask(text: string): StoredTask | undefined {
  try {
    const value = JSON.parse(text) as Partial<StoredTask> | null;
    return typeof value?.task?.taskId === 'string' ? (value as StoredTask) : undefined;
  } catch {
    return undefined;
  }
}

/** Some of the tasks that a store keeps. */
export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  /** The start of the next page; absent on the last one. */
  readonly cursor?: string | undefined;
}

/** Which tasks a process claims. */
export interface TaskClaim {
  /** Names the runs that begin: unlike the name of any other claim. */
  readonly run: string;
  /** Maximum number of claimed tasks. */
  readonly limit: number;
  /** Milliseconds until another process can claim them, unless `renew` is called. */
  readonly leaseMs: number;
  /** Tools whose tasks are left to others. */
  readonly excludeTools?: readonly string[];
  /** Owners whose tasks are left to others. */
  readonly excludeOwners?: readonly (string | null)[];
  /** Claims this task alone: for an executor that says which one is next. */
  readonly taskId?: string;
  /**
   * Claims lost tasks only: those whose lease has expired, and those without a run that were ready for so many
   * milliseconds.
   * @default 0
   */
  readonly overdueMs?: number;
}

/** A run of a task. */
export interface TaskRunName {
  readonly taskId: string;
  readonly run: string;
}

/**
 * Keeps tasks (ext-tasks), and hands them out to the processes that run them: the one truth, which `tasks/get` reads. Processes that share
 * a store serve and run each other's tasks. All times are counted by the clock of the store.
 */
export interface TaskStore {
  /**
   * Default number of tasks that a process runs at once: as many as the connections of the store can serve.
   * @default as many as the process takes in
   */
  readonly concurrency?: number;
  /**
   * Keeps a new task: once this is done, `get` finds it, in every process. After `task.ttlMs` it is gone.
   *
   * @param delayMs milliseconds before it can be claimed; `null` for never.
   * @throws OverloadedError if there is no room; the call is answered with this error.
   */
  create(record: TaskRecord, delayMs: number | null): MaybePromise<void>;
  /** @returns the task, or `undefined` if it does not exist or has expired. */
  get(taskId: string): MaybePromise<StoredTask | undefined>;
  /**
   * Replaces a task with its next version, if the one that is kept is still the one before it. How long it is kept does not change.
   *
   * @param delayMs milliseconds before it can be claimed; `null` for never. Without it that time stays as it is.
   * @returns whether it was; when not, it was changed in between, or it is gone.
   * @throws OverloadedError when it has become too large.
   */
  replace(record: TaskRecord, delayMs?: number | null): MaybePromise<boolean>;
  /**
   * Starts runs of ready tasks, in one step: sets the run, counts one attempt and one version more, and leases the
   * task. Owners take turns; for each, the task that was ready first comes first. A claim that timed out must have no
   * later effect, because no process would run its tasks.
   *
   * @returns the tasks as they stand now.
   */
  claim(claim: TaskClaim): MaybePromise<readonly StoredTask[]>;
  /**
   * Begins the leases of runs anew.
   *
   * @returns the lost runs: their task has ended, was claimed by another process, or was deleted.
   */
  renew(runs: readonly TaskRunName[], leaseMs: number): MaybePromise<readonly TaskRunName[]>;
  /**
   * Lists all tasks, the oldest first. A task that changes during the listing may be left out or appear twice.
   *
   * @param limit most of them on a page.
   * @param cursor the start of the page; absent for the first.
   */
  list(limit: number, cursor?: string): MaybePromise<TaskPage>;
  /** Counts the tasks, for telemetry; a store may do without. */
  backlog?(): MaybePromise<TaskBacklog>;
}

/** How many tasks a store has, and how many of them wait for a process. */
export interface TaskBacklog {
  /** How many are kept, by status. */
  readonly kept: Readonly<Record<TaskStatus, number>>;
  /** How many can be claimed now. */
  readonly due: number;
  /** Milliseconds for which the oldest of those has been ready; 0 if there are none. */
  readonly oldestMs: number;
}
