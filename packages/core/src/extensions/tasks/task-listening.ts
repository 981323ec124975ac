import type { ExtensionCall, ExtensionHost } from '../../engine/extension.js';
import { invalidParams, missingExtension } from '../../errors/protocol-error.js';
import { detailedTask } from './detailed-task.js';
import type { TaskKeeper } from './task-keeper.js';
import { maySee } from './task-methods.js';
import { TASKS } from './task-options.js';

/** Most tasks one subscription may hear of. */
const MAX_LISTENED = 1000;

/** Sends `notifications/tasks` to the subscriptions that want to hear of a task (ext-tasks, "Task Status Notifications"). */
export function announceChanges(keeper: TaskKeeper, host: ExtensionHost): void {
  host.onChange((change) => {
    if (change.kind !== 'task') return;
    const { taskId } = change;
    const wants = (filter: Readonly<Record<string, unknown>>): boolean =>
      Array.isArray(filter['taskIds']) && filter['taskIds'].includes(taskId);
    if (!host.hasListener(wants)) return;
    keeper.get(taskId).then(
      (stored) => stored && host.notifyListeners('notifications/tasks', detailedTask(stored), wants),
      (error: unknown) => host.logger.error({ err: error, taskId }, 'a task could not be read'),
    );
  });
}

/**
 * Reads which tasks a subscription asks to hear of.
 *
 * @returns those among them that the caller may see.
 * @throws ProtocolError when the client has not declared the extension (-32021), or asks for no list of ids (-32602).
 */
export async function listenToTasks(
  call: ExtensionCall,
  taskIds: unknown,
  keeper: TaskKeeper,
  host: ExtensionHost,
): Promise<{ taskIds: readonly string[] }> {
  if (!call.declares(TASKS)) throw missingExtension(TASKS);
  if (!Array.isArray(taskIds) || !taskIds.every((taskId) => typeof taskId === 'string')) {
    throw invalidParams('"taskIds" must be a list of task ids');
  }
  const asked = [...new Set<string>(taskIds)];
  if (asked.length > MAX_LISTENED) throw invalidParams(`More than ${MAX_LISTENED} "taskIds"`);
  const stored = await Promise.all(asked.map((taskId) => keeper.get(taskId)));
  const kept: string[] = [];
  for (const found of stored) if (found && (await maySee(call, found, host))) kept.push(found.task.taskId);
  return { taskIds: kept };
}
