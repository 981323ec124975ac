import { isTerminal, type TaskError, type TaskState } from './task.js';
import type { StoredTask } from './task-store.js';

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
