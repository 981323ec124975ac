import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';

/** Where a task stands (ext-tasks, "Task Status"). */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';

/** A task as clients see it (ext-tasks, "Tasks"). */
export interface TaskState {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** What it is doing, or why it ended; may be shown to the user. */
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
 * Everything that is kept of a task. Plain JSON: a store may write it down as it is, and reads `task`, `version`, `owner` and `isQueued` alone.
 * What clients and handlers have said is encrypted (`state.keys`).
 */
export interface StoredTask {
  readonly task: TaskState;
  /** Grows by one with every change; 1 at first. */
  readonly version: number;
  /**
   * Whom it counts for: a text that stands for a principal, a network address or a connection; `null` where nothing tells clients apart.
   */
  readonly owner: string | null;
  /** The tool it runs. */
  readonly tool: string;
  /** Identifies what the tool takes and does, so that another version of it does not go on with the task. */
  readonly toolVersion: string;
  /** How often it has become ready to run: one entry of the queue is for one of them. */
  readonly round: number;
  /** Whether an entry of the queue belongs to it: it runs, waits for its turn, or for the end of the time that a question has. */
  readonly isQueued: boolean;
  /** The run that may write, by an id of its own; `null` where none is under way. */
  readonly run: string | null;
  /** How many runs have begun since one came to its end. */
  readonly attempts: number;
  /** The call, encrypted: arguments, principal, client. */
  readonly call: string;
  /** What runs have left behind, encrypted: questions, answers, and the results of `ctx.once()`. */
  readonly journal: string;
  /** The result of the tool or the error of the call, encrypted, once it has ended. */
  readonly outcome?: string;
}

/**
 * Reads a task that was written down as JSON.
 *
 * @returns `undefined` for what is no task: something else has written to the store.
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
  readonly taskIds: readonly string[];
  /** Where the next page begins; absent on the last one. */
  readonly cursor?: string | undefined;
}

/**
 * Keeps tasks (ext-tasks): the truth that `tasks/get` reads. Processes that share a store serve each other's tasks.
 */
export interface TaskStore {
  /**
   * Keeps a new task: once this is done, `get` finds it, in every process. After `task.ttlMs` it is gone.
   *
   * @throws OverloadedError when there is no room; the call that was to become a task is answered with the error.
   */
  create(stored: StoredTask): MaybePromise<void>;
  /** @returns the task, or `undefined` when there is none or it has expired. */
  get(taskId: string): MaybePromise<StoredTask | undefined>;
  /**
   * Replaces a task with its next version, if the one that is kept is still the one before it. How long it is kept does not change.
   *
   * @returns whether it was; when not, it was changed in between, or it is gone.
   * @throws OverloadedError when it has become too large.
   */
  replace(stored: StoredTask): MaybePromise<boolean>;
  /**
   * The tasks that an entry of the queue belongs to (`isQueued`), in pages. A task that changes meanwhile may be left out or come twice.
   *
   * @param limit most of them on a page.
   * @param cursor where the page begins; the first one without.
   */
  queued(limit: number, cursor?: string): MaybePromise<TaskPage>;
}

/** A task that is ready to run. */
export interface QueuedTask {
  readonly taskId: string;
  /** See `StoredTask.round`. */
  readonly round: number;
}

/** How a process takes tasks from a queue. */
export interface TaskWorkerOptions {
  /** Most tasks it runs at once. */
  readonly concurrency: number;
  /**
   * Milliseconds after which a task whose process has ended without a word is given to another one, at the latest.
   */
  readonly stallMs: number;
  /** Where it reports what goes wrong. */
  readonly logger: Logger;
}

/** Takes tasks from a queue until it is closed. */
export interface TaskWorker {
  /** Takes no more. Resolves once no run of this worker is under way. */
  close(): MaybePromise<void>;
}

/**
 * Says which task to run next, and hands it to one process. It may hand a task out twice; the store tells who runs it. What it loses is
 * found again in the store.
 */
export interface TaskQueue {
  /**
   * Adds a task. An entry that waits already, or runs, is not added again.
   *
   * @param delayMs milliseconds it waits at least.
   */
  add(entry: QueuedTask, delayMs?: number): MaybePromise<void>;
  /**
   * Begins to run tasks in this process.
   *
   * @param run runs one. It never rejects, and the entry is done once it resolves.
   */
  work(run: (entry: QueuedTask) => Promise<void>, options: TaskWorkerOptions): MaybePromise<TaskWorker>;
}
