import type { ExtensionCall, ExtensionHost } from '../../engine/extension.js';
import { invalidParams, missingExtension } from '../../errors/protocol-error.js';
import { detailedTask } from './detailed-task.js';
import type { TaskKeeper } from './task-keeper.js';
import { maySee } from './task-methods.js';
import { TASKS } from './task-options.js';
import type { StoredTask } from './task-store.js';

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

/** The tools whose tasks subscriptions hear of, by what these were agreed to. */
const heardTools = new WeakMap<object, ReadonlySet<string>>();

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
  const kept: StoredTask[] = [];
  for (const found of stored) if (found && (await maySee(call, found, host))) kept.push(found);
  const agreed = { taskIds: kept.map(({ task }) => task.taskId) };
  heardTools.set(agreed, new Set(kept.map(({ tool }) => tool)));
  return agreed;
}

/** Whether the caller may still use the tools of the tasks that a subscription hears of; their owner does not change. */
export async function mayListenToTasks(
  call: ExtensionCall,
  agreed: object,
  { registry }: ExtensionHost,
): Promise<boolean> {
  for (const tool of heardTools.get(agreed) ?? []) {
    const entry = registry.tools.get(tool);
    if (entry && !(await call.sees(entry))) return false;
  }
  return true;
}
