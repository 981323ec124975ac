import type { StoredTask, TaskError, TaskState } from '../../backend/tasks.js';
import { isTerminal } from '../../backend/tasks.js';
import type { InputRequest, Journal } from '../../engine/asking/round-trip-state.js';
import type { RecordedCall } from '../../engine/extension.js';

/** A question that the client must still answer. */
export interface OpenQuestion {
  /** The handler's key for the question. */
  readonly key: string;
  readonly request: InputRequest;
  /** How long the client has to answer, in milliseconds; absent if the question has no time limit. */
  readonly waitMs?: number | undefined;
  /** When the client's time to answer ends, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
}

/** The record of a task's earlier runs. */
export interface TaskJournal {
  readonly rounds: Journal;
  /** Open questions by the key that the client sees. Keys are never reused (ext-tasks, "Task Update Requests"). */
  readonly open: Readonly<Record<string, OpenQuestion>>;
  /** The keys of earlier questions, as the client sees them. */
  readonly used: readonly string[];
  /** The keys that the handler chose for questions that were not answered in time. */
  readonly late?: readonly string[];
  /** How often the task has waited for a process that serves its tool. */
  readonly postponements?: number;
}

/** The result or the error of an ended task. */
export type Outcome = { readonly result: Readonly<Record<string, unknown>> } | { readonly error: TaskError };

/** A task as this server reads it: the stored values and the decrypted values. */
export interface Task {
  readonly stored: StoredTask;
  readonly call: RecordedCall;
  readonly journal: TaskJournal;
  readonly outcome: Outcome | undefined;
}

/** Returns how many runs of a task were lost in a row without progress, before the current run. */
export function lostRuns({ attempts, run }: StoredTask): number {
  return run === null ? attempts : attempts - 1;
}

/** The members of a task that a transition changes. */
export interface TaskChange {
  readonly state?: Partial<TaskState>;
  readonly rest?: Partial<Pick<StoredTask, 'run' | 'attempts' | 'isError'>>;
  /** Milliseconds before the next run can start. */
  readonly delayMs?: number;
  readonly journal?: TaskJournal;
  readonly outcome?: Outcome;
}

/** A function that returns the change to a task; `undefined` if the task does not change. */
export type Transition = (task: Task) => TaskChange | undefined;

/** Creates a journal without open questions. */
export function emptyJournal(rounds?: Journal): TaskJournal {
  return { rounds: rounds ?? { questions: [], required: [], effects: [] }, open: {}, used: [] };
}

/**
 * A task with the members that belong to its status, such as `result`. Used in `tasks/get` and `notifications/tasks`
 * (ext-tasks, "Task Status").
 */
export interface DetailedTask extends TaskState {
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: TaskError;
}

/** Returns a task as its client sees it. */
export function detailedTask({ stored: { task }, journal, outcome }: Task): DetailedTask {
  if (isTerminal(task.status)) return { ...task, ...outcome };
  if (task.status !== 'input_required') return task;
  const open = Object.entries(journal.open).map(([key, { request }]) => [key, request] as const);
  return { ...task, inputRequests: Object.fromEntries(open) };
}
