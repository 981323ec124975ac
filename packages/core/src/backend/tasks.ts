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
 * Returns a count of 0 for each task status.
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
  /** The current step, or the reason why the task ended; can be shown to the user. */
  readonly statusMessage?: string;
  /** When the task was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the task was last updated, in ISO 8601. */
  readonly lastUpdatedAt: string;
  /**
   * How long the task is kept after its creation, in milliseconds. After that time, the server can delete the task.
   * `null` for no limit.
   */
  readonly ttlMs: number | null;
  /** Milliseconds that a client should wait between two polls. */
  readonly pollIntervalMs: number;
}

/** The JSON-RPC error of a failed task. */
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
 * The stored form of a task, in plain JSON. A store can write this JSON unchanged. The store reads only `task`,
 * `version`, `owner`, `tool`, `run` and `attempts`. Data from clients and handlers is encrypted (`state.keys`).
 */
export interface StoredTask extends TaskRecord {
  /**
   * No process can claim the task before this time, in milliseconds since 1970 by the clock of the store. It is the end
   * of the task's delay or, during a run, the end of the run's lease. `null` after the task has ended, and while it
   * waits for its client's answers without a time limit.
   */
  readonly notBefore: number | null;
}

/** A task as a store receives it. The store adds `notBefore` by its own clock. */
export interface TaskRecord {
  readonly task: TaskState;
  /** The version of the record. Starts at 1, and grows by one with every change. */
  readonly version: number;
  /**
   * Identifies the client for limits per client: a string that stands for a principal, a network address or a
   * connection. `null` if clients cannot be distinguished. In that case, only the limits for all clients together
   * apply.
   */
  readonly owner: string | null;
  /** The name of the tool that the task runs. */
  readonly tool: string;
  /**
   * Identifies the tool's parameters and behaviour. A process with another version of the tool does not continue the
   * task.
   */
  readonly toolVersion: string;
  /** The id of the run that is allowed to change the task; `null` if the task has no run. */
  readonly run: string | null;
  /** The number of runs since the task last made progress: the lost runs, and the current run. */
  readonly attempts: number;
  /** The encrypted call: its arguments, principal and client. */
  readonly call: string;
  /** The encrypted record of earlier runs of the handler: questions, answers, and the results of `ctx.once()`. */
  readonly journal: string;
  /**
   * Whether the result of the tool has `isError`. Such a task is still `completed`: a task is `failed` only if its call
   * ends with a JSON-RPC error (ext-tasks, "Task Execution Errors").
   */
  readonly isError?: boolean;
  /** The result of the tool or the error of the call, encrypted; absent until the call has ended. */
  readonly outcome?: string;
}

/**
 * Reads a task from its JSON text.
 *
 * @returns the task; `undefined` if the text is not a task, for example because another program wrote it to the store.
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

/** One page of the tasks in a store. */
export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  /** The start of the next page; absent on the last page. */
  readonly cursor?: string | undefined;
}

/** A request of a process to claim tasks. */
export interface TaskClaim {
  /** The id that all runs of this claim share; unique among all claims. */
  readonly run: string;
  /** Maximum number of claimed tasks. */
  readonly limit: number;
  /** Milliseconds until another process can claim the tasks, unless `renew` is called. */
  readonly leaseMs: number;
  /** Tools whose tasks this claim leaves to other processes. */
  readonly excludeTools?: readonly string[];
  /** Owners whose tasks this claim leaves to other processes. */
  readonly excludeOwners?: readonly (string | null)[];
  /** If set, only this task is claimed. Used when the executor chooses the next task itself. */
  readonly taskId?: string;
  /**
   * How long a task without a run must have been ready before this claim can include it, in milliseconds. During this
   * time, the executor can start the task itself. A task with an expired lease is claimed immediately.
   * @default 0
   */
  readonly overdueMs?: number;
}

/** The id of a run, and the id of its task. */
export interface TaskRunName {
  readonly taskId: string;
  readonly run: string;
}

/**
 * Keeps tasks (ext-tasks), and assigns them to the processes that run them. `tasks/get` reads tasks from this store.
 * Processes that share a store serve and run each other's tasks. All times are measured by the clock of the store.
 */
export interface TaskStore {
  /**
   * Maximum number of tasks that a process can run at once with the connections of this store. The app uses this number
   * if its option `tasks.concurrency` is absent.
   * @default no limit by the store; the app uses `tasks.maxRunning`
   */
  readonly concurrency?: number;
  /**
   * Stores a new task. Afterwards, `get` finds it in every process. The task expires after `task.ttlMs`.
   *
   * @param delayMs milliseconds before the task can be claimed; `null` for never.
   * @throws OverloadedError if the store is full. The client gets this error as the answer to its tool call.
   */
  create(record: TaskRecord, delayMs: number | null): MaybePromise<void>;
  /** Returns a task, or `undefined` if it does not exist or has expired. */
  get(taskId: string): MaybePromise<StoredTask | undefined>;
  /**
   * Replaces a stored task, if `record.version` is the stored version plus one. The time when the task expires does not
   * change.
   *
   * @param delayMs milliseconds before the task can be claimed; `null` for never. Without this parameter, that time
   *   does not change.
   * @returns whether the task was replaced; `false` if another process has changed the task, or if it no longer exists.
   * @throws OverloadedError when the task has become too large.
   */
  replace(record: TaskRecord, delayMs?: number | null): MaybePromise<boolean>;
  /**
   * Starts runs of ready tasks. One atomic step sets `run`, increases `attempts` and `version` by one, and begins the
   * lease. Owners take turns; for each owner, the task that became ready first is claimed first. If a call of this
   * method has timed out, it must not take effect later, because no process would run the claimed tasks.
   *
   * @returns the tasks as they are after the claim.
   */
  claim(claim: TaskClaim): MaybePromise<readonly StoredTask[]>;
  /**
   * Renews the leases of runs.
   *
   * @returns the runs that are lost, because the task has ended, was claimed by another process, or was deleted.
   */
  renew(runs: readonly TaskRunName[], leaseMs: number): MaybePromise<readonly TaskRunName[]>;
  /**
   * Lists all tasks, the oldest first. A task that changes during the listing may be left out or appear twice.
   *
   * @param limit maximum number of tasks on a page.
   * @param cursor the start of the page; absent for the first.
   */
  list(limit: number, cursor?: string): MaybePromise<TaskPage>;
  /** Counts the tasks, for telemetry. Optional. */
  backlog?(): MaybePromise<TaskBacklog>;
}

/** How many tasks a store has, and how many of them wait for a process. */
export interface TaskBacklog {
  /** The number of stored tasks, by status. */
  readonly kept: Readonly<Record<TaskStatus, number>>;
  /** The number of tasks that can be claimed now. */
  readonly due: number;
  /** Milliseconds since the first of the claimable tasks became ready; 0 if no task can be claimed. */
  readonly oldestMs: number;
}
