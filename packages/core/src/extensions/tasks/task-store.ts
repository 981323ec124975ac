import type { MaybePromise } from '../../protocol/maybe-promise.js';

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

/** A JSON-RPC error, as a failed task carries it. */
export interface TaskError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Whether a task has come to its end and changes no more. */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'failed';
}

/** A request to the client that a task waits for. */
export interface TaskInputRequest {
  readonly method: string;
  readonly params?: object;
}

/** Everything that is kept of a task. Plain JSON: a store may write it down as it is. */
export interface StoredTask {
  readonly task: TaskState;
  /** Grows with every change. */
  readonly version: number;
  /** When the store may drop it, in milliseconds since the epoch; `null` for never. */
  readonly expiresAt: number | null;
  /** The tool it runs. */
  readonly tool: string;
  /** Whose it is; `null` when no principal was authenticated. */
  readonly principal: string | null;
  /**
   * Whom it counts for: a text that names a principal, a network address or a connection; `null`, or absent, where nothing tells
   * clients apart.
   */
  readonly owner?: string | null;
  /** What the client has still to answer, by key. */
  readonly inputRequests: Readonly<Record<string, TaskInputRequest>>;
  /** What the client has answered, by key. */
  readonly inputResponses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The result of the tool, once it has completed. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** What went wrong, once it has failed. */
  readonly error?: TaskError;
}

/**
 * Keeps tasks (ext-tasks). Processes that share a store and a change bus serve each other's tasks: whichever process a client
 * reaches reads the task here, and the one that runs it hears of the change.
 */
export interface TaskStore {
  /**
   * Keeps a new task: once this is done, `get` finds it.
   *
   * @throws when there is no room; the call that was to become a task is answered with the error.
   */
  create(stored: StoredTask): MaybePromise<void>;
  /** @returns the task, or `undefined` when there is none or it has expired. */
  get(taskId: string): MaybePromise<StoredTask | undefined>;
  /**
   * Replaces a task with its next version, if the one that is kept is still the one before it.
   *
   * @returns whether it was; when not, it was changed in between, or it is gone.
   */
  replace(stored: StoredTask): MaybePromise<boolean>;
}

/** A task with what its status brings along: what `tasks/get` and `notifications/tasks` carry (ext-tasks, "Task Status"). */
export interface DetailedTask extends TaskState {
  readonly inputRequests?: StoredTask['inputRequests'];
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: TaskError;
}

/** A task as its client sees it. */
export function detailedTask({ task, inputRequests, result, error }: StoredTask): DetailedTask {
  return {
    ...task,
    ...(task.status === 'input_required' ? { inputRequests } : {}),
    ...(isTerminal(task.status) && result ? { result } : {}),
    ...(isTerminal(task.status) && error ? { error } : {}),
  };
}
