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
 * Begins to count tasks by status: none of each.
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
 * Whether a task has come to its end and changes no more.
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
  /** Identifies what the tool takes and does, so that another version of it does not go on with the task. */
  readonly toolVersion: string;
  /** The run that may write, by an id of its own; `null` where none is under way. */
  readonly run: string | null;
  /** How many runs, one after the other and without progress, have come to no end; the one that is under way counts. */
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
  /** Most tasks that are claimed. */
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
   * Claims only what an executor has lost: tasks whose lease has ended, and those without a run that could have been claimed for so many
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
   * @throws OverloadedError when there is no room; the call that was to become a task is answered with the error.
   */
  create(record: TaskRecord, delayMs: number | null): MaybePromise<void>;
  /** @returns the task, or `undefined` when there is none or it has expired. */
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
   * Begins runs of tasks that can be claimed, in one step: gives each the run and one attempt more, counts its version up, and keeps
   * others from claiming it for the length of the lease. Owners take turns; of each, the task comes first that could be claimed first.
   * A claim that was rejected because no answer came in time takes nothing later: no process would run what it takes.
   *
   * @returns the tasks as they stand now.
   */
  claim(claim: TaskClaim): MaybePromise<readonly StoredTask[]>;
  /**
   * Begins the leases of runs anew.
   *
   * @returns the runs that have none any more: their task has ended, was claimed by another process, or is gone.
   */
  renew(runs: readonly TaskRunName[], leaseMs: number): MaybePromise<readonly TaskRunName[]>;
  /**
   * Lists all tasks, the oldest first. A task that changes meanwhile may be left out or come twice.
   *
   * @param limit most of them on a page.
   * @param cursor where the page begins; the first one without.
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
  /** How long the first of those could have been claimed, in milliseconds; 0 where there are none. */
  readonly oldestMs: number;
}
