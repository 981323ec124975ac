import type { ExtensionCall, ExtensionHost, ExtensionMethod } from '../../engine/extension.js';
import { invalidParams, type ProtocolError } from '../../errors/protocol-error.js';
import { readInputResponses } from '../../engine/asking/round-keeper.js';
import { type DetailedTask, detailedTask } from './detailed-task.js';
import type { TaskKeeper } from './task-keeper.js';
import type { StoredTask } from './task-store.js';
import { answered, cancelled } from './transitions.js';

type Params = Readonly<Record<string, unknown>>;

/** `tasks/get`, `tasks/update` and `tasks/cancel` (ext-tasks, "Task Polling" and on). */
export function taskMethods(
  keeper: TaskKeeper,
  host: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  /** The task a request is about. @throws ProtocolError (-32602) when the caller has none of that id. */
  async function find(call: ExtensionCall, { taskId }: Params): Promise<StoredTask> {
    if (typeof taskId !== 'string') throw invalidParams('"taskId" must be a string');
    const stored = await keeper.get(taskId);
    if (!stored || !(await maySee(call, stored, host))) throw unknownTask();
    return stored;
  }

  return {
    'tasks/get': {
      namedBy: 'taskId',
      async serve(call, params): Promise<DetailedTask> {
        return detailedTask(await find(call, params));
      },
    },
    'tasks/update': {
      namedBy: 'taskId',
      async serve(call, params) {
        const responses = readInputResponses(params['inputResponses']);
        const { task } = await find(call, params);
        await keeper.change(task.taskId, answered(responses));
        return {};
      },
    },
    'tasks/cancel': {
      namedBy: 'taskId',
      async serve(call, params) {
        const { task } = await find(call, params);
        await keeper.change(task.taskId, cancelled());
        return {};
      },
    },
  };
}

/** Whether a caller may see a task: it is theirs, and they may still use the tool that runs in it. */
export async function maySee(
  call: ExtensionCall,
  { principal, tool }: StoredTask,
  { registry }: ExtensionHost,
): Promise<boolean> {
  if (principal !== (call.principal?.id ?? null)) return false;
  const entry = registry.tools.get(tool);
  return entry === undefined || call.sees(entry);
}

function unknownTask(): ProtocolError {
  return invalidParams('There is no such task, or it has expired');
}
