import type { MaybePromise } from '../../protocol/maybe-promise.js';
import type { TaskError, TaskState } from './task.js';

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
  /** Whose it is; `null` when nobody was authenticated. */
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
   * @returns whether it was; when not, somebody else changed it in between, or it is gone.
   */
  replace(stored: StoredTask): MaybePromise<boolean>;
}
