import type { StoredTask, TaskError, TaskState } from '../../backend/tasks.js';
import { isTerminal } from '../../backend/tasks.js';
import type { InputRequest, Journal } from '../../engine/asking/round-trip-state.js';
import type { RecordedCall } from '../../engine/extension.js';

/** A question that the client has still to answer. */
export interface OpenQuestion {
  /** What the handler calls it. */
  readonly key: string;
  readonly request: InputRequest;
  /** How long the client may take, in milliseconds; absent where the handler says nothing. */
  readonly waitMs?: number | undefined;
  /** When that is over, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
}

/** What the runs of a task have left behind. */
export interface TaskJournal {
  readonly rounds: Journal;
  /** By the key that the client is told, which is never used again (ext-tasks, "Task Update Requests"). */
  readonly open: Readonly<Record<string, OpenQuestion>>;
  /** The keys that the client was told before. */
  readonly used: readonly string[];
  /** What was not answered in time, by the names that the handler has for it. */
  readonly late?: readonly string[];
  /** How often it has waited for a process that serves its tool. */
  readonly postponements?: number;
}

/** How a task has ended. */
export type Outcome = { readonly result: Readonly<Record<string, unknown>> } | { readonly error: TaskError };

/** A task as this server reads it: what the store keeps, and what was encrypted in it. */
export interface Task {
  readonly stored: StoredTask;
  readonly call: RecordedCall;
  readonly journal: TaskJournal;
  readonly outcome: Outcome | undefined;
}

/** How many runs of a task, one after the other and without progress, came to no end, before the one that is under way. */
export function lostRuns({ attempts, run }: StoredTask): number {
  return run === null ? attempts : attempts - 1;
}

/** What changes about a task. */
export interface TaskChange {
  readonly state?: Partial<TaskState>;
  readonly rest?: Partial<Pick<StoredTask, 'run' | 'attempts' | 'isError'>>;
  /** Milliseconds before the next run can begin, where none is under way then. */
  readonly delayMs?: number;
  readonly journal?: TaskJournal;
  readonly outcome?: Outcome;
}

/** A change of a task: what it changes, or `undefined` when that is nothing. */
export type Transition = (task: Task) => TaskChange | undefined;

/** A journal without anything in it. */
export function emptyJournal(rounds?: Journal): TaskJournal {
  return { rounds: rounds ?? { questions: [], required: [], effects: [] }, open: {}, used: [] };
}

/** A task with what its status brings along: what `tasks/get` and `notifications/tasks` tell of it (ext-tasks, "Task Status"). */
export interface DetailedTask extends TaskState {
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: TaskError;
}

/** A task as its client sees it. */
export function detailedTask({ stored: { task }, journal, outcome }: Task): DetailedTask {
  if (isTerminal(task.status)) return { ...task, ...outcome };
  if (task.status !== 'input_required') return task;
  const open = Object.entries(journal.open).map(([key, { request }]) => [key, request] as const);
  return { ...task, inputRequests: Object.fromEntries(open) };
}
