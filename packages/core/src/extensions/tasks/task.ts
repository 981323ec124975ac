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
