import { listPages } from '../../transport/list-pages.js';
import { isTaskStatus, type StoredTask, type TaskState } from '../../backend/tasks.js';
import type { ExtensionHost } from '../../engine/extension.js';
import { invalidParams } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import { type DetailedTask, detailedTask, emptyJournal, lostRuns, type Task } from './task.js';
import type { TaskRepository } from './task-repository.js';
import type { TaskRunner } from './task-runner.js';
import { cancelled } from './transitions.js';

/** A task as operators see it: the unencrypted part of the store's record. Times are ISO 8601. */
export interface ListedTask extends TaskState {
  readonly tool: string;
  /** Whether the result of the tool has `isError`. For the client, such a task is `completed`. */
  readonly isError?: true;
  /** How many runs in a row were lost before the current run, for example because their process died. */
  readonly lostRuns: number;
  /** A hash that identifies the task's client in limits per client; `null` if the server cannot distinguish clients. */
  readonly owner: string | null;
  /**
   * When the lease of the current run expires, by the store's clock, unless the run renews the lease. After this time,
   * another process can run the task. Absent if no run holds the task.
   */
  readonly heldUntil?: string;
  /**
   * The earliest time, by the store's clock, when a process can claim the task; absent while no process can claim it.
   */
  readonly claimableFrom?: string;
}

/** The result of listing tasks, oldest first. */
export interface TaskListing {
  readonly tasks: readonly ListedTask[];
  /** Whether more tasks exist than the listing contains. */
  readonly hasMore: boolean;
}

/** A task, including the parts that are encrypted in the store. */
export interface ShownTask extends ListedTask, Omit<DetailedTask, keyof TaskState> {
  readonly argumentNames: readonly string[];
  /** The arguments of the tool call; only present if they were requested. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The keys of the side effects that `ctx.once()` has recorded and does not run again. */
  readonly recorded: readonly string[];
}

/** A task that was started again as a new task. */
export interface RetriedTask {
  /** The id of the new task. */
  readonly taskId: string;
  readonly retryOf: string;
}

type Asked = Readonly<Record<string, unknown>>;

/** How many tasks are read at once. */
const PAGE = 100;

/**
 * Executes an operator's command:
 *
 * - `{ do: 'ls', status, tool, limit }` lists tasks.
 * - `{ do: 'show', taskId, arguments }` shows a task.
 * - `{ do: 'cancel', taskId }` cancels a task.
 * - `{ do: 'retry', taskId }` creates a new task from a task that failed or whose result has `isError`. The executor
 *   runs the new task later.
 *
 * @throws ProtocolError if the task does not exist, or if its status does not allow the command.
 */
export async function inspectTasks(
  repository: TaskRepository,
  runner: Pick<TaskRunner, 'ready' | 'versionOf'>,
  host: Pick<ExtensionHost, 'publish'>,
  asked: Asked,
): Promise<TaskListing | ListedTask | ShownTask | RetriedTask> {
  switch (asked['do']) {
    case 'ls':
      return list(repository, asked);
    case 'show':
      return shownTask(await find(repository, asked), asked['arguments'] === true);
    case 'cancel':
      return cancel(repository, await find(repository, asked));
    case 'retry':
      return retry(repository, runner, host, await find(repository, asked));
    default:
      throw invalidParams('"do" must be ls, show, cancel or retry');
  }
}

async function list(repository: TaskRepository, asked: Asked): Promise<TaskListing> {
  const { status, tool, limit } = asked;
  const statuses: readonly unknown[] = status === undefined ? [] : [status].flat();
  if (!statuses.every(isTaskStatus))
    throw invalidParams('"status" must be working, input_required, completed, cancelled or failed');
  const isFailed = ({ isError }: StoredTask): boolean => isError === true && statuses.includes('failed');
  const isWanted = (stored: StoredTask): boolean =>
    (statuses.length === 0 || statuses.includes(stored.task.status) || isFailed(stored)) &&
    (tool === undefined || stored.tool === tool);
  const { items, hasMore } = await listPages(limit, async (from) => {
    const { tasks, cursor } = await repository.list(PAGE, from);
    return {
      cursor,
      items: tasks.filter(isWanted).map((stored) => [stored.task.taskId, listedTask(stored)]),
    };
  });
  return { tasks: items, hasMore };
}

/**
 * Finds the task in a question. @throws ProtocolError if it does not exist, or if this program does not have
 * its key.
 */
async function find(repository: TaskRepository, { taskId }: Asked): Promise<Task> {
  if (typeof taskId !== 'string') throw invalidParams('"taskId" must be a string');
  const stored = await repository.getStored(taskId);
  if (!stored) throw invalidParams(`Task ${taskId} does not exist, or has expired`);
  const task = await repository.open(stored);
  if (task) return task;
  throw invalidParams(
    `The task ${taskId} cannot be read: the program needs the "state.keys" of the server that created the task, for example in the variable STATE_KEY`,
  );
}

function listedTask(stored: StoredTask): ListedTask {
  const { task, tool, isError, owner, run, notBefore } = stored;
  const time = notBefore === null ? undefined : new Date(notBefore).toISOString();
  return {
    ...task,
    tool,
    ...(isError && { isError }),
    lostRuns: lostRuns(stored),
    owner,
    ...(time === undefined ? {} : { [run === null ? 'claimableFrom' : 'heldUntil']: time }),
  };
}

function shownTask(task: Task, withArguments: boolean): ShownTask {
  const { arguments: given } = task.call.params;
  const values = isObject(given) ? given : {};
  return {
    ...listedTask(task.stored),
    ...detailedTask(task),
    argumentNames: Object.keys(values),
    ...(withArguments ? { arguments: values } : {}),
    recorded: task.journal.rounds.effects.map(([key]) => key),
  };
}

async function cancel(repository: TaskRepository, found: Task): Promise<ListedTask> {
  const { taskId, status } = found.stored.task;
  const { task, hasChanged } = await repository.change(found, cancelled('Cancelled by the operator'));
  if (task && hasChanged) return listedTask({ ...task.stored, notBefore: null });
  throw invalidParams(`The task ${taskId} is ${task?.stored.task.status ?? status}: it has already ended`);
}

/** Starts a failed task again as a new task, because an ended task does not change (ext-tasks, "Task Status"). */
async function retry(
  repository: TaskRepository,
  runner: Pick<TaskRunner, 'ready' | 'versionOf'>,
  host: Pick<ExtensionHost, 'publish'>,
  { stored, call, journal }: Task,
): Promise<RetriedTask> {
  const { tool, toolVersion, owner } = stored;
  const { taskId: retryOf, status, ttlMs, pollIntervalMs } = stored.task;
  if (status !== 'failed' && stored.isError !== true)
    throw invalidParams(
      `The task ${retryOf} is ${status}: only a task that failed, or whose result has isError, can be retried`,
    );
  const served = runner.versionOf(tool);
  if (served !== undefined && served !== toolVersion)
    throw invalidParams(
      `The task ${retryOf} began with a different version of the tool ${tool} than this program serves: the task's client must call the tool again`,
    );
  const task = await repository.create({
    tool,
    toolVersion,
    owner,
    ttlMs,
    pollIntervalMs,
    call,
    // Answers and results of side effects are kept. Open and late questions are asked again.
    journal: emptyJournal(journal.rounds),
    run: null,
    delayMs: 0,
  });
  await runner.ready(task);
  host.publish({ kind: 'claimable' });
  return { taskId: task.stored.task.taskId, retryOf };
}
